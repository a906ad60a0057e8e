"""What a probe found, as HTML: figures first, and what they were made from one click away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from leaderboard import markup
from leaderboard.live.degrade import Curve
from leaderboard.live.probe import Probed, Quality
from leaderboard.live.questions import VIEWS, Answer, Question
from leaderboard.markup import Row
from leaderboard.words import listed, minus
from qbench.distortions import LEVELS
from qbench.images import load_pixels
from qbench.records import Picture

EMPTY = (
    "Choose a photo: its quality score, answers about how it looks and a description will appear here, with the "
    "numbers behind each."
)
INTRODUCTION = "What does a model see in one photo? It gets the file exactly as you uploaded it."
_UNITS = {"brightness": "of 255", "colourfulness": "", "contrast": "of 127.5", "sharpness": ""}


def photo_facts(picture: Picture) -> str:
    """The file as it is, and a link to it at its own size."""
    pixels, size = load_pixels(picture), Path(picture.path).stat().st_size
    return markup.page(
        f'<p class="qb-note">{pixels.width} × {pixels.height} pixels, {size / 1000:,.0f} kB, '
        f'SHA-256 <code title="{picture.sha256}">{picture.sha256[:12]}</code>. '
        f'<a href="{markup.file_address(picture.path)}" target="_blank" rel="noopener">Open at full size</a></p>'
    )


def about(content: str, **subject: str | None) -> str:
    """Content that says which photo, and which model, it is about, so that the page shows it beside no other."""
    said = "".join(f' data-{what}="{escape(name or "")}"' for what, name in subject.items())
    return f"<div{said}>{content}</div>"


def found(probed: Probed, status: str = "") -> str:
    """Everything that is known so far; `status` says what is going on."""
    parts = [markup.paragraph(status, "qb-note")]
    if probed.quality:
        parts.append(_quality(probed.quality, probed.model))
    if probed.meters:
        parts.append(_attributes(probed))
    more = [one for one in probed.answers if one.question not in VIEWS.values()]
    if more:
        parts.append(markup.heading("Questions") + "".join(map(_options, more)))
    if probed.described:
        text = probed.described.text or f"No description: {probed.described.reason}."
        parts.append(markup.heading("Description") + f'<blockquote class="qb-said">{escape(text)}</blockquote>')
    return markup.page(*parts)


def _quality(quality: Quality, model: str) -> str:
    head = markup.heading("Quality")
    if quality.value is None:
        return head + markup.paragraph(f"No score: {quality.reason}.", "qb-finding")
    if quality.mode != "words":
        scale = "from 1 to 5, as it wrote" if quality.mode == "rating" else "on its own scale, higher is better"
        return head + _number(minus(f"{quality.value:.4f}"), f"{model}, {scale}")
    first = quality.pairs[0]
    good, bad = first.words.split("/")
    side = "leads" if first.difference >= 0 else "trails"
    said = f"“{good}” {side} “{bad}” by {abs(first.difference):.3f} logits"
    rows: list[Row] = [
        [one.words, minus(f"{one.difference:+.3f}"), f"{one.score:.4f}", f"{one.as_printed:.4f}"]
        for one in quality.pairs
    ]
    logits: list[Row] = [[word, minus(f"{value:.3f}")] for word, value in (quality.logits or {}).items()]
    pairs = markup.table(
        ["Words", "Good less bad", "Score", "Eq. 1 as printed"],
        rows,
        "Scores by each pair and ensemble of words; published figures divide logits by 100 first",
        "Word pairs",
        "qb-figures",
    )
    words = markup.table(["Word", "Logit"], logits, "Logits at the answer’s first word", "Logits", "qb-figures")
    return (
        head
        + _number(f"{quality.value:.4f}", f"of 1, by {model}: {said}")
        + markup.folded("Words and logits", pairs + words)
    )


def _number(figure: str, beside: str) -> str:
    return f'<p class="qb-number"><strong>{figure}</strong> <span>{escape(beside)}</span></p>'


def _attributes(probed: Probed) -> str:
    answers: Mapping[Question, Answer] = {one.question: one for one in probed.answers}
    rows: list[Row] = []
    for meter in probed.meters:
        answer = answers.get(VIEWS[meter.attribute])
        caption = probed.captions.get(meter.attribute)
        view = _said(answer) if answer else (f"“{caption[0]}”", f"{caption[1]:.2f}") if caption else ("–", "")
        rows.append(
            [
                meter.attribute.capitalize(),
                markup.Cell(f"{meter.value:.1f}", _UNITS[meter.attribute], "wrap"),
                f"{meter.above} of {meter.of}",
                markup.Cell(*view, "wrap"),
            ]
        )
    headers = ["", "Measured", "Above examples", probed.model]
    caption_text = "As measured, more than how many of the example photos, and as the model sees it"
    looked_at = [answers[question] for question in VIEWS.values() if question in answers]
    more = markup.folded("Every option", "".join(map(_options, looked_at))) if looked_at else ""
    return markup.heading("Attributes") + markup.table(headers, rows, caption_text, "Attributes") + more


def _said(answer: Answer) -> tuple[str, str]:
    """What was chosen, and its probability."""
    if answer.chosen is None:
        return f"no answer: {answer.reason}", ""
    return answer.chosen, f"{max(answer.probabilities):.2f}" if answer.probabilities else ""


def _options(answer: Answer) -> str:
    """A question with a bar for each option; what it wrote, where it was not weighed."""
    head = f'<p class="qb-asked">{escape(answer.question.text)}</p>'
    if not answer.probabilities:
        said = answer.text or f"no answer: {answer.reason}"
        return head + markup.paragraph(said, "qb-note")
    bars = "".join(
        f"<li{' class=chosen' if option == answer.chosen else ''}><span>{escape(option)}</span>"
        f'<i style="--share:{share:.4f}"></i><b>{share:.2f}</b></li>'
        for option, share in zip(answer.question.options, answer.probabilities, strict=True)
    )
    return f'{head}<ul class="qb-options">{bars}</ul>'


def strip(pictures: Sequence[Picture], label: str) -> str:
    """The photo at every level, each a link to its file."""
    shown = []
    for level, picture in zip((0, *LEVELS), pictures, strict=True):
        name = "untouched" if level == 0 else f"level {level}"
        address = markup.file_address(picture.path)
        shown.append(
            f'<a href="{address}" target="_blank" rel="noopener"><img src="{address}" alt="{escape(label)}, {name}">'
            f"<span>{name}</span></a>"
        )
    return markup.page(f'<div class="qb-strip">{"".join(shown)}</div>')


def noticed(curves: Sequence[Curve], label: str) -> str:
    """Which models notice, in a sentence each."""
    return " ".join(_noticed(one, label.lower()) for one in curves)


def _noticed(curve: Curve, label: str) -> str:
    known = [score for score in curve.scores if score is not None]
    if len(known) < len(curve.scores):
        return f"{curve.model} has no score for every level: {curve.reason}."
    change = "falls" if known[-1] < known[0] else "rises" if known[-1] > known[0] else "stays"
    steps = "every step" if curve.falls == len(LEVELS) else f"{curve.falls} of {len(LEVELS)} steps"
    ends = minus(f"{known[0]:.4f} to {known[-1]:.4f}")
    return f"{curve.model}’s score {change} from {ends} with {label}; it goes down at {steps}."


def curve_table(curves: Sequence[Curve]) -> str:
    """The figures behind the curves."""
    rows: list[Row] = [
        [one.model, *("–" if score is None else f"{score:.4f}" for score in one.scores)] for one in curves
    ]
    headers = ["", "Untouched", *(f"Level {level}" for level in LEVELS)]
    return markup.folded(
        "Table", markup.table(headers, rows, f"Scores of {listed(one.model for one in curves)}", "Scores", "qb-figures")
    )
