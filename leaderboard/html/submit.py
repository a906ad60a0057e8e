"""What the Submit page says: problems first, what the results cover, the row in its neighbourhood; and receipts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leaderboard.html import markup
from leaderboard.html.markup import Html, template
from leaderboard.store import Receipt
from leaderboard.store.submission import Entry
from leaderboard.submissions.form import FormError
from leaderboard.submissions.preview import Placing
from leaderboard.submissions.private import is_private
from leaderboard.submissions.receipts import ReceiptState, ReceiptView
from leaderboard.submissions.report import Report, UploadProblem
from leaderboard.submissions.same_name import SameName
from leaderboard.submissions.service import CheckedUpload, receipt_link
from leaderboard.tables.models import FindModel
from leaderboard.tables.unranked import Partial
from leaderboard.tables.words import (
    begin,
    count,
    dataset_title,
    figure_with_unit,
    interval,
    listed,
    named_metric,
    percent,
)
from qbench.errors import UserError
from qbench.formats.reading import FormatDescription
from qbench.models.catalogue import suggest

MOST_SHOWN = 10
MOST_NAMED = 6
TITLE = "Bring results of your own"
INTRODUCTION = (
    "Drop the file that your evaluation wrote. The page recognises and checks it, and scores it if this server has the "
    "human scores or the right answers. Nothing is stored before you submit."
)
PRIVATE_NOTE = "The right answers are private, so you see the figures on the board only after you hand the file in."
HEADINGS: dict[ReceiptState, str] = {
    "waiting": "Waiting for review",
    "on the board": "On the board",
    "declined": "Declined",
    "withdrawn": "Withdrawn",
    "corrected": "Corrected",
}
_LINK_TO_IT = """
<p class="qb-note">The link to this receipt: <a href="{{ address }}">{{ name[:12] }}…</a>
<button type="button" class="qb-button" data-copy-link="{{ address }}">Copy link</button></p>
"""
_LINK = template(_LINK_TO_IT, "address", "name")
_CODE = template("""
<p class="qb-finding">Your code: <code class="qb-code">{{ code }}</code>
<button type="button" class="qb-button" data-copy="{{ code }}">Copy code</button></p>
<p class="qb-note">Keep this code: you see it only once. With it you can correct or withdraw this submission
{%- if account %} without your account{% endif %}.</p>
""")


def where_kept(dataset: str | None, refuses: str) -> Html:
    """Where what is handed in is kept, or why nothing is taken."""
    if refuses:
        return markup.sentence(f"{begin(refuses)}.")
    where = f"in the dataset {dataset} on the Hub" if dataset else "on the disk of this server"
    return markup.sentence(f"What you submit is kept {where}.", "qb-note")


def report(made: Report) -> Html:
    """What is wrong, or what was recognised and how much it covers."""
    if made.problems:
        what = count(len(made.problems), "file") if len(made.problems) > 1 else "this"
        return markup.page(markup.heading(f"Please correct {what}"), *map(_problem, made.problems[:MOST_SHOWN]))
    if not made.results:
        return markup.page(markup.heading("Nothing was found"), markup.paragraph("The file holds no results."))
    rows: list[markup.HtmlRow] = []
    for part in made.coverage:
        every = part.scored + part.missing
        missing = f"{part.missing:,}" if part.missing or not part.part else "–"
        covered = part.part if part.part and not part.missing else percent(part.scored / every) if every else "–"
        rows.append([dataset_title(part.dataset), f"{part.scored:,}", missing, covered])
    partial = [dataset_title(part.dataset) for part in made.coverage if part.part]
    in_part = f"This is a part of {listed(dict.fromkeys(partial))}. The boards rank only complete results."
    return markup.page(
        markup.heading(f"Recognised: {listed(made.kinds)}"),
        *map(markup.note, made.remarks),
        markup.note(in_part if partial else ""),
        markup.note(PRIVATE_NOTE if made.private else ""),
        markup.table(["Dataset", "Scored", "Missing", "Coverage"], rows, "What the results cover"),
    )


def preview(checked: CheckedUpload) -> Html:
    """The new row among its neighbours, on every board that takes it; and what is listed under the others."""
    made = checked.report
    if not made.accepted or made.private:
        return markup.NOTHING
    rows: list[markup.HtmlRow] = [
        [listing.board.title, listing.covers, markup.HtmlCell(_figures(listing), weight="wrap")]
        for listing in checked.listings
    ]
    nowhere = "No board has a column for these results; they would be stored without a rank."
    return markup.page(
        markup.heading("On the boards"),
        *(_placing(placing, checked.taken) for placing in checked.placings),
        markup.table(["Board", "Covers", "Figures"], rows, "Listed under the board, not ranked"),
        markup.finding("" if checked.placings or rows else nowhere),
    )


def same_name(taken: str) -> str:
    """What is asked where other results stand under the name of the model; empty where none do."""
    return f"“{taken}” has results on this dataset already. Yours are" if taken else ""


def naming(name: str, find: FindModel) -> str:
    """Whether a name is known, and by which near names a known model may be meant."""
    if find(name):
        return ""
    near = suggest(name)
    return f"“{name}” is a new model here." + (f" Known models with similar names: {listed(near)}." if near else "")


def formats(descriptions: Iterable[FormatDescription], examples: str) -> str:
    """The kinds of files that are read, as a table in Markdown that links to an example of each in a folder."""

    def linked(name: str) -> str:
        return f"[{name}]({markup.file_address(f'{examples}/{name}')})"

    rows = [
        f"| {kind.what} | {kind.recognised_by} | {', '.join(map(linked, kind.examples))} |" for kind in descriptions
    ]
    return "\n".join(["| What you have | How it is recognised | Example |", "|---|---|---|", *rows])


def not_handed_in(fault: UserError) -> Html:
    """Why a submission was not taken: all that is wrong with the form, or one sentence."""
    return markup.join(markup.page(markup.heading("Not handed in")), refusal(fault))


def refusal(fault: UserError) -> Html:
    """All that is wrong with a form, or one sentence."""
    problems = fault.by_field.values() if isinstance(fault, FormError) else (str(fault),)
    return markup.page(*(markup.finding(f"{begin(text)}.") for text in problems))


def waiting(pending: Sequence[Entry]) -> Html:
    """How many submissions wait for review. Their names and texts are shown once the owner has seen them."""
    waits = count(len(pending), "submission waits", "submissions wait")
    return markup.sentence(f"{waits} for review, without a rank, and not shown yet" if pending else "", "qb-note")


def _problem(problem: UploadProblem) -> Html:
    places = problem.places[:MOST_SHOWN]
    rows: list[markup.HtmlRow] = [
        [f"{number}", markup.HtmlCell(place, weight="wrap")] for number, place in enumerate(places, 1)
    ]
    more = problem.more + len(problem.places) - len(places)
    caption = f"The first {len(rows)}; {more:,} more like these" if more else f"{count(len(rows), 'record')}"
    return markup.join(
        markup.finding(f"{problem.file}: {problem.sentence}"),
        markup.table(["No.", "What is wrong"], rows, caption),
        markup.note(f"Expected fields: {problem.expected}" if problem.expected else ""),
        markup.paragraph(f"For example: {problem.example}" if problem.example else "", "qb-note qb-example"),
    )


def _figures(listing: Partial) -> str:
    """Every figure with the name of its column."""
    columns = [column for column in listing.board.columns if column.key in listing.figures]
    return "; ".join(
        f"{listing.board.column_name(column)} {figure_with_unit(listing.figures[column.key], column.metric)}"
        for column in columns
    )


def _placing(placing: Placing, taken: str) -> Html:
    metric, place = placing.column.metric, f"{placing.rank} of {placing.models}"
    shown = ", ".join(dict.fromkeys((placing.column.label, named_metric(metric))))
    own: markup.HtmlRow = [
        markup.HtmlCell("your results", weight="strong"),
        f"({place})" if placing.unranked else place,
        "–" if placing.best is None else f"{placing.best}–{placing.worst}",
        figure_with_unit(placing.value, metric),
        interval(placing.low, placing.high, metric),
    ]
    above, below = (
        [[model.name, f"{rank}", "", figure_with_unit(model.value, metric), ""]] if model else []
        for model, rank in ((placing.above, placing.rank - 1), (placing.below, placing.rank + 1))
    )
    head = ["Model", "Place", "Ranks it can claim", shown, "95 % interval"]
    return markup.join(
        markup.table(head, [*above, own, *below], placing.board.title),
        markup.note(_alike(placing)),
        markup.note(f"No rank on the board as a whole: {placing.unranked}." if placing.unranked else ""),
        _same_name(placing, taken),
    )


def _same_name(placing: Placing, taken: str) -> Html:
    """Both figures of every column in which the board has one under the same name."""
    rows: list[markup.HtmlRow] = [
        [
            placing.board.column_name(known.column),
            figure_with_unit(known.on_board, known.column.metric),
            _given_by(known),
            figure_with_unit(known.yours, known.column.metric),
            "the board’s stays; yours is listed with it" if known.stays else "yours",
        ]
        for known in placing.same_name[:MOST_SHOWN]
    ]
    more = len(placing.same_name) - len(rows)
    rest = markup.note(f"And {count(more, 'column')} more." if more else "")
    head = ["Column", "On the board", "From", "Yours", "Shown then"]
    return markup.join(markup.table(head, rows, f"{taken} is on this board already"), rest)


def _given_by(known: SameName) -> str:
    source, entry = known.record.result.source, known.record.entry
    if entry is not None:
        return f"handed in by {entry.submission.identity or 'an anonymous author'}"
    return {"paper": source.cited or "the paper", "live": "a run here"}.get(source.kind, source.cited)


def _alike(placing: Placing) -> str:
    if placing.alike:
        return f"Cannot be told apart from {listed((model.name for model in placing.alike), MOST_NAMED)}."
    if placing.untested == placing.models - 1:
        return "The other figures have no intervals or counts, so nobody can say which of them differ."
    return "Clearly different from every model whose figure has an interval or a count."


def handed_in(receipt: Receipt, base: str | None) -> Html:
    """What became of a submission the moment it was handed in, for its author; links start at `base`."""
    entry = receipt.entry
    if receipt.duplicate:
        head, said = "Already here", "The same results are here already; nothing was added."
    elif entry.status == "pending":
        head = "Handed in"
        said = f"It waits for the owner of the board, because {_why_it_waits(entry)}."
    else:
        head, said = "On the board", "Reload the Leaderboard to see the row; its source names this submission."
    sent = "It is stored here, and goes to the Hub as soon as the Hub answers." if receipt.queued else ""
    code = _CODE(code=receipt.code, account=entry.submission.identity) if receipt.code else markup.NOTHING
    return markup.page(
        markup.heading(head),
        markup.finding(said),
        markup.note(sent),
        code,
        _LINK(receipt_link(entry.digest, base), entry.digest),
    )


def became(view: ReceiptView, base: str | None) -> Html:
    """What became of a submission, for whoever has the link."""
    why = f": {view.reason.rstrip('.')}." if view.reason else " and gave no reason."
    said = {
        "waiting": "It waits for the owner of the board.",
        "on the board": "The owner accepted it, or it needed no review.",
        "declined": f"The owner of the board declined it{why}",
        "withdrawn": "Its author withdrew it.",
        "corrected": "Its author handed in a correction, which takes its place.",
    }[view.state]
    return markup.page(
        markup.heading(HEADINGS[view.state]),
        markup.finding(f"Handed in on {view.day}. {said}"),
        _LINK(receipt_link(view.digest, base), view.digest),
    )


def not_found(reason: str) -> Html:
    """Why there is no receipt."""
    return markup.page(markup.heading("No receipt"), markup.finding(f"{begin(reason)}."))


def correcting(entry: Entry) -> Html:
    """What the form is for, once its author asked to correct a submission."""
    return markup.sentence(
        f"This corrects the submission of {entry.submission.submitted_at[:10]}. Drop the corrected file; the form "
        "already has what you wrote about the model."
    )


def _why_it_waits(entry: Entry) -> str:
    if entry.submission.identity is None:
        return "it came without an account"
    if entry.submission.relation == "correction" or entry.submission.supersedes:
        return "it corrects figures that are not yours"
    if any(result.source.kind == "self-reported" for result in entry.submission.results):
        return "its figures were computed elsewhere; hand in the model's answers if you want them scored here"
    if any(map(is_private, entry.submission.results)):
        return "this month's limit of results on these private answers is reached"
    return "it would replace results that somebody else handed in under this name"
