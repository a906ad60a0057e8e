"""How prompts are written out, through templates of every habit and without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from qbench.models.checkpoint.inputs import render
from qbench.records import Picture, Prompt
from tests.models import tiny_text

FIRST, SECOND = Picture("a.png", "a"), Picture("b.png", "b")
PAIR = Prompt("words", ("One: ", FIRST, "Two: ", SECOND, "Which?"), words=("A", "B"))
RATING = Prompt("words", (FIRST, "Rate the quality."), words=("good",), prefill="The quality of the image is ")


def processor(template: str | None, **more: Any) -> Any:
    """A processor as far as text goes: the library's own rendering of a chat template."""
    from transformers import ProcessorMixin

    class TextOnly(ProcessorMixin):
        def __init__(self) -> None:
            self.chat_template = template
            self.tokenizer = SimpleNamespace(special_tokens_map={"bos_token": "<bos>"}, backend="tokenizers")
            vars(self).update(more)

    return TextOnly()


def text_of(prompt: Prompt, template: str | None, **more: Any) -> str:
    return render(prompt, processor(template, **more), "any").text


def test_images_stay_between_the_texts() -> None:
    rendered = render(PAIR, processor(tiny_text.QWEN_TEMPLATE), "any")
    assert "One: <|vision_start|><|image_pad|><|vision_end|>Two: <|vision_start|>" in rendered.text
    assert rendered.pictures == (FIRST, SECOND)


def test_a_template_that_cannot_continue_gets_the_prefill_appended() -> None:
    deaf = "{{ messages[0]['role'] }}{% if add_generation_prompt %} A:{% endif %}"
    assert text_of(RATING, deaf) == "user A: The quality of the image is"


def test_a_system_text_goes_where_the_template_has_it_and_else_before_the_question() -> None:
    prompt = Prompt("text", (FIRST, "Rate it."), system="Be strict.")
    assert text_of(prompt, tiny_text.QWEN_TEMPLATE).startswith("<|im_start|>system\nBe strict.<|im_end|>\n")
    refusing = text_of(prompt, tiny_text.GEMMA_TEMPLATE)
    assert refusing.startswith("<bos><start_of_turn>user\nBe strict.<start_of_image>Rate it.")
    dropping = "{% for message in messages[-1:] %}{% for part in message['content'] %}{{ part['text'] }}|{% endfor %}"
    assert text_of(prompt, dropping + "{% endfor %}") == "Be strict.\n||Rate it.|"


def test_a_model_that_nobody_knows_a_form_of_is_asked_plainly() -> None:
    """What its authors do is held by what checkpoints of each kind generate from, in `test_vlm`."""
    asked = text_of(RATING, None, image_token="<image>")
    assert asked == "Question: <image>Rate the quality. Answer: The quality of the image is"
