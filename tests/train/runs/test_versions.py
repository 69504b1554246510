from __future__ import annotations

import platform

import pytest
import torch

import allpass
from allpass.train.runs.versions import versions


def test_versions_of_this_place():
    found = versions()
    assert found["allpass"] == allpass.__version__
    assert found["torch"] == torch.__version__
    assert found["python"] == platform.python_version()
    assert found["threads"] == str(torch.get_num_threads())
    assert found["machine"].startswith(platform.system())
    assert all(type(value) is str and value for value in found.values())


def test_a_machine_without_a_name_for_its_processor(monkeypatch):
    def refuse(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr("pathlib.Path.read_text", refuse)
    assert versions()["device"]


def test_other_devices():
    assert versions("mps")["device"] == "mps"


@pytest.mark.gpu
def test_a_gpu_has_its_name():
    assert versions("cuda")["device"] == torch.cuda.get_device_name(0)
