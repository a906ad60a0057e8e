"""What a visitor wants to see run, read and written, and what can be chosen about it; where the result stands on its
board, and where it departs from people, by hand."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from leaderboard.charts.comparison import draw
from leaderboard.html.run import in_words
from leaderboard.live.run import (
    BoardPosition,
    FinishedRun,
    Missing,
    find_missing,
    find_worst,
    position_on_boards,
    run_job,
)
from leaderboard.live.run_files import RunRecords
from leaderboard.live.run_request import (
    RunRequest,
    feasible_tasks,
    find_choices,
    read_options,
    read_request,
    with_choices,
)
from leaderboard.live.service.limits import Work
from qbench.__main__ import main
from qbench.commands.evaluate import make_plan, resolve
from qbench.datasets import Dataset, open_dataset
from qbench.datasets.known import find_dataset
from qbench.errors import UserError
from qbench.models import open_model
from qbench.records import Estimate, Presented, Result, Sample, Score, Source, Want
from qbench.tasks import TASKS, Outcome, RunOptions
from qbench.tasks.perception import shuffle_options
from tests.leaderboard.published import published

pytestmark = pytest.mark.usefixtures("demo_data")

Figures = Mapping[str, float]


def assessed(**options: Any) -> tuple[RunRequest, Figures]:
    """Of quality by hand see `test_every_protocol_of_assessment_by_hand`."""
    return RunRequest("assessment", "demo-assessment", 12, "scripted", options=RunOptions(**options)), {}


def asked(**options: Any) -> tuple[RunRequest, Figures]:
    """Questions put to a yes-sayer, which is right where the answer is Yes and nowhere else, however it is asked."""
    request = RunRequest("perception", "demo-perception", 12, "scripted:yes", options=RunOptions(**options))
    return request, {"yes_accuracy": 1.0, "no_accuracy": 0.0, "debiased_accuracy": 0.5}


def compared(
    habit: str, figures: Figures, dataset: str = "demo-comparison", **options: Any
) -> tuple[RunRequest, Figures]:
    """Pairs of eight pictures, of which the scripted model always names the first or the second."""
    return RunRequest("comparison", dataset, 8, f"scripted:{habit}", options=RunOptions(**options)), figures


FIRST = {"first_rate": 1.0, "second_rate": 0.0, "consistency": 0.0, "accuracy_joint": 0.0}
SECOND = {"first_rate": 0.0, "second_rate": 1.0, "consistency": 0.0, "accuracy_joint": 0.0}
WORKED = (
    assessed(mode="levels", prefill="It's"),
    assessed(mode="levels", style="q-realign"),
    assessed(words="good+fine/poor+bad"),
    assessed(prefill="It is"),
    assessed(mode="rating"),
    assessed(mode="rating", style="q-insight"),
    *(asked(mode=mode) for mode in ("free", "letter", "close-set", "letter-logits")),
    asked(seed=3, style="llava"),
    compared("first", FIRST, rounds=1, seed=5),
    compared("first", FIRST, "demo-comparison-levels", rounds=2, rule="coarse", style="code"),
    compared("second", SECOND, rounds=3, mode="letter-logits"),
    compared("second", {"first_rate": 0.0, "second_rate": 1.0}, rounds=2, schedule="active"),
    compared("noise=0.5", {}, "demo-comparison-levels", rounds=2, schedule="active", rule="coarse"),
    # The judge gives every description, each of five times, mark 1, and every reply the mark of a right one.
    (
        RunRequest("description", "demo-description", 4, "scripted", "scripted"),
        {"completeness": 1.0, "precision": 1.0, "relevance": 1.0, "sum": 3.0},
    ),
    (RunRequest("perception", "demo-perception", 8, "scripted:silent", "scripted"), {"accuracy": 1.0}),
    (
        RunRequest("perception", "demo-perception", 8, "scripted", "scripted:silent", RunOptions(seed=3, unread=True)),
        {},
    ),
)
REQUESTS = tuple(request for request, _ in WORKED)


@pytest.mark.parametrize(("request_", "figures"), WORKED, ids=[request.command()[21:90] for request in REQUESTS])
def test_the_command_shown_gives_the_same_record_with_figures_by_hand(
    request_: RunRequest, figures: Figures, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = run_job(request_, lambda name, _: open_model(name), tmp_path / "page")(Work(), lambda **_: None)
    python, _, qbench, *arguments = shlex.split(request_.command())
    assert (python, qbench) == ("python", "qbench")
    assert main([*arguments, "--out", str(tmp_path / "command"), "--json"]) == 0
    theirs = json.loads(capsys.readouterr().out)
    assert [result.to_json() for result in ours.records.results.values()] == theirs
    written = {path.name for path in (tmp_path / "command").glob("*.json")}
    assert set(ours.records.results) == written  # named by how it was asked, so the same run is found again
    [record] = theirs
    assert {name: record["metrics"][name]["value"] for name in figures} == pytest.approx(figures)
    if request_.options.rounds == 1:  # four pairs of eight pictures, in both orders
        assert len(ours.records.raw.read_text(encoding="utf-8").splitlines()) == 8


def test_every_choice_is_among_those_worked_out_and_read_as_it_is_written() -> None:
    usual = asdict(RunOptions())
    chosen = {name for request in REQUESTS for name, value in asdict(request.options).items() if value != usual[name]}
    assert chosen == set(usual)
    assert {request.options.mode for request in REQUESTS} >= {*TASKS["perception"].modes, "levels", "rating"}
    for request in (*REQUESTS, replace(REQUESTS[0], allow_missing=True)):
        assert read_request(json.loads(json.dumps(request.to_json()))) == request


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "an object with task"),
        ({"task": "x\ny"}, "task is a line"),
        ({"model": "x" * 201}, "model is a line"),
        ({"limit": "20"}, "limit is a whole number"),
        ({"limit": True}, "limit is a whole number"),
        ({"limit": 2**31 + 1}, "limit is a whole number up to 2,147,483,648, which 2147483649 is not"),
        ({"options": {"out": "/etc"}}, "'out' is no choice of a run"),
        ({"options": {"rounds": 1001}}, "1,001 rounds are too many"),
        ({"options": {"seed": 0.5}}, "seed is a whole number"),
        ({"options": {"unread": "yes"}}, "unread is true or false"),
        ({"options": {"words": ["a"]}}, "words is a line"),
    ],
)
def test_what_is_no_request_is_one_sentence(data: object, said: str) -> None:
    with pytest.raises(UserError, match=said):
        read_request(data)


def test_choices_of_a_script_are_json() -> None:
    plain = RunRequest("assessment", "mine", model="m")
    assert with_choices(plain, "") == plain
    chosen = with_choices(plain, '{"mode": "levels", "pairing": "coarse"}')
    assert chosen == replace(plain, options=RunOptions(mode="levels", rule="coarse"))
    assert chosen.command().endswith("--model m --mode levels --pairing coarse")
    assert read_request({"options": []}) == RunRequest("", "")
    assert read_options({"seed": 3.0, "style": ""}) == RunOptions(seed=3)
    longest = {"model": "x" * 200, "limit": 2**31, "options": {"rounds": 1000}}
    assert read_request(longest) == RunRequest("", "", 2**31, "x" * 200, options=RunOptions(rounds=1000))
    for broken in ("{", "[" * 100_000, "3"):
        with pytest.raises(UserError, match="such as"):
            with_choices(plain, broken)


MODELS: dict[str, frozenset[Want]] = {
    "writes and weighs": frozenset({"text", "words", "losses"}),
    "writes": frozenset({"text"}),
    "scores": frozenset({"score"}),
    "encodes": frozenset({"words", "embedding"}),
    "writes and embeds": frozenset({"text", "words", "losses", "embedding"}),
}


@pytest.fixture(scope="module")
def datasets(demo_data: None) -> dict[str, Dataset]:
    return {task: open_dataset(f"demo-{task}", limit=6) for task in TASKS}


def begin(dataset: Dataset, task: str, wants: frozenset[Want], options: RunOptions, *, judged: bool = False) -> None:
    never_asked: Any = SimpleNamespace(name="only", batch_size=1, wants=wants, identity={})
    assert next(make_plan(task, dataset.samples, never_asked, resolve(options, dataset), judged=judged))


def every_choice(task: str, wants: frozenset[Want]) -> Iterator[tuple[RunOptions, bool]]:
    """Each mode with each of its wordings, and with and without a judge and words of one's own."""
    facts = open_dataset(f"demo-{task}", limit=6).facts
    for mode in (None, *find_choices(TASKS[task], wants, facts).modes):
        choices = find_choices(TASKS[task], wants, facts, mode)
        for style in (None, *choices.styles):
            yield RunOptions(mode=mode, style=style), False
        if choices.judged:
            yield RunOptions(mode=mode), True
        if "words" in choices.others:
            yield RunOptions(mode=mode, words="high/low"), False
        if "prefill" in choices.others:
            yield RunOptions(mode=mode, prefill="It is"), False
        for rule in choices.rules:
            yield RunOptions(mode=mode, rule=rule), False


