# SPDX-License-Identifier: Apache-2.0
"""The functions of Triton's language: TABLE[name]. Each is called by the translator with the values of a kernel."""

from . import assembly, atomics, blocks, creation, elementwise, indices, mapping, matmul, memory, randoms, reductions, scaled, scans  # noqa: F401
from .registry import TABLE, Builtin, Method, Range

__all__ = ["Builtin", "Method", "Range", "TABLE"]
