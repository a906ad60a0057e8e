"""`import qbench`: its figures are those of the command line, and the examples of docs/python.md run as written."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.stats import pearsonr, spearmanr

import qbench
from qbench.errors import UserError
from qbench.models import ModelOptions
from qbench.models.own import open_any
from qbench.models.providers import PROVIDERS, find_provider
from qbench.records import Prompt
from tests.commands.asking import document, python_m_qbench
from tests.models.openai.server import OPENAI, OpenAIServer

pytestmark = pytest.mark.usefixtures("few_resamples")
DOCS = Path(__file__).resolve().parents[1] / "docs" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_of_the_docs_run_and_are_short(tmp_path: Path) -> None:
    assert len(EXAMPLES) == 5
    found: dict[str, object] = {"folder": tmp_path}
    for example in EXAMPLES:
        assert len(example.splitlines()) <= 10
        fewer = example.replace('"demo-assessment", out', '"demo-assessment", limit=12, out')  # photos, to save time
        exec(compile(fewer, str(DOCS), "exec"), found)
    assert found["figures"]["srcc"].value == 1.0
    assert list(found["ranking"]) == ["a.jpg", "b.jpg", "c.jpg"]
    assert found["reading"].value == 1
    [result] = found["results"]
    assert result.model == "contrast"
    [row] = found["table"].query("metric == 'srcc'").to_dict("records")
    assert (row["model"], row["dataset"], row["value"]) == ("contrast", "demo-assessment", result.metrics["srcc"].value)


def test_the_first_notebook_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As plain Python; it is kept without outputs, which would be figures that nobody checks."""
    cells = json.loads(DOCS.with_name("first.ipynb").read_text(encoding="utf-8"))["cells"]
    monkeypatch.chdir(tmp_path)
    found: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert not cell["outputs"] and cell["execution_count"] is None
            source = "".join(cell["source"]).replace("limit=40", "limit=12")
            exec(compile(source, "first.ipynb", "exec"), found)
    assert [result.model for result in found["results"]] == ["edges"]
    assert set(found["table"].model) == {"edges", "niqe"}
    assert (found["reading"].value, found["reading"].reason) == (None, "ambiguous")


def test_scores_are_held_against_people_as_scipy_does() -> None:
    random = np.random.default_rng(1)
    truth = random.normal(size=9)  # so few that no interval is made from resamples
    mine = truth + random.normal(size=9)
    figures = qbench.score(mine, truth)
    assert figures["srcc"].value == pytest.approx(spearmanr(mine, truth).statistic, abs=1e-12)
    assert figures["plcc"].value == pytest.approx(pearsonr(mine, truth).statistic, abs=1e-12)
    assert figures["srcc"].n == 9
    assert qbench.score(mine, truth, lower_is_better=True)["srcc"].value == -figures["srcc"].value
    names = [f"{number}.jpg" for number in range(9)]
    shuffled = random.permutation(9)
    by_name = qbench.score({names[at]: mine[at] for at in shuffled}, dict(zip(names, truth, strict=True)))
    assert by_name["srcc"].value == figures["srcc"].value
    assert "srcc" in repr(figures)
    assert figures._repr_html_().startswith("<pre>srcc ")
    assert qbench.score([*mine, None, float("nan")], [*truth, 1, 2])["srcc"].n == 9  # two without a score
    with pytest.raises(UserError, match=r"1 predictions have no human score, such as 'x\.jpg'"):
        qbench.score({"x.jpg": 1.0}, {"y.jpg": 2.0})
    with pytest.raises(UserError, match="3 predictions and 2 human scores"):
        qbench.score([1, 2, 3], [1, 2])


def test_a_ranking_is_that_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("a", "b", "first"), ("b", "a", "second"), ("b", "c", "first"), ("c", "b", "second"), ("a", "c", "tie")]
    file = tmp_path / "comparisons.jsonl"
    fields = ("first", "second", "choice")
    lines = [dict(zip(fields, row, strict=True)) for row in rows]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    printed = document(capsys, "rank", file)
    for given in (rows, lines, pd.DataFrame(rows, columns=fields)):
        ranking = qbench.rank(given)
        assert dict(ranking) == printed["scores"]
        assert ranking.found["ranks"] == printed["ranks"]
    assert repr(ranking).splitlines()[0].split()[-1] == "a"
    assert ranking._repr_html_().count("\n") == 2


@pytest.fixture
def photos(tmp_path: Path) -> pd.DataFrame:
    """So few that none of their intervals is made from resamples."""
    for number in range(9):
        Image.new("L", (16, 16), number * 10).save(tmp_path / f"{number}.png")
    return pd.DataFrame({"img_path": [f"{number}.png" for number in range(9)], "gt_score": range(9)})


