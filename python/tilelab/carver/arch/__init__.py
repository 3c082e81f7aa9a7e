# SPDX-License-Identifier: Apache-2.0
from ...names import attributes as _attributes
from . import driver
from .cuda import CUDA, TileDevice, check_sm_version, has_mma_support, is_ada_arch, is_ampere_arch, is_cuda_arch, is_hopper_arch

__all__ = ["CUDA", "TileDevice", "check_sm_version", "driver", "has_mma_support", "is_ada_arch", "is_ampere_arch", "is_cuda_arch", "is_hopper_arch"]
__getattr__ = _attributes(__name__)
