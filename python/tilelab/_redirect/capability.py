# SPDX-License-Identifier: Apache-2.0
"""The compute capability of the simulated GPU, from the target of kernels."""

_CUDA = (8, 0)  # if the target is not CUDA
_MUSA = (3, 1)


def digits(name, prefix):
    """(9, 0) for sm_90a, with the prefix sm_; None for a target of another kind."""
    number = name[len(prefix):].rstrip("af")
    return (int(number[:-1]), int(number[-1])) if name.startswith(prefix) and number.isdigit() else None


def _of(prefix, otherwise):
    from .._gpu.targets import target_name

    return digits(target_name(None), prefix) or otherwise


def cuda():
    """(9, 0) for sm_90a; (8, 0) for sm_80 and targets that are not NVIDIA GPUs."""
    return _of("sm_", _CUDA)


def musa():
    """(2, 2) for mp_22; (3, 1) for mp_31 and targets that are not Moore Threads GPUs."""
    return _of("mp_", _MUSA)
