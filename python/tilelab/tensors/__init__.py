# SPDX-License-Identifier: Apache-2.0
"""Tensors: creation, the current device, and which kernel computed one. They are torch's where torch is installed."""

from .create import (Tensor, arange, empty, empty_like, full, full_like, manual_seed, ones, ones_like, rand, rand_like, randint, randn,
                     randn_like, tensor, zeros, zeros_like)
from .library import current_device, set_device
from .made_by import last_kernel

__all__ = ["Tensor", "arange", "current_device", "empty", "empty_like", "full", "full_like", "last_kernel", "manual_seed", "ones",
           "ones_like", "rand", "rand_like", "randint", "randn", "randn_like", "set_device", "tensor", "zeros", "zeros_like"]
