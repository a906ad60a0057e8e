from __future__ import annotations

import pytest

from leaderboard.html.live import about, job_text, model_line, refusal
from leaderboard.html.markup import Html
from leaderboard.live.service.jobs import Failure, JobState
from qbench.runner import Progress


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("there is <b>no</b> such model", "Not done: there is &lt;b&gt;no&lt;/b&gt; such model."),
        ("did you mean niqe?", "Not done: did you mean niqe?"),
        ("a.JPG is damaged.", "Not done: a.JPG is damaged."),
    ],
)
def test_a_refusal_is_one_sentence(reason: str, said: str) -> None:
    assert f'role="alert">{said}</p>' in refusal(Failure(reason))


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (JobState(ahead=2), "Waiting for niqe: 2 ahead of you."),
        (JobState(doing="asking", progress=Progress(1, 4, 10, 0, 0, 2.0)), "4 of 10 pictures, about 3 s left"),
        (JobState(doing="opening the model"), "Opening the model …"),
        (JobState(failure=Failure("choose a photo first")), "Not done: choose a photo first."),
        (JobState(cancelled=True), "Stopped."),
        (JobState(), ""),
        (JobState(result=1), ""),
    ],
)
def test_how_far_a_job_is_in_words(state: JobState, said: str) -> None:
    assert job_text(state, "niqe") == said


def test_content_says_which_inputs_it_is_about() -> None:
    html = about("run", Html("<b>1</b>"), outdated="a & b", model='"m"', size=0, photo_a=None, pictures=["x", "y"])
    assert 'class="qb-about" data-run-model="&#34;m&#34;" data-run-size="0" data-run-photo-a=""' in html
    assert 'data-run-pictures="x\ny">' in html
    assert '<div class="qb-current"><b>1</b></div>' in html
    assert '<p class="qb-note">a &amp; b</p></div></div>' in html


def test_a_model_that_comes_with_the_project_is_told_in_a_line_and_no_other() -> None:
    line = model_line("nano-clip")
    assert "10.0 MB, trained here on damaged photos" in line
    assert "correlation with people on 66 phone photos that people rated: 0.50 (0.25 to 0.68, 95 %)" in line
    assert 'href="?tab=model&amp;models=nano-clip"' in line
    assert "assets/nano-clip/README.md" in line
    assert [model_line(name) for name in ("niqe", "../nano-clip", "gpt-4v", None)] == [""] * 4
