"""Patterns of clauses, over the word classes of `vocabulary` and `qualities`; how they are read: `grammar`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

StatementKind = Literal["verdict", "answer", "bare", "elliptic", "aspect", "praise", "tie", "worse", "rejected"]

SPOILING = "ITEM GROUP CLASH LISTING NOT NEITHER IF NEED DOUBT OTHERS WRONG ELIMINATE OTHER LESS WORSE"
"""Classes that an unread end of a clause may not hold."""
BLAMING = "BAD DEFECT"
"""Nor these, where it goes on to say in what one choice is better."""
LEADING_NOT = "WHICH BETTER SHARPER WINS BEATS LOSES POSSESSIVE TO CONCLUDE WOULD MAKES LIMITED ASPECT ATTRIBUTE"
"""Nor these, where words that are not known lead to what is read."""
LOOSE_STATEMENTS = frozenset(["answer", "verdict"])
"""What is read after such words."""

FRAGMENTS: Mapping[str, str] = {
    "SAYING": "I (WOULD|DO|DEGREE|TO|HAS)* (SAY|ANSWER) WHICH?",
    "CONCLUDING": "(THE|CONCLUDE|DEGREE)* ANSWER IS WHICH",
    "SEEING": "(I|IT|WHICH)? (WOULD|DO|DEGREE|CAN)* SEE WHICH?",
    "SEEMING": "(IT|WHICH|THERE) (WOULD|DEGREE)* IS (DEGREE|EVIDENT)* WHICH?",
    "AMONG": "(OF|PREP) (THE|DEGREE)* (BOTH|THING) (OF|THE)* THING?",
    "LOOKING": "((LOOKING|PREP LOOKING) (THE|PREP)* ((BOTH|THING) THING?|(ASPECT|ATTRIBUTE|QUALITY)+)"
    "|PREP (THE|DEGREE)* (ASPECT|ATTRIBUTE|QUALITY)+)",
    "PLAIN": "(YES|CONCLUDE COLON?|OPENER COLON?|DEGREE|EVIDENT|{SAYING}|{SEEMING}|{CONCLUDING}|{AMONG}|{LOOKING})*",
    "LEAD": "(YES|CONCLUDE|OPENER|DEGREE|EVIDENT|{SAYING}|{SEEMING}|{SEEING}|{CONCLUDING}|{AMONG}|{LOOKING})*",
    "BE": "(DO|DEGREE|CONCLUDE|OPENER)* IS",
    "RIVAL": "(THAN (THE|BAD|GOOD|WORD|ASPECT|ATTRIBUTE|BOTH)* (OF|PREP) (ITEM|OTHER)"
    "|(THAN|OVER|NOT) (THE|IS|BAD|WORSE|BOTH|PREP|OF|IT|WHICH)* (ITEM|OTHER|IT|BOTH) POSSESSIVE?)",
    "END": "(DEGREE|CONCLUDE|OPENER|THING|{AMONG}|{RIVAL})*",
    "PART": "((PREP|WITH|AS|TO|OF|LIKE|LIMITED|FITS) GOOD_ANY*)? {RIVAL}? (NOT PREP* {ATTRIBUTES})?",
    "NOUN": "(THING|ANSWER|PICK)",
    "FINE": "(DEGREE|THE|BOTH|GOOD|CONCLUDE|OPENER|MORE)*",
    "ATTRIBUTES": "(ASPECT|ATTRIBUTE)+",
    "GOOD_QUALITY": "(BETTER|HIGHER|MORE|SHARPER) (DEGREE|CONCLUDE|GOOD|BETTER|HIGHER)* QUALITY",
    "COMPARATIVE": "(MORE? SHARPER|MORE DEGREE* GOOD|LESS DEGREE* BAD|BETTER DEGREE* (DONE|GOOD))",
    "GAIN": "((HIGHER|MORE|BETTER|SHARPER) (DEGREE|GOOD|CONCLUDE|HIGHER|SHARPER)* (ASPECT|ATTRIBUTE)+"
    "|LESS (DEGREE|GOOD|DEFECT)* DEFECT)",
    "NEARER": "(MORE|BETTER|SHARPER|HIGHER) (DEGREE|GOOD|THE)* (SIMILAR|FITS)",
    "SAME": "(EQUAL|SIMILAR)",
}

PATTERNS: Mapping[StatementKind, str] = {
    # An answer is announced, or one choice is called right.
    "answer": """
    it is: {PLAIN} (IT|WHICH) (WOULD|DEGREE)* IS DEGREE* @ITEM {END}
    it is this that: {PLAIN} IT (WOULD|DEGREE)* IS DEGREE* @ITEM WHICH ANY*
    I would say: {PLAIN} I (WOULD|DO|DEGREE|HAS|TO)* (SAY|ANSWER) WHICH? ((IT|WHICH) IS)? (COLON|DEGREE)* @ITEM {END}
    ticked: {LEAD} TICK? @ITEM TICK {END}
    ticked before: {LEAD} TICK @ITEM {END}
    so B: {PLAIN} CONCLUDE {PLAIN} @ITEM {END}
    is it: {LEAD} @ITEM (IT IS|IS IT)
    the answer is: {LEAD} (THE|RIGHT|BETTER|MORE|DEGREE|CONCLUDE|GOOD|SHARPER|I|HIGHER|QUALITY|IT|IS)*
        (ANSWER|PICK|(RIGHT|BETTER) (THING|QUALITY)*) (PREP ANY*|OPENER|{AMONG}|TO ANY*|OF ANY*|RIGHT)?
        (WOULD|DEGREE|CONCLUDE|IS|COLON|WHICH)+ (DEGREE|CONCLUDE|COLON|BETTER|RIGHT|ANSWER|THE|TO)* @ITEM {END} ANY*
    conclusion: {LEAD} (CONCLUDE|DEGREE|THE|RETRACT)+ COLON {LEAD} @ITEM {END}
    the main problem is: {LEAD} THE* DEGREE* MAIN ((PREP|OF) ANY*)? (IS|COLON) (DEGREE|THE|BETTER)* @ITEM {END} ANY*
    yes to this: {LEAD} @ITEM COLON DEGREE* (YES|RIGHT|BETTER ANSWER|TICK) {END}
    is right: {LEAD} @ITEM THING? (WOULD|DEGREE|DO)* IS (THE|DEGREE|MORE|BETTER|GOOD|CONCLUDE|SHARPER|I)*
        (RIGHT|ANSWER|PICK|BETTER ANSWER) {NOUN}* {END} ((PREP|TO|OF|WITH) ANY*)?
    is the main problem: {LEAD} @ITEM {BE} (THE|DEGREE)* MAIN {END}
    all but this are wrong: {LEAD} (THE|BOTH|THING|ANSWER|OF)* (ELIMINATE|NOT) @ITEM (IS|DO|CAN|WOULD|HAS|DEGREE)*
        (NOT|WRONG|TOO|ELIMINATE) ANY*
    the darkest part is: {LEAD} (THE|DEGREE)* (WORSE|SHARPER|BETTER|HIGHER|MORE|GOOD|BAD)+ PLACE (OF (THE|THING)*)? IS
        DEGREE* @ITEM {END}
    the part in focus is: {LEAD} (THE|DEGREE)* PLACE (WHICH IS)? (DEGREE|GOOD|BAD|SHARPER|WORSE)+ IS DEGREE* @ITEM {END}
    remains: {LEAD} @ITEM DEGREE* REMAINS ((THE|DEGREE)* (ANSWER|BETTER|RIGHT|PICK) {NOUN}*)? {END}
    describes best: {LEAD} @ITEM (DEGREE|WOULD)* ((BETTER|MORE|SHARPER) DEGREE* FITS ANY*|FITS ANY* (BETTER|MORE
        DEGREE*|DEGREE))
    """,
    # One is named and nothing else is said.
    "bare": """
    bare: {PLAIN} @ITEM {END}
    """,
    # One is named with a verb alone, which answers a question or a denial unless it is cut off.
    "elliptic": """
    it does: {PLAIN} @ITEM (IS|DO|HAS)
    """,
    # One is chosen, wins, or is better as a whole.
    "verdict": """
    the one that is better is: {LEAD} THE* THING WHICH IS {FINE} ({NEARER} ANY*|{GOOD_QUALITY}|BETTER|SHARPER ANY*)
        (IS|COLON)+ @ITEM {END}
    choose: {LEAD} (I|AND)? (WOULD|DO|DEGREE|IS|TO|HAS|CONCLUDE)* (CHOOSE|PICK) (DEGREE|TO|COLON)* @ITEM
        ((AS|TO|IS|DEGREE)* (THE|DEGREE|GOOD)* (BETTER|ANSWER|RIGHT|SHARPER) {NOUN}* {AMONG}?)? {END}
    call better: {LEAD} I (WOULD|DO|DEGREE)* (CALL|SAY) @ITEM (AS|IS|TO|DEGREE|THE|MORE|GOOD)*
        (BETTER|HIGHER|RIGHT|ANSWER) {NOUN}* {END}
    I like it more: {LEAD} I (WOULD|DO|DEGREE)* LIKE DEGREE* @ITEM DEGREE* (MORE|BETTER) {END}
    I rank it below: {LEAD} I (WOULD|DO|DEGREE)* CALL ITEM DEGREE* LOSES @ITEM {END}
    I rank it above: {LEAD} I (WOULD|DO|DEGREE)* CALL @ITEM DEGREE* OVER (ITEM|OTHER) {END}
    the vote goes to: {LEAD} (THE|DEGREE|GOOD|BETTER|OF|QUALITY)* (ANSWER|PICK|WINS|BETTER QUALITY)
        (PREP|QUALITY|THE)* (WOULD|DEGREE|TO)* GOES_TO DEGREE* @ITEM {END}
    which makes it the better: {LEAD} (IT|WHICH)? DO? MAKES DEGREE* @ITEM (DEGREE|THE|IS|AS|GOOD|TO)*
        (BETTER|ANSWER|RIGHT) {NOUN}* {END}
    excluding the others leaves: {LEAD} (NOT|ELIMINATE) (GROUP|ITEM) MAKES DEGREE* @ITEM {END}
    leaving: {LEAD} (IT|WHICH)? MAKES DEGREE* @ITEM {END}
    makes it the better: (ANY* (PREP|OF))? @ITEM WHICH? MAKES IT {FINE} (BETTER|ANSWER|RIGHT) {NOUN}* {END}
    is better: {LEAD} @ITEM WHICH? {BE}? {FINE} BETTER (THING|ANSWER|QUALITY|PREP QUALITY)* (TO (ITEM|OTHER))? {END}
    is the one with better quality: {LEAD} @ITEM ({BE} THE? THING WHICH?)? WHICH? (DO|DEGREE|CONCLUDE)* (HAS|WITH|IS
        HAS?) (THE|DEGREE|CONCLUDE)* {GOOD_QUALITY} THING? {END}
    with this being better: {LEAD} WITH @ITEM {BE}? {FINE} BETTER (THING|QUALITY)* {END}
    wins: {LEAD} @ITEM THING? WHICH? (DEGREE|DO|CONCLUDE|OPENER|IS)* (WINS|BEATS) {END}
    a win for it: {LEAD} ((IT|THERE) IS|WITH)? (THE|DEGREE|GOOD|LESS|OF)* (WINS|ANSWER) (PREP|TO) @ITEM {END}
    beats: {LEAD} @ITEM THING? (DEGREE|DO|CONCLUDE)* BEATS (THE|DEGREE)* (ITEM|OTHER|IT) {END}
    is nearer: {LEAD} @ITEM WHICH? {BE} {FINE} (THING WHICH? IS?)? {FINE} {NEARER} ANY* {RIVAL}?
    its quality is better: {LEAD} @ITEM POSSESSIVE? DEGREE* QUALITY IS? DEGREE* (BETTER|HIGHER) {END}
    the quality of it is better: {LEAD} THE* QUALITY (OF|PREP) @ITEM {BE} DEGREE* (BETTER|HIGHER) {END}
    quality is better in it: {LEAD} THE* QUALITY {BE} (DEGREE|CONCLUDE)* (BETTER|HIGHER) (PREP|WITH) @ITEM {END}
    """,
    # One is better in something.
    "aspect": """
    has the edge in: {LEAD} @ITEM THING? WHICH? (DEGREE|DO|CONCLUDE|OPENER|IS)* WINS {END} {PART}
    loses to in: {LEAD} (ITEM|OTHER) THING? (DEGREE|DO|CONCLUDE|IS)* LOSES (THE|DEGREE)*
        ((ASPECT|ATTRIBUTE|QUALITY)+ OF)? @ITEM {END} {PART}
    is sharper: {LEAD} @ITEM ({BE} THE? THING WHICH?)? WHICH? {BE}? (DEGREE|BOTH|THE|CONCLUDE|OPENER)* {COMPARATIVE}
        (THING|DONE|ATTRIBUTE|ASPECT|GOOD)* {END} {PART}
    that makes it sharper: ANY* MAKES @ITEM {FINE} {COMPARATIVE} {END}
    has more detail: {LEAD} @ITEM ({BE} THE? THING WHICH?)? WHICH? (DO|DEGREE|CONCLUDE)* (HAS|WITH|IS)?
        (THE|DEGREE|CONCLUDE)* {GAIN} {END} {PART}
    is better in: {LEAD} @ITEM WHICH? {BE} {FINE} BETTER (THING|ANSWER|QUALITY)* {END} {PART}
    more detail is seen in it: {LEAD} (DEGREE|THE)* {GAIN} ((CAN IS|IS|CAN) (DEGREE|SEE|GOOD|WORD)*)? PREP @ITEM
        {END}
    its detail is better: {LEAD} @ITEM POSSESSIVE? (DEGREE|GOOD|THE)* (ASPECT|ATTRIBUTE)+ IS? DEGREE*
        (BETTER|HIGHER|{COMPARATIVE}) {END} {PART}
    the sharper is: {LEAD} (THE|DEGREE)* ({COMPARATIVE}|{GAIN}) THING? {AMONG}? (IS|COLON)+ @ITEM {END}
    lacks its detail: {LEAD} ITEM (IS|HAS|DO|DEGREE)* NOT (DEGREE|THE|HAS)* @ITEM POSSESSIVE
        (ASPECT|ATTRIBUTE|QUALITY|GOOD)+ {END}
    has noise that the other lacks: {LEAD} ITEM DEGREE* (HAS|COMES) (DEGREE|THE|BAD|GOOD|WORD|MORE)* DEFECT+ WHICH @ITEM
        (IS|DO|DEGREE)* NOT HAS? {END}
    lacks the detail of: {LEAD} ITEM (IS|HAS|DO|DEGREE)* NOT (OF|THE|DEGREE|HAS)* (ASPECT|ATTRIBUTE)+
        (OF|PREP|WHICH (WORD|HAS|IS|DEGREE|RIGHT|SEE|CAN|GOOD)* PREP?) @ITEM (HAS|IS|DO)? {END}
    lacks the noise of: {LEAD} @ITEM (IS|HAS|DO|DEGREE)* NOT (OF|THE|DEGREE|HAS)* DEFECT+ (OF|PREP) (ITEM|OTHER)
    its faults are fewer: {LEAD} (THE|DEGREE|WORD|OF)* DEFECT+ {BE} DEGREE* LESS PREP @ITEM {END}
    less detail than: {LEAD} ITEM DEGREE* HAS DEGREE* LESS DEGREE* (ASPECT|ATTRIBUTE)+ THAN @ITEM {END}
    """,
    # One is good, not better.
    "praise": """
    is sharp: {LEAD} @ITEM WHICH? {BE}? {FINE} GOOD+ (THING|QUALITY|ASPECT|ATTRIBUTE)* {END} {PART}
    has no noise: {LEAD} @ITEM WHICH? (DO|DEGREE|CONCLUDE|IS)* ((HAS|WITH)? NOT|NOT HAS)
        (DEGREE|GOOD|THE|BOTH|IT)* DEFECT+ {END}
    fits: {LEAD} @ITEM DEGREE* FITS ANY*
    """,
    # Both are alike.
    "tie": """
    both are alike: {LEAD} (THE|BOTH|THING|GROUP|DEGREE|QUALITY|{AMONG})+ (DO|DEGREE|CONCLUDE|OPENER)* (IS|HAS)?
        (DEGREE|THE|HAS|PREP|BOTH|OF|MORE|CONCLUDE)* {SAME} {END} ((PREP|OF)* (DEGREE|THE|OF)*
        (QUALITY|ATTRIBUTE|GOOD|BAD) (PREP QUALITY)?)? ((TO|PREP) (THE|DEGREE)* (EACH|BOTH))? {END}
    I rate both alike: {LEAD} I (WOULD|DO|DEGREE)* CALL (BOTH|THE|THING|QUALITY)+ (AS|IS|TO|DEGREE|THE)* {SAME} {END}
    both: {LEAD} (BOTH|{SAME}) (THING|OF|THE|BOTH|QUALITY)*
    as good as: {LEAD} ITEM {BE} DEGREE* (EQUAL|AS? (GOOD|BAD) AS) ITEM {END}
    can not tell apart: {PLAIN} I (DO|CAN|WOULD|DEGREE)* NOT DEGREE* APART
        (BOTH|THE|THING|PREP|GROUP|OPENER|QUALITY)*
    neither: {LEAD} NEITHER (THING|OF|THE|BOTH|GROUP)* ((IS|HAS|DO|DEGREE|CONCLUDE|THE)*
        (BETTER|{COMPARATIVE}|{GOOD_QUALITY}|WINS|BEATS) (THING|QUALITY|EACH)* {END})?
    """,
    # One of two is called the worse.
    "worse": """
    is worse: {LEAD} @ITEM ({BE} (THE|DEGREE)* WORSE THING?|(DEGREE|DO)* (HAS|IS|WITH) (THE|DEGREE)* (LESS|WORSE)
        QUALITY) {END}
    the quality of it is worse: {LEAD} THE* QUALITY (OF|PREP) @ITEM {BE} DEGREE* (LESS|WORSE) {END}
    the worse is: {LEAD} (THE|DEGREE)* WORSE THING? {AMONG}? (IS|COLON)+ @ITEM {END}
    """,
    # One is turned down.
    "rejected": """
    not this: {LEAD} (I|IT|WOULD|DO|IS|CAN|DEGREE|THE|RIGHT|BETTER|ANSWER|THING|CHOOSE)*
        (NOT|NEITHER|ELIMINATE|OVER)+ (CHOOSE|PICK|SAY|IS|DEGREE|TO|OF)* @ITEM ANY*
    crossed out: CROSS? @ITEM CROSS
    no to this: {LEAD} @ITEM COLON (DEGREE|IS)* (NOT|WRONG|CROSS) ANY*
    this is wrong: {LEAD} @ITEM THING? (IS|DO|CAN|WOULD|DEGREE|HAS|NEED)* (NOT|WRONG|ELIMINATE|NEED)
        (ANY|NOT|WRONG|WORSE|LESS|NEED)*
    """,
}
"""For each statement its patterns, each with a name; a line that is indented further goes on with the one before."""