def test_a_judge_reads_what_is_written_and_no_letters_that_are_weighed() -> None:
    perception, wants = TASKS["perception"], MODELS["writes and weighs"]
    assert "unread" in find_choices(perception, wants, mode="free").others
    assert "unread" not in find_choices(perception, wants, mode="letter-logits").others


def test_of_a_model_that_nobody_has_opened_yet_everything_is_offered() -> None:
    assert feasible_tasks(None, TASKS) == [*TASKS]
    assert find_choices(TASKS["assessment"], None).modes == (*TASKS["assessment"].modes,)


@pytest.mark.parametrize("model", MODELS)
def test_every_combination_that_is_offered_begins_and_no_other(datasets: dict[str, Dataset], model: str) -> None:
    wants = MODELS[model]
    offered = feasible_tasks(wants, TASKS)
    assert offered
    for task in set(TASKS) - set(offered):
        with pytest.raises(UserError):
            begin(datasets[task], task, wants, RunOptions())
    for task in offered:
        for options, judged in every_choice(task, wants):
            begin(datasets[task], task, wants, options, judged=judged)
        choices = find_choices(TASKS[task], wants)
        for mode in set(TASKS[task].modes) - set(choices.modes):
            if len(TASKS[task].modes) > 1 and choices.modes:
                with pytest.raises(UserError):
                    begin(datasets[task], task, wants, RunOptions(mode=mode))
        for name in {"words", "prefill"} & TASKS[task].options - choices.others:
            with pytest.raises(UserError):
                begin(datasets[task], task, wants, RunOptions(**{name: "good/poor"}))


