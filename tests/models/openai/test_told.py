"""What records are told of a server."""

from __future__ import annotations

import pytest

from qbench.models.openai.endpoint import told_host, without_address
from qbench.models.openai.server import Server


@pytest.mark.parametrize("host", ["api.openai.com", "openrouter.ai", "localhost", "127.0.0.1"])
def test_a_public_service_is_named_and_this_machine(host: str) -> None:
    assert told_host(host) == host


def test_any_other_host_is_told_from_others_and_not_named() -> None:
    hosts = ["10.0.0.5", "10.0.0.6", "gpu7", "gpu7.lab.example.com", "fd00::1", "api.openai.com.example.org"]
    told = [told_host(host) for host in hosts]
    assert len(set(told)) == len(hosts)
    assert {len(mark) for mark in told} == {5}  # of 65,536 marks: each fits many addresses


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("http://gpu7.lab:8000/v1 answered 500: no room", "its server answered 500: no room"),
        ("certificate is not valid for 'gpu7.lab'", "certificate is not valid for 'its server'"),
        ("no route to http://gpu7.lab:8000/tokenize", "no route to its server/tokenize"),
        ("see https://example.com/limits of mygpu7.lab and gpu7.lab2", None),
    ],
)
def test_an_address_is_left_out_of_what_is_said(said: str, told: str | None) -> None:
    assert without_address(said, Server("http://gpu7.lab:8000")) == (told or said)