def test_a_class_in_a_file_of_ones_own(
    tmp_path: Path, photos: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "my_model.py"
    source.write_text(
        "from PIL import Image\n\n\nclass Brightness:\n    name = 'my-brightness'\n\n    def score(self, prompt):\n"
        "        return Image.open(prompt.images[0]).getpixel((0, 0))\n",
        encoding="utf-8",
    )
    photos.to_csv(tmp_path / "list.csv", index=False)
    model, out = f"{source}:Brightness", tmp_path / "out"
    asked = ["run", "--task", "assessment", "--dataset", tmp_path / "list.csv", "--model", model, "--out", out]
    [record] = document(capsys, *asked)
    assert (record["model"], record["metrics"]["srcc"]["value"]) == ("my-brightness", 1.0)
    [result] = qbench.evaluate(model, photos, images=tmp_path, out=tmp_path / "again")
    assert result.metrics["srcc"].value == 1.0
    assert result.dataset == "dataframe"
    with pytest.raises(UserError, match="has nothing called Brightnes"):
        open_any(f"{source}:Brightnes", ModelOptions())
    with pytest.raises(UserError, match="there is no file"):
        open_any("absent.py:Model", ModelOptions())


def test_a_package_offers_tasks_and_models(tmp_path: Path, photos: pd.DataFrame) -> None:
    """Its task is run with its model, its records are read, and a package that is broken is named in one sentence."""
    (tmp_path / "theirs.py").write_text(
        "from dataclasses import replace\nfrom PIL import Image\nfrom qbench.tasks import assessment\n\n"
        "def light(prompt) -> float:\n    return Image.open(prompt.images[0]).getpixel((0, 0))\n\n"
        "TASK = replace(assessment.TASK, name='sharpness', title='Sharpness', sentence='How sharp is a photo?')\n",
        encoding="utf-8",
    )
    about = tmp_path / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(
        "[qbench.tasks]\nsharpness = theirs:TASK\n[qbench.models]\ntheir-light = theirs:light\n"
    )
    photos.to_csv(tmp_path / "list.csv", index=False)

    paths = f"{tmp_path}{os.pathsep}{DOCS.parents[1]}"
    out, model = tmp_path / "results", ("--model", "their-light", "--json")
    asked = ("run", "--task", "sharpness", "--dataset", tmp_path / "list.csv", *model, "--out", out)
    [record] = json.loads(python_m_qbench(*asked, PYTHONPATH=paths).stdout)
    assert (record["task"], record["metrics"]["srcc"]["value"]) == ("sharpness", 1.0)
    [stored] = out.glob("sharpness--*.json")
    assert "light on list (sharpness): 9 of 9 answers" in python_m_qbench("show", stored, PYTHONPATH=paths).stdout
    (tmp_path / "theirs.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    broken = python_m_qbench("tasks", PYTHONPATH=paths)
    assert broken.returncode == 2
    assert "the installed package theirs offers the task sharpness, but No module named" in broken.stderr


def test_what_an_object_offers_it_can_be_asked() -> None:
    class Whole:
        name, version = "whole", "3"

        def words(self, prompt: Prompt) -> dict[str, float]:
            return dict.fromkeys(prompt.words, 0.5)

        def embedding(self, _prompt: Prompt) -> list[float]:
            return [1, 2]

    model = open_any(Whole(), ModelOptions())
    assert (model.name, model.wants, model.identity["version"]) == ("whole", {"words", "embedding"}, "3")
    [weighed] = model.respond([Prompt("words", ("How is it?",), words=("good", "poor"))])
    assert weighed.logits == {"good": 0.5, "poor": 0.5}
    [vector] = model.respond([Prompt("embedding", ("a photo",))])
    assert vector.embedding == (1.0, 2.0)
    told = open_any(lambda prompt: prompt.text.upper(), ModelOptions())
    assert told.respond([Prompt("text", ("sharp?",))])[0].text == "SHARP?"
    assert told.identity["code"] != open_any(lambda prompt: prompt.text, ModelOptions()).identity["code"]
    with pytest.raises(UserError, match="can be asked nothing"):
        open_any(object(), ModelOptions())


def test_services_go_by_the_names_that_people_write() -> None:
    assert find_provider("openai/gpt-5.2") == (PROVIDERS["openai"], "gpt-5.2")
    assert find_provider("hf/Qwen/Qwen2.5-VL-7B-Instruct") == (PROVIDERS["hf"], "Qwen/Qwen2.5-VL-7B-Instruct")
    for checkpoint in ("openai/clip-vit-base-patch32", "openai/gpt-oss-20b", "google/siglip-base-patch16-224", "gpt-5"):
        assert find_provider(checkpoint) is None
    rows = re.findall(r"^\| `(\w+)/.*?` \| `(\w+)` \| (.*) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(name, each.key, each.words) for name, each in PROVIDERS.items()]


@pytest.mark.parametrize("named", re.findall(r"(?m)^\| `(\w+/)[A-Z/]*` \|", DOCS.read_text(encoding="utf-8")))
def test_a_service_is_asked_by_its_name_with_its_own_key(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The official client, at a double of the protocol that takes the place of the address."""
    monkeypatch.delenv("QBENCH_ENDPOINT_KEY", raising=False)
    service = PROVIDERS[named[:-1]]
    model = f"{service.families[0] if service.families else 'owner/'}tiny"
    for each in PROVIDERS.values():
        monkeypatch.setenv(each.key, "secret" if each is service else "another's")
    with OpenAIServer(OPENAI, model=model, key="secret") as server:
        monkeypatch.setitem(PROVIDERS, named[:-1], replace(service, address=server.url))  # type: ignore[arg-type]
        told = open_any(named + model, ModelOptions()).respond([Prompt("text", ("Rate it.",))])
    assert [answer.text for answer in told] == ["good"]


def test_importing_costs_nothing_and_says_its_version() -> None:
    code = "import sys, qbench; print(qbench.__version__, sorted({'numpy', 'torch', 'pandas'} & set(sys.modules)))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == f"{qbench.__version__} []"
    assert python_m_qbench("--version").stdout == f"qbench {qbench.__version__}\n"
    pyproject = (DOCS.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{qbench.__version__}"' in pyproject
