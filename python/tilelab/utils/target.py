# SPDX-License-Identifier: Apache-2.0
"""The older location of tilelang.backend.target, and queries about GPUs that tilelab does not target."""

from ..backend.target import determine_target
from ..names import attributes as _attributes

__all__ = ["check_cuda_availability", "check_hip_availability", "check_metal_availability", "check_musa_availability", "determine_target"]
__getattr__ = _attributes(__name__)


def check_cuda_availability():
    """CUDA C and MUSA C are generated with or without a GPU."""
    return True


check_musa_availability = check_cuda_availability


def check_hip_availability():
    return False


check_metal_availability = check_hip_availability