ACCURACY = Estimate(0.7, 0.68, 0.72, n=1495, method="wilson")


def placed(name: str = "llvisionqa-dev", limit: int | None = None) -> FinishedRun:
    groups = {
        grouping: {group: {"accuracy": ACCURACY} for group in members}
        for grouping, members in (
            ("question_type", ("yes-or-no", "what", "how")),
            ("concern", ("distortion", "other", "in-context-distortion", "in-context-other")),
        )
    }
    metrics = {"accuracy": ACCURACY}
    result = Result("perception", name, "mine", metrics, Source("live"), split="dev", groups=groups, raw="0" * 64)
    records = RunRecords(Path("runs"), {"one.json": result})
    return FinishedRun(records, Dataset(name, (), "1" * 64, "dev", find_dataset(name), limit), None, cached=False)


def test_a_result_stands_among_the_models_of_its_board() -> None:
    position = position_on_boards(placed(), published())
    assert isinstance(position, BoardPosition)
    (placing,) = position.placings
    assert (placing.board.key, placing.rank) == ("perception-dev", 31)
    names = [model.id for model in position.profile.models]
    assert names[0] == "mine"
    assert len(names) > 2
    assert {figure.value for figure in position.profile.figures["mine"].values()} == {0.7}
    assert draw(position.profile, above_chance=True).text.startswith("Radar chart of mine, QualiRAG")


def test_demo_sets_parts_and_strangers_are_compared_with_nobody() -> None:
    assert position_on_boards(placed("demo-perception"), published()) == "demo set"
    assert position_on_boards(placed(limit=50), published()) == "part of a dataset"
    assert position_on_boards(placed("hpdv2-9-way"), published()) == "no column"


HUMAN = {"a": 90.0, "b": 70.0, "c": 50.0, "d": 10.0}
RATED = tuple(Sample(name, (f"{name}.png",), human=human) for name, human in HUMAN.items())


def dataset(*samples: Sample, name: str = "koniq-10k") -> Dataset:
    return Dataset(name, samples, "0" * 64, facts=find_dataset(name))


