"""Replies -> values or reasons. Pure, anchored, never a substring test, never a guess.

What is asked of a reply, in this order; the first rule that speaks decides, and `Parsed.how` names it:

1. *Cleaning*: thoughts, stop tokens, echoed prompts, tags, markdown and full-width forms come off. Nothing left: empty.
2. *Whole reply*: a letter ("B", "(b)", "B B B") or an option's text ("motion blur.").
3. *Explicit answer*: "the answer is", "Final answer:", `\\boxed{}`, `<answer>`, "I choose", "B is correct". Where
   several differ, the last one announced as final ("therefore", "final") decides; otherwise the reply is ambiguous.
4. *Label*: a letter with a delimiter that leads the first or the last line, or "(B)" set off in the text. A second
   label that is not denied, or a text that contradicts its letter ("A. Low" where A is High), makes the reply
   ambiguous; a letter beyond the options ("D. Excellent" of three: Q-Bench A.2.1's prompt failure) is out of range.
5. *Sentence*: a first or last sentence that is nothing but an option's text.
6. *Refusal*: it cannot see, cannot judge, asks for the image: refused.
7. *Mention*: exactly one option's text, as whole words, longest first, asserted rather than denied or asked about.
   Several are ambiguous, none is unparseable.

Preferences add, before refusal, statements that say something better of one item, and ties. Numbers are read alone,
after a word such as "rating", at the head of a line or as "4/5", never from anywhere in the text.

Case matters in one place: inside running text only capitals are letters, and "A" before a word is the article.
Sections: Q-Bench 2.2.3, 2.4.1, A.2 and A.3.2 (https://arxiv.org/abs/2309.14181); 2AFC III-A (https://arxiv.org/abs/2402.01162);
UniSim-Bench Table 6 (https://arxiv.org/abs/2412.10594).
"""

from qbench.parsing.numbered import parse_numbered
from qbench.parsing.numbers import parse_judge_score, parse_rating
from qbench.parsing.options import parse_option
from qbench.parsing.outcome import Parsed, Reason
from qbench.parsing.preference import Preference, parse_preference
from qbench.parsing.words import QualityWord, YesNo, parse_quality_word, parse_yes_no

__all__ = [
    "Parsed",
    "Preference",
    "QualityWord",
    "Reason",
    "YesNo",
    "parse_judge_score",
    "parse_numbered",
    "parse_option",
    "parse_preference",
    "parse_quality_word",
    "parse_rating",
    "parse_yes_no",
]
