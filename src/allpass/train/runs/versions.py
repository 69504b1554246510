"""With what and where numbers were made, in words."""

from __future__ import annotations

import platform
from pathlib import Path

import torch

import allpass


def versions(device: torch.device | str = "cpu") -> dict[str, str]:
    """Versions of allpass, torch and Python, the machine, the device in words, and the threads of torch.

    With another number of threads, sums over nodes can differ in their last digits.

    Example:
        >>> sorted(versions())
        ['allpass', 'device', 'machine', 'python', 'threads', 'torch']
    """
    device = torch.device(device)
    return {
        "allpass": allpass.__version__,
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "threads": str(torch.get_num_threads()),
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else _processor(device),
    }


def _processor(device: torch.device) -> str:
    if device.type != "cpu":
        return device.type
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next((name for name in names if name), platform.processor() or platform.machine() or "cpu")
