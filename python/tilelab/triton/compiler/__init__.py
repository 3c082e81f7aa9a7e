# SPDX-License-Identifier: Apache-2.0
"""triton.compiler: the class of compiled kernels."""

from .._compiled import CompiledKernel  # noqa: F401
