"""What a probe found, as HTML: figures first, and what they were made from one click away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from leaderboard.html import markup
from leaderboard.html.live import KEPT, LEANS, two_digits
from leaderboard.html.markup import Html, HtmlRow, template
from leaderboard.html.quality_map import is_shown_by_browsers, preview_address, quality_map
from leaderboard.live.photo_scores import Degradation, ScoreCurve
from leaderboard.live.probe import LONGEST_SIDE, ProbeResult
from leaderboard.live.quality import Placement, Quality, WordPairScore
from leaderboard.live.questions import ATTRIBUTE_QUESTIONS, PhotoQuestion, QuestionAnswer, contradicted
from leaderboard.tables.words import listed, minus, percent
from qbench.distortions import LEVELS
from qbench.images import load_pixels
from qbench.records import Picture

EMPTY = (
    "Choose a photo. Here you will see how good the model thinks it looks, and which damage is likely. Models that "
    "write also answer questions and describe the photo."
)
TITLE = "What does a model see in one photo?"
INTRODUCTION = (
    "A model scores your photo; some models also say which damage is likely, and where. The model gets your file "
    f"unchanged, except that JPEGs above 30 million pixels are made smaller first. {KEPT}"
)
_FILE = template("""
{% if preview %}
<figure class="qb-preview"><img src="{{ preview }}" alt="The photo"><figcaption class="qb-note">What the model sees.
Your browser may not show this format by itself.</figcaption></figure>
{% endif %}
<p class="qb-note">
{%- if scaled_from -%}
Scaled from {{ scaled_from[0] }} × {{ scaled_from[1] }} pixels before the model sees it: now {{ " " }}
{%- endif -%}
{{ pixels.width }} × {{ pixels.height }} pixels, {{ size }} kB, SHA-256
<code title="{{ picture.sha256 }}">{{ picture.sha256[:12] }}</code>.
<a href="{{ address }}" target="_blank" rel="noopener">Open at full size</a></p>
""")
_DESCRIPTION = template('<blockquote class="qb-said">{{ text }}</blockquote>', "text")
_QUESTION = template('<p class="qb-asked">{{ text }}</p>', "text")
_BARS = template("""
<ul class="qb-options">
{%- for bar in bars -%}
  <li{% if bar.chosen %} class="chosen"{% endif %} title="{{ bar.hint }}"><span>{{ bar.option }}</span>
  {#- #}<i style="{{ bar.ends }}"></i><b>{{ bar.share }}</b><small>{{ bar.spread }}</small></li>
{%- endfor -%}
</ul>
""")
_STRIP = template("""
<div class="qb-strip">
{%- for address, name in levels -%}
  <a href="{{ address }}" target="_blank" rel="noopener"><img src="{{ address }}" alt="{{ label }}, {{ name }}">
  {#- #}<span>{{ name }}</span></a>
{%- endfor -%}
</div>
""")
_PLACE_STRIP = template("""
<div class="qb-place" role="img" aria-label="{{ label }}">{{ bar }}</div>
<p class="qb-place-ends"><span>worse</span><span>better</span></p>
""")
HOW_BARS = (
    "We ask each question several times, with the options in another order each time. A bar is the mean "
    "probability; the line on it runs from the lowest to the highest. A long line means that the order changes the "
    "answer."
)
LIKELY = 0.5
"""Probability from which on a kind of damage is named."""
_FIFTHS = ("bad", "poor", "fair", "good", "excellent")
"""What a photo is called by the fifth of the other pictures, worst first, that its score falls in."""
_UNITS = {"brightness": "of 255", "colourfulness": "", "contrast": "of 127.5", "sharpness": "of 100"}


def photo_facts(picture: Picture, scaled_from: tuple[int, int] | None = None) -> Html:
    """The file as it is, and a link to it at its own size; the photo itself, where browsers do not show its format."""
    return markup.page(
        _FILE(
            pixels=load_pixels(picture),
            size=f"{Path(picture.path).stat().st_size / 1000:,.0f}",
            picture=picture,
            address=markup.file_address(picture.path),
            scaled_from=scaled_from,
            preview=None if is_shown_by_browsers(picture) else preview_address(picture),
        )
    )


def probe_results(result: ProbeResult) -> Html:
    """Everything that is known so far."""
    parts: list[Html] = []
    if result.quality:
        parts.append(_quality(result.quality, result.model))
    if result.map:
        parts.append(quality_map(result.map, result.picture))
    if result.meters:
        parts.append(_attributes(result))
    more = [answer for answer in result.answers if answer.question not in ATTRIBUTE_QUESTIONS.values()]
    if more:
        weighed = any(answer.weighed for answer in more)
        parts += [markup.heading("Questions"), markup.note(HOW_BARS if weighed else ""), *map(_options, more)]
    if result.described:
        text = result.described.text or f"No description: {result.described.reason}."
        left_out, disagreed = listed(result.described.left_out), listed(contradicted(text, result.answers))
        guessed = (
            f"We left out what it wrote about {left_out}: on demo photos with known damage, its answers about this "
            "were no better than guesses."
        )
        otherwise = f"Asked directly about {disagreed}, it gave another answer: rely on neither."
        parts += [
            markup.heading("Description"),
            _DESCRIPTION(text),
            markup.note(left_out and guessed),
            markup.note(disagreed and otherwise),
        ]
    return markup.page(*parts)


def _quality(quality: Quality, model: str) -> Html:
    if quality.value is None:
        return markup.finding(f"No score: {quality.reason}.")
    if quality.placement is not None:
        return _placed(quality, quality.placement, model)
    if quality.mode != "words":
        scale = "from 1 to 5, as it wrote" if quality.mode == "rating" else "on its own scale, higher is better"
        return markup.number(minus(f"{quality.value:.3g}"), f"{model}, {scale}")
    first = quality.pairs[0]
    rows: list[HtmlRow] = [
        [pair.words, minus(f"{pair.difference:+.3f}"), f"{pair.score:.4f}", f"{pair.as_printed:.4f}"]
        for pair in quality.pairs
    ]
    logits: list[HtmlRow] = [[word, minus(f"{value:.3f}")] for word, value in (quality.logits or {}).items()]
    pairs = markup.table(
        ["Words", "Good less bad", "Score", "Eq. 1 as printed"],
        rows,
        "Scores by each pair and ensemble of words; published figures divide logits by 100 first",
        "Word pairs",
        "qb-figures",
    )
    words = markup.table(["Word", "Logit"], logits, "Logits at the answer’s first word", "Logits", "qb-figures")
    return markup.join(_word_verdict(first, model), markup.folded("Score, words and logits", markup.join(pairs, words)))


def _word_verdict(pair: WordPairScore, model: str) -> Html:
    """Which of two words fits the photo, as firmly as the model's own odds allow."""
    good, bad = pair.words.split("/")
    word, other, odds = (good, bad, pair.as_printed) if pair.difference >= 0 else (bad, good, 1 - pair.as_printed)
    said = word.capitalize() if round(odds, 2) >= LEANS else f"Between {good} and {bad}"
    return markup.number(said, f"{model} takes “{word}” rather than “{other}” with probability {two_digits(odds)}")


def _placed(quality: Quality, placement: Placement, model: str) -> Html:
    """What that comes to in words, how many pictures score lower, and the score itself one click away."""
    count = len(placement.scores)
    least, most = placement.scores[0], placement.scores[-1]

    def share(score: float) -> float:
        return min(max((score - least) / (most - least), 0), 1)

    score, error = quality.value or 0.0, quality.error or 0.0
    others = [("", share(other)) for other in placement.scores]
    strip = _PLACE_STRIP(
        bar=markup.range_bar(share(score), share(score - error), share(score + error), others),
        label=f"This photo scores higher than {placement.below} of {count} {placement.title}.",
    )
    faults = sorted(quality.faults.items(), key=lambda pair: -pair[1])
    likely = listed(f"{fault} ({percent(odds)})" for fault, odds in faults if odds >= LIKELY)
    low, own, high = (
        _FIFTHS[min(len(_FIFTHS) - 1, len(_FIFTHS) * below // count)]
        for below in (placement.low, placement.below, placement.high)
    )
    rows: list[HtmlRow] = [[fault, f"{odds:.2f}"] for fault, odds in faults]
    figures = markup.note(
        f"{model} gives it {minus(f'{score:.2f}')}, with a standard error of {error:.1f}. The scale runs from about 0 "
        "(worst) to 100. It was learnt from people's ratings of kinds of damage and from full-reference measures."
    )
    table = markup.table(
        ["Damage", "Probability"], rows, "Each kind by itself; the sum need not be 1", "Kinds of damage", "qb-figures"
    )
    return markup.join(
        markup.number(
            own.capitalize(),
            f"{f'likely {likely}' if likely else 'no likely damage found'}; {_certainty(low, own, high)}",
        ),
        strip,
        markup.note(
            f"The photo scores higher than {placement.below} of {count} {placement.title} ({placement.low} to "
            f"{placement.high} within one standard error). Most of those were damaged on purpose. The label, "
            "from bad to excellent, says in which fifth of these the photo is."
        ),
        markup.folded("Score and every kind of damage", markup.join(figures, table)),
    )


def _certainty(low: str, own: str, high: str) -> str:
    """How sure a word is, by the words a standard error lower and higher."""
    if low == high:
        return "high certainty"
    others = [word for word in dict.fromkeys((low, high)) if word != own]
    return (
        f"low certainty: {f'“{others[0]}” is also possible' if len(others) == 1 else f'anything from {low} to {high}'}"
    )


def _attributes(result: ProbeResult) -> Html:
    """What is measured, and beside it what the model sees where it can be asked that."""
    answers: Mapping[PhotoQuestion, QuestionAnswer] = {answer.question: answer for answer in result.answers}
    rows: list[HtmlRow] = []
    for meter in result.meters:
        answer = answers.get(ATTRIBUTE_QUESTIONS[meter.attribute])
        view = _choice(answer) if answer else ("–", "")
        if not answer and (caption := result.captions.get(meter.attribute)):
            nearer, share, other = caption.nearer  # of opposite captions: no answer to a question
            view = f"nearer to “{nearer}”", f"{share:.2f}, against “{other}”"
        rows.append(
            [
                meter.attribute.capitalize(),
                markup.HtmlCell(f"{meter.value:.1f}", _UNITS[meter.attribute], "wrap"),
                f"{meter.above} of {meter.of} examples",
                markup.HtmlCell(*view, "wrap"),
            ]
        )
    headers = ["", "Measured", "Higher than", result.model]
    said = (
        f"For this table the photo was first scaled to {LONGEST_SIDE} pixels on its long side, so the same measure "
        "may differ from the score above."
    )
    if result.answers or result.captions:
        said += " Last column: the model's answer."
    else:
        headers, rows = headers[:-1], [row[:-1] for row in rows]
    asked = [answers[question] for question in ATTRIBUTE_QUESTIONS.values() if question in answers]
    more = markup.folded("Every option", markup.join(*map(_options, asked))) if asked else markup.NOTHING
    return markup.join(markup.heading("Attributes"), markup.table(headers, rows, said, "Attributes"), more)


def _choice(answer: QuestionAnswer) -> tuple[str, str]:
    """What was chosen, and its probability or the orders that chose it."""
    if answer.doubt:
        return "can’t tell", ""
    if answer.chosen is None:
        return f"no answer: {answer.reason}", ""
    if not answer.weighed:
        return answer.chosen, f"in {answer.votes} of {len(answer.orders)} orders"
    return answer.chosen, f"{max(answer.probabilities):.2f}"


def _options(answer: QuestionAnswer) -> Html:
    """A question with a bar for each option; what it wrote, where it reports no probabilities."""
    said = answer.doubt and f"{answer.doubt}."
    if answer.weighed:
        bars = _BARS(bars=[_bar(answer, place) for place in range(len(answer.question.options))])
        return markup.join(_QUESTION(answer.question.text), markup.note(said), bars)
    if answer.chosen is None:
        said = said or answer.text or f"no answer: {answer.reason}"
    in_orders = f"{answer.chosen}, in {answer.votes} of {len(answer.orders)} orders of the options"
    return markup.join(_QUESTION(answer.question.text), markup.note(said or in_orders))


def _bar(answer: QuestionAnswer, place: int) -> Mapping[str, object]:
    """An option with its mean probability and the spread, which the pointer explains."""
    option, share = answer.question.options[place], answer.probabilities[place]
    low, high, count = answer.low[place], answer.high[place], len(answer.orders)
    spread, orders = f"{low:.2f} to {high:.2f}", "both orders" if count == 2 else f"{count} orders"
    return {
        "option": option,
        "chosen": option == answer.chosen,
        "share": f"{share:.2f}",
        "spread": spread,
        "ends": f"--share:{share:.4f};--low:{low:.4f};--high:{high:.4f}",
        "hint": f"{spread} in {orders} of the options; a model without a position habit gives the same in all",
    }


def level_strip(degradation: Degradation, label: str) -> Html:
    """The photo at every level, each a link to its file."""
    levels = [
        (markup.file_address(picture.path), f"level {level}" if level else "untouched")
        for level, picture in zip((0, *LEVELS), degradation.pictures, strict=True)
    ]
    return markup.page(_STRIP(levels=levels, label=label))


def curve_sentences(curves: Sequence[ScoreCurve], label: str) -> str:
    """Which models notice, in a sentence each."""
    return " ".join(_noticed(curve, label.lower()) for curve in curves)


def _noticed(curve: ScoreCurve, label: str) -> str:
    known = [score for score in curve.scores if score is not None]
    if len(known) < len(curve.scores):
        return f"{curve.model} has no score for every level: {curve.reason}."
    change = "falls" if known[-1] < known[0] else "rises" if known[-1] > known[0] else "stays"
    steps = "every step" if curve.falls == len(LEVELS) else f"{curve.falls} of {len(LEVELS)} steps"
    ends = minus(f"{known[0]:.3g} to {known[-1]:.3g}")
    return f"{curve.model}’s score {change} from {ends} with {label}; it goes down at {steps}."


def curve_table(curves: Sequence[ScoreCurve]) -> Html:
    """The figures behind the curves."""
    rows: list[HtmlRow] = [
        [curve.model, *("–" if score is None else minus(f"{score:.4f}") for score in curve.scores)] for curve in curves
    ]
    headers = ["", "Untouched", *(f"Level {level}" for level in LEVELS)]
    caption = f"Scores of {listed(curve.model for curve in curves)}"
    return markup.figures_below(headers, rows, caption, "Scores")
