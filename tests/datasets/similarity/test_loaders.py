"""All loaders at once: names, facts and the table in the docs agree; lists are frozen, and faults told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from qbench.datasets import open_dataset, similarity
from qbench.datasets.known import known_datasets
from qbench.datasets.similarity import LOADERS, frozen_path
from qbench.errors import DataError, UserError
from tests.datasets.fetching import facts_of
from tests.datasets.similarity import layouts

PROJECT = Path(__file__).resolve().parents[3]


def test_the_loaders_are_those_of_the_tables_of_known_datasets_and_of_the_docs() -> None:
    facts = {facts.name: facts for facts in known_datasets() if facts.name in LOADERS}
    assert list(facts) == list(LOADERS)
    published = json.loads((PROJECT / "assets" / "published" / "datasets" / "unisim.json").read_text())
    printed = {(row["task"], row["dataset"]): row["test_samples"] for row in published if row["table"] == "4"}
    del printed[None, None]  # the sum
    found = {(fact.task, fact.sampled_from or fact.name): fact.items for fact in facts.values()}
    assert len(printed) == 25
    assert printed.keys() <= found.keys()
    others = {name: (found[name], count) for name, count in printed.items() if found[name] != count}
    assert others == {
        ("attributes", "sice-brightness"): (None, 2151),  # the scenes were whichever a disk listed first
        ("retrieval", "r-oxford"): (70 + 4993, 70),  # queries, and images to search
        ("retrieval", "r-paris"): (70 + 6322, 70),
    }
    docs, _ = (PROJECT / "docs" / "unisim.md").read_text(encoding="utf-8").split("## Train")
    rows = [line.split("|")[1].split("`")[1::2] for line in docs.splitlines() if line.startswith("| `")]
    listed = [name for name, fact in facts.items() if fact.column or fact.variant_of]
    assert [name for names in rows for name in names] == listed
    assert len(listed) == 25 + 7


def test_no_name_or_alias_means_two_datasets() -> None:
    for facts in known_datasets():
        for name in (facts.name, facts.title, *facts.aliases):
            assert facts_of(name).name == facts.name, name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nights", "data.csv is missing; get it: python -m qbench datasets get nights, or put there: "),
        ("imagenet-ooo", "val is missing; put there: "),
    ],
)
def test_what_is_not_there_is_named_with_where_to_get_it(name: str, told: str, root: Path) -> None:
    facts = facts_of(name)
    with pytest.raises(UserError) as raised:
        open_dataset(name)
    how = f"{told}{facts.get} (licence: {facts.licence})"
    assert str(raised.value) == f"{facts.title} is not at {root / name}: {how}"


def test_the_order_in_which_a_disk_lists_its_files_does_not_matter(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layouts.bapps(root / "bapps" / "val")
    layouts.imagereward(root / "ImageRewardDB")
    layouts.pipal(root / "pipal")
    names = ("bapps", "imagereward", "pipal")
    facts = [facts for facts in known_datasets() if facts.name in names]
    before = [similarity.read_frozen_list(fact, root / "before", root)[1] for fact in facts]
    for listing in ("glob", "iterdir"):
        ordered = getattr(Path, listing)
        monkeypatch.setattr(Path, listing, lambda *given, ordered=ordered: reversed(list(ordered(*given))))
    assert [similarity.read_frozen_list(fact, root / "after", root)[1] for fact in facts] == before
    assert len(set(before)) == len(names)


def test_a_whole_list_is_frozen_and_read_from_then_on(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layouts.koniq(tmp_path / "koniq10k")
    first = open_dataset("koniq-10k-pairs", images=tmp_path)
    facts = facts_of("koniq-10k-pairs")
    frozen = frozen_path(facts, root)
    assert frozen.name == "koniq-10k-pairs-seed-0.jsonl"
    monkeypatch.setattr("numpy.random.default_rng", lambda _seed: pytest.fail("nothing is drawn again"))
    assert open_dataset("koniq-10k-pairs", images=tmp_path) == first
    by_path = open_dataset(str(frozen), images=tmp_path / "koniq10k", limit=3)
    assert [sample.images for sample in by_path.samples] == [sample.images for sample in first.samples[:3]]
    rows = frozen.read_text(encoding="utf-8").splitlines()
    frozen.write_text("\n".join(rows[:7]) + "\n", encoding="utf-8")
    assert open_dataset("koniq-10k-pairs", images=tmp_path).limit == 7


def test_paths_out_of_the_folder_are_refused(root: Path) -> None:
    layouts.nights(root / "nights")
    path = root / "nights" / "data.csv"
    path.write_text(path.read_text().replace("ref/000/000.png", "../secret.png"))
    with pytest.raises(DataError, match=r"the image path '\.\./secret\.png' leads out of .*nights"):
        open_dataset("nights")


@pytest.mark.parametrize(
    ("name", "layout", "file", "before", "after", "said"),
    [
        ("nights", layouts.nights, "data.csv", "0,0,1,6,", "0,0,0.5,6,", r"record 1 \(line 2\): right_vote is"),
        ("pipal", layouts.pipal, "val_label.txt", "1500.0", "nan", "val_label.txt: the score is 'nan'"),
        ("polaris", layouts.polaris, "polaris_test.csv", "['A boat, at sea.']", "os.remove()", "ValueError"),
    ],
)
def test_files_that_are_not_as_their_publisher_ships_them(
    root: Path, name: str, layout: Callable[[Path], None], file: str, before: str, after: str, said: str
) -> None:
    folder = root / similarity.LOADERS[name].location.folders[0]
    layout(folder)
    text = (folder / file).read_text()
    assert before in text
    (folder / file).write_text(text.replace(before, after))
    with pytest.raises(DataError, match=said):
        open_dataset(name)
