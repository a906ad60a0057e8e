"""Replies -> values or reasons. Pure, never a substring test, never a guess.

A reply is read in six steps, a module or two each:

1. `turns`, `structured`, `cleaning`: the model's own first turn as plain text. Thoughts, echoed prompts, invented
   dialogue, stop tokens, tags, markdown, what is struck out and full-width forms come off; JSON and LaTeX boxes become
   "Final answer: ...", and {"worse": "Image 1"} "The worse image is: Image 1"; `east_asian` puts Chinese, Japanese and
   Korean phrases in English, and `rewording` turns of speech in the words of the tables. Nothing left: empty.
2. `choices`, `option_names`, `tokens`, `joining`: namings of the choices, by letter ("B", "(b)"), text or place ("the
   left one"), and the classes of all other words (`vocabulary`, `qualities`). A letter with its own text is one naming,
   with another's text none; "A, B and D" is a group, the options repeated are a listing.
3. `clauses`: sentences and clauses, with the word that links each ("because", "although", "wait"). What is supposed
   ("if ...") reaches to the next "but" or "so".
4. `grammar`, `patterns`, `findings`: what each clause says. A pattern covers every word of a clause, so a clause with a
   word too many says nothing. Questions, suppositions and what others think say nothing either.
5. `finding`: explicit answers before descriptions; announced as final before others; after a correction only what
   follows it; a conceded point ("although ...") not at all where the main point differs. Answers that differ are
   ambiguous.
6. Where nothing is said outright: a refusal; else, for options, the one text that is asserted and not denied
   (`mentions`), and for preferences the one item that is described as better, or both as alike.

A reply that says nothing so is read again: in English (`european`), then with its slips put right and options in other
forms of their words (`mending`). Then by meaning: `attributes` is a table of what images are judged by (sharpness,
noise, light, ...) with the words for its low end, its high end and its amount. `claims` puts options and question as
ranges of one attribute, `statements` the clauses of the reply, through negations, needs, levels and degrees, and
`meaning` gives the one option that agrees with all that is stated: "lacks contrast" is Low, "crisp" is No to "Is it
blurry?". `standouts` reads which of several things is said to be what the question asks for. What is said of a part of
the image (`subjects`), only supposed or conceded decides nothing.

Where options are mentioned and none is chosen, `echoed` reads Yes or No where the question's own words are said
again, affirmed or denied; `mentions` has the option that the last sentence concludes with, and the one denied where a
question asks what is not there. Readings that differ leave it open.

What gives no verdict on two items is read by what it says of each: `described` is for the one where all that is said of
it is better than all that is said of the other, or where a question was asked and only one is spoken of; `valued` has
what a clause says of one. `comparing` reads that both are alike, and which has more of what the question compares.
Before these the patterns of verdicts are tried once more after words that are not known. `tables` puts tables as such
sentences, and `scored_items` compares scores and ranks.

A letter that is left over where all others are turned down answers, unless it is named as well, and of two the one
that is not ruled out. Where the question of two asks for the worse, or for one attribute ("Which is noisier?"), the
reply's words are turned first (`reversed`), and "not the sharper one" of two is the other. Which to delete or to keep
is read as which is worse or better (`discarding`).

A reply that breaks off ("... The second image", "Verdict:") is read only by what it says outright before (`clauses`);
one that ends undecided ("I can't decide") not at all (`refusals`).

Numbers are read alone, after a word such as "rating", at the head of a line or as "4/5",
never from anywhere in the text.

Case matters in one place: inside running text only capitals are letters, and "A" before a word is the article.
Sections: Q-Bench 2.2.3, 2.4.1, A.2 and A.3.2 (https://arxiv.org/abs/2309.14181); 2AFC III-A
(https://arxiv.org/abs/2402.01162); UniSim-Bench Table 6 (https://arxiv.org/abs/2412.10594).
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
