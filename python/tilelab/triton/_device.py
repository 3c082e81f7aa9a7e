# SPDX-License-Identifier: Apache-2.0
"""The device for which kernels are compiled, as Triton's programs ask for it."""

from types import SimpleNamespace

from .._gpu.targets import target_name


def properties(device=0):
    """The properties of the GPU, or of the one that is simulated."""
    from .. import _redirect

    found = _redirect.device_properties()
    return {"multiprocessor_count": found.multi_processor_count, "warpSize": 32, "max_shared_mem": 232448, "max_num_regs": 65536,
            "max_threads_per_sm": 2048, "sm_clock_rate": 1500000, "mem_clock_rate": 2000000, "mem_bus_width": 5120}


def current_target():
    """Programs choose configurations by it: every GPU is one of CUDA, with the capability that torch.cuda has here."""
    name = target_name(None)
    digits = "".join(c for c in name.partition("_")[2] if c.isdigit())
    arch = int(digits) if name.startswith("sm_") else 90 if name == "mp_31" else 80
    return SimpleNamespace(backend="cpu" if name == "cpu" else "cuda", arch=arch, warp_size=32)
