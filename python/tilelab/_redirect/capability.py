# SPDX-License-Identifier: Apache-2.0
"""The compute capability that the simulated GPU has: that of the target that kernels are made for."""

_CUDA = (8, 0)  # where the target is none of CUDA's
_MUSA = (3, 1)


def digits(name, prefix):
    """(9, 0) for sm_90a, with the prefix sm_; None for a target of another kind."""
    number = name[len(prefix):].rstrip("af")
    return (int(number[:-1]), int(number[-1])) if name.startswith(prefix) and number.isdigit() else None


def _of(prefix, otherwise):
    from .._gpu.targets import target_name

    return digits(target_name(None), prefix) or otherwise


def cuda():
    """(9, 0) for sm_90a, (8, 0) for sm_80 and where the target is not an NVIDIA GPU."""
    return _of("sm_", _CUDA)


def musa():
    """(3, 1) for mp_31 and where the target is not a Moore Threads GPU, (2, 2) for mp_22."""
    return _of("mp_", _MUSA)
