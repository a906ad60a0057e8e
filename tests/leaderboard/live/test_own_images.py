"""A visitor's own images: what is taken, what is refused in one sentence, what is given back, that all is forgotten."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from leaderboard.charts.live import draw_own_images, plot_page
from leaderboard.live.own_images import MOST_IMAGES, OwnRun, bundle, own_images_job, read_images
from leaderboard.live.service.limits import Visitor, Visits, Work
from leaderboard.live.service.live import Live, RecentResponses, read_offers
from leaderboard.live.service.models import LiveModels
from leaderboard.live.service.uploads import Uploads
from leaderboard.live.tournament import take_in
from qbench.errors import DataError
from qbench.records import Result
from tests.commands.asking import pack, write

ADA = Visitor("ada", "here")


def encoded(shade: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (24, 24), shade).save(buffer, "PNG")
    return buffer.getvalue()


def images(folder: Path, count: int = 4) -> list[str]:
    """Grey pictures, each brighter than the one before."""
    for number in range(count):
        (folder / f"{number}.png").write_bytes(encoded(50 * number))
    return [str(folder / f"{number}.png") for number in range(count)]


def scores(folder: Path, text: str) -> str:
    path = folder / "scores.csv"
    path.write_bytes(text.encode())
    return str(path)


def refused(*paths: str) -> str:
    with pytest.raises(DataError) as raised:
        read_images(list(paths), ADA, Uploads())
    said = str(raised.value)
    assert "\n" not in said
    return said


def run(paths: list[str], uploads: Uploads) -> OwnRun:
    live = Live(LiveModels(read_offers(["brightness"])), Visits(), uploads, RecentResponses())
    return own_images_job(live, ADA, paths, "brightness")(Work(), lambda **_: None)


def test_agreement_with_the_scores_that_are_handed_in(tmp_path: Path) -> None:
    done = run([*images(tmp_path), scores(tmp_path, "Image\tMOS\n0.png\t4\n1.png\t3\n2.png\t2\n3.png\t1\n")], Uploads())
    assert [score.truth for score in done.scores] == [4, 3, 2, 1]
    # The brighter a picture the higher its score, and the lower the visitor's: the order is reversed.
    [record] = done.records.values()
    assert record.metrics["srcc"].value == pytest.approx(-1.0)


def test_a_list_inside_the_zip_with_folders(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {"set/a/1.png": encoded(0), "set/b/1.png": encoded(90), "set/2.png": encoded(200)}
    table = "img_path,gt_score\nset/a/1.png,1\nset/b/1.png,2\n2.png,3\n"
    dataset = read_images([str(pack(tmp_path, {**files, "set/mos.csv": table}))], ADA, Uploads())
    assert {sample.id: sample.human for sample in dataset.samples} == {
        "set/a/1.png": 1,
        "set/b/1.png": 2,
        "set/2.png": 3,
    }
    said = refused(str(pack(tmp_path, {**files, "set/mos.csv": table.replace("set/a/", "")})))
    assert said == "mos.csv: record 1 (line 2) names '1.png', which is none of the images; remove it"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("img_path,gt_score\n0.png,1\n9.png,2\n", "record 2 (line 3) names '9.png', which is none of the images"),
        ("img_path,gt_score\n0.png,1\n0.png,2\n", "record 2 (line 3) names '0.png' a second time; keep one"),
        ("img_path;gt_score\n0.png;3,5\n", "record 1 (line 2): gt_score is '3,5', not a finite number"),
        ("img_path,gt_score\n0.png,1\n", "has no score for 3 of the 4 images, the first of them '1.png'; add it, or"),
        ("a,b\n0.png,1\n", "has the columns 'a, b'; call them img_path and gt_score"),
    ],
)  # fmt: skip
def test_a_list_that_cannot_be_used_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    said = refused(*images(tmp_path), scores(tmp_path, text))
    assert said.startswith("scores.csv")
    assert sentence in said


def test_no_image_too_many_two_of_one_name_and_two_lists_are_refused(tmp_path: Path) -> None:
    one, table = images(tmp_path, 1)[0], scores(tmp_path, "img_path,gt_score\n0.png,1\n")
    assert refused(table) == "there are no images yet; choose some, or a zip of them"
    others = [str(write(tmp_path, "img_path,gt_score\n0.png,1\n", name)) for name in ("b.csv", "a.csv")]
    assert refused(one, table, *others) == "there are 3 lists of scores, a.csv and b.csv; hand in one"
    assert refused(one, table, others[0]) == "there are 2 lists of scores, b.csv and scores.csv; hand in one"
    twice = str(pack(tmp_path, {"0.png": encoded(9)}))
    assert refused(one, twice) == "two files are called '0.png'; give one of them another name"
    many = str(pack(tmp_path, {f"{number}.png": encoded(9) for number in range(MOST_IMAGES + 1)}))
    assert refused(many).startswith("there are 201 images; the most here are 200, and there is no limit")


def test_hostile_archives_are_one_sentence(tmp_path: Path) -> None:
    def hostile(files: dict[str, bytes | str]) -> str:
        return refused(str(pack(tmp_path, files, "hostile.zip")))

    bomb = hostile({"a.png": b"\0" * (257 * 2**20)})
    assert bomb == "hostile.zip unpacks to 257 MB; at most 256 MB are taken"
    many = hostile({f"{number}.png": b"x" for number in range(1000)})
    assert many == f"hostile.zip holds too many files; at most {MOST_IMAGES + 50} are taken"
    assert hostile({"a.png": b"no image"}).startswith("a.png is not an image in a known format")
    assert hostile({}).startswith("hostile.zip")
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        link = zipfile.ZipInfo("passwords.png")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert refused(str(tmp_path / "link.zip")).startswith("passwords.png is not an image in a known format")


def test_a_name_that_leads_elsewhere_is_only_a_name(tmp_path: Path) -> None:
    uploads = Uploads()
    packed = pack(tmp_path, {"../../evil.png": encoded(9), "/abs.png": encoded(1)})
    files = {sample.id: Path(sample.images[0]) for sample in read_images([str(packed)], ADA, uploads).samples}
    assert set(files) == {"../../evil.png", "/abs.png"}
    assert all(file.resolve().is_relative_to(uploads.root.resolve()) for file in files.values())


def test_record_raw_answers_csv_and_plot_are_given_back(tmp_path: Path) -> None:
    table = "img_path,gt_score\n0.png,1\n1.png,2\n2.png,3\n3.png,4\n"
    uploads = Uploads()
    done = run([*images(tmp_path), scores(tmp_path, table)], uploads)
    with zipfile.ZipFile(bundle(done, plot_page(draw_own_images(done)), tmp_path / "out.zip")) as archive:
        names = archive.namelist()
        [record] = [name for name in names if name.startswith("assessment--own_images--brightness")]
        result = Result.from_json(json.loads(archive.read(record)))
        raw = archive.read(f"raw/{result.raw}.jsonl").splitlines()
        lines = archive.read("scores.csv").decode().splitlines()
        plot = archive.read("plot.html").decode()
    assert (result.metrics["srcc"].value, len(raw)) == (pytest.approx(1.0), 4)
    assert lines[0] == "img_path,score,gt_score,no_score_because"
    assert [line.split(",")[0] for line in lines[1:]] == ["3.png", "2.png", "1.png", "0.png"]
    assert lines[1].split(",")[2] == "4.0"
    assert "3.png" in plot
    assert "<script src=" not in plot  # it needs no network


def test_names_are_no_formulas_in_the_csv(tmp_path: Path) -> None:
    cells = {"=1+1.png": "'=1+1.png", " @A1.png": "' @A1.png", "\uff0b1.png": "'\uff0b1.png"}
    cells |= {"a;=1+1;.png": "a;'=1+1;.png", "a-b=c.png": "a-b=c.png"}
    for shade, name in enumerate(cells):
        (tmp_path / name).write_bytes(encoded(shade))
    uploads = Uploads()
    done = run([str(tmp_path / name) for name in cells], uploads)
    with zipfile.ZipFile(bundle(done, "", tmp_path / "out.zip")) as archive:
        _, *rows = archive.read("scores.csv").decode().splitlines()
        assert sorted(row.partition(",")[0] for row in rows) == sorted(cells.values())
        assert len(archive.read("responses.jsonl").splitlines()) == 5
    one = run([str(tmp_path / "a-b=c.png")], uploads)
    assert "no plot" in plot_page(draw_own_images(one))


def test_everything_is_deleted_when_the_visitor_leaves(tmp_path: Path) -> None:
    uploads = Uploads()
    loose = images(tmp_path)
    packed = pack(tmp_path, {"more.png": encoded(7)})
    table = scores(tmp_path, "".join(["img_path,gt_score\n", *(f"{n}.png,{n}\n" for n in range(4)), "more.png,9\n"]))
    done = run([*loose, str(packed), table], uploads)
    made = bundle(done, "", uploads.folder_of(ADA) / "own-images.zip")
    assert made.exists()
    uploads.forget(ADA)
    left = [path for path in (*map(Path, loose), packed, Path(table), made, done.folder) if path.exists()]
    assert left == []
    assert [path for path in uploads.root.rglob("*") if path.is_file()] == []


def test_a_tournament_takes_a_zip_among_its_pictures(tmp_path: Path) -> None:
    uploads = Uploads()
    loose = images(tmp_path, 2)
    packed = pack(tmp_path, {"x/5.png": encoded(5), "y/5.png": encoded(6)})
    live = Live(LiveModels(read_offers([])), Visits(), uploads, RecentResponses())
    pictures = take_in(live, ADA, [*loose, str(packed)])
    assert list(pictures) == ["0.png", "1.png", "5.png", "5 (2).png"]
    uploads.forget(ADA)
    assert not any(path.exists() for path in (*(Path(picture.path) for picture in pictures.values()), packed))
