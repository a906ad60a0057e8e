"""From a prompt to the text a checkpoint's processor takes: through its chat template or its authors' plain form."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qbench.records import Picture, Prompt

PLAIN = "Question: {text} Answer:"
"""How a model without a chat template is asked, unless its authors say otherwise."""

PLAIN_FORMS: Mapping[str, str] = {
    "idefics": "User: {text}<end_of_utterance>\nAssistant:",
    "instructblip": "{text}",
    "paligemma": "{text}",
}
"""Model type -> the form on its model card. BLIP-2 and Kosmos-2 use `PLAIN` on theirs."""

IMAGE_MARKS: Mapping[str, str] = {
    "idefics": "<fake_token_around_image><image><fake_token_around_image>",
    "instructblip": "",
    "blip-2": "",
    "kosmos-2": "",
}
"""Model type -> what stands for an image in plain text; nothing where the processor puts the one image first itself."""


@dataclass(frozen=True)
class RenderedPrompt:
    """A prompt as the processor takes it."""

    text: str
    """Up to where the model goes on; of an encoder-decoder, what the encoder reads."""
    pictures: tuple[Picture, ...]
    decoder_prefill: str = ""
    """What the decoder of an encoder-decoder has written already."""


TemplateArguments = dict[str, Any]
"""Arguments of a chat template beside the messages."""


def render(
    prompt: Prompt,
    processor: Any,
    model_type: str,
    *,
    encoder_decoder: bool = False,
    template: TemplateArguments | None = None,
) -> RenderedPrompt:
    """Write a prompt out; its prefill ends without a space, which belongs to the word that follows."""
    prefill = prompt.prefill.rstrip()
    pictures = tuple(part for part in prompt.parts if isinstance(part, Picture))
    decoder_prefill = prefill if encoder_decoder else ""
    if _has_template(processor, model_type):
        text = _through_template(processor, prompt, "" if decoder_prefill else prefill, template or {})
    else:
        text = _plainly(prompt, processor, model_type) + (f" {prefill}" if prefill and not decoder_prefill else "")
    return RenderedPrompt(text, pictures, decoder_prefill)


def prompt_style(processor: Any, model_type: str) -> str:
    """How prompts are written out, for the record: the digest of the chat template or the plain form itself."""
    if _has_template(processor, model_type):
        return f"chat template {hashlib.sha256(str(processor.chat_template).encode()).hexdigest()[:16]}"
    return f"plain {PLAIN_FORMS.get(model_type, PLAIN)!r}"


def _has_template(processor: Any, model_type: str) -> bool:
    """Whether to go through the chat template; a processor that places the image itself has no use for one."""
    return bool(processor.chat_template) and IMAGE_MARKS.get(model_type) != ""


def _plainly(prompt: Prompt, processor: Any, model_type: str) -> str:
    mark = IMAGE_MARKS.get(model_type, getattr(processor, "image_token", ""))
    text = "".join(mark if isinstance(part, Picture) else part for part in prompt.parts).strip()
    if prompt.system:
        text = f"{prompt.system}\n{text}"
    return PLAIN_FORMS.get(model_type, PLAIN).format(text=text)


def template_uses(processor: Any, model_type: str, template: TemplateArguments) -> bool:
    """Whether these arguments change anything: templates ignore those they do not know."""
    asked = Prompt("text", ("?",))
    plain, filled = (render(asked, processor, model_type, template=arguments) for arguments in ({}, template))
    return plain != filled


def _through_template(processor: Any, prompt: Prompt, prefill: str, template: TemplateArguments) -> str:
    from jinja2 import TemplateError

    def written(before: Sequence[str | Picture], lead: list[dict[str, Any]]) -> str:
        content = [{"type": "image"} if isinstance(part, Picture) else _text_part(part) for part in before]
        return _with_prefill(processor, [*lead, {"role": "user", "content": content}], prefill, template)

    parts, system = prompt.parts, prompt.system
    if not system:
        return written(parts, [])
    try:
        text = written(parts, [{"role": "system", "content": [_text_part(system)]}])
    except TemplateError:
        text = ""
    # Some templates refuse a system message and some drop it without a word.
    return text if system in text else written([f"{system}\n", *parts], [])


def _with_prefill(processor: Any, messages: list[dict[str, Any]], prefill: str, template: TemplateArguments) -> str:
    if prefill:
        answer = {"role": "assistant", "content": [_text_part(prefill)]}
        try:
            text: str = processor.apply_chat_template(
                [*messages, answer], **template | {"continue_final_message": True, "tokenize": False}
            )
        except ValueError:
            text = ""
        if text.endswith(prefill):
            return text
    opened: str = processor.apply_chat_template(
        messages, **template | {"add_generation_prompt": True, "tokenize": False}
    )
    return opened + (prefill if not prefill or opened[-1:].isspace() else f" {prefill}")


def _text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