def quality(given: dict[str, float]) -> Outcome:
    return Outcome(scores={"quality": [Score(name, value, truth=HUMAN[name]) for name, value in given.items()]})


def test_pictures_far_from_their_place_come_first() -> None:
    given = {"a": 0.9, "b": 0.1, "c": 0.5, "d": 0.8}  # b falls from second to fourth, d rises from fourth to second
    found = find_worst(quality(given), "assessment", dataset(*RATED))
    assert [(disagreement.images, in_words(disagreement), disagreement.gap) for disagreement in found] == [
        (("b.png",), "Of the 4 pictures, the model puts this one 4th (1st is the best). By people it is 2nd.", 0.5),
        (("d.png",), "Of the 4 pictures, the model puts this one 2nd (1st is the best). By people it is 4th.", 0.5),
    ]


def test_the_widest_gap_and_the_commonest_reason_come_first() -> None:
    given = {"b": 0.9, "c": 0.8, "d": 0.7, "a": 0.1}  # a falls from first to last, the others rise by one place
    (worst,) = find_worst(quality(given), "assessment", dataset(*RATED), most=1)
    assert (worst.images, worst.gap) == (("a.png",), 0.75)
    reasons = {"a": "refused", "b": "empty", "c": "empty"}
    unread = [Score(name, None, reason=reason) for name, reason in reasons.items()]
    missing = [Missing("empty", ("b", "c")), Missing("refused", ("a",))]
    assert find_missing(Outcome(scores={"quality": unread})) == missing


def test_wrong_answers_are_told_with_the_right_ones() -> None:
    asked = Sample("q", ("q.png",), "Is it sharp?", ("Yes", "No"), answer=1)
    shown = shuffle_options(asked, 0)
    right, wrong = shown.options.index("No"), shown.options.index("Yes")
    scores = [
        Score("q", 0.0, right=right, chosen=wrong),
        Score("q", 1.0, right=right, chosen=right),
        Score("q", None, right=right, reason="refused"),
    ]
    (found,) = find_worst(Outcome(scores={"accuracy": scores}), "perception", dataset(asked, name="demo-perception"))
    assert in_words(found) == "Is it sharp? It said “Yes”; right is “No”"


def test_pairs_preferred_wrongly_in_both_orders_come_with_the_widest_gap_first() -> None:
    presented = [
        Presented("a", "d", "second"),
        Presented("d", "a", "first"),  # d over a, wrong by 80
        Presented("b", "c", "second"),
        Presented("c", "b", "first"),  # c over b, wrong by 20
        Presented("a", "b", "first"),
        Presented("b", "a", "second"),  # right
        Presented("a", "c", "second"),
        Presented("c", "a", "second"),  # not kept
    ]
    found = find_worst(Outcome(presented=presented), "comparison", dataset(*RATED))
    told = [(disagreement.images, disagreement.gap) for disagreement in found]
    assert told == [(("d.png", "a.png"), 80.0), (("c.png", "b.png"), 20.0)]
    assert in_words(found[0]) == "Preferred the left, which is worse by 80 points by people"


@pytest.mark.parametrize(
    ("task", "shown", "asked", "said"),
    [
        ("iqa-2afc", "12", {}, "it chose picture 1; right is picture 2"),
        ("attributes", "12", {"groups": {"attribute": "contrast"}}, "contrast: it chose picture 1; right is picture 2"),
        ("img-2afc", "r12", {}, "it chose picture 1 beside the reference on the left; right is picture 2"),
        ("it-2afc", "12", {"texts": ("A blur",)}, "“A blur”: it chose picture 1; right is picture 2"),
        ("text-2afc", "r", {"texts": ("a house", "a boat")}, "It chose “a house”; right is “a boat”"),
    ],
)
def test_wrong_choices_say_what_was_chosen(task: str, shown: str, asked: dict[str, Any], said: str) -> None:
    sample = Sample("s", tuple(shown), answer=1, has_reference="r" in shown, **asked)
    scores = {"accuracy": [Score("s", 0.0, right=1, chosen=0)]}
    (found,) = find_worst(Outcome(scores=scores), task, dataset(sample, name=f"demo-{task}"))
    assert in_words(found) == said
