# SPDX-License-Identifier: Apache-2.0
"""triton.runtime.jit."""

from .. import constexpr, constexpr_function, jit  # noqa: F401
from .._launch import JITFunction, KernelInterface  # noqa: F401
