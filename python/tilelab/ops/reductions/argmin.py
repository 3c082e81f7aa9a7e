# SPDX-License-Identifier: Apache-2.0
"""Index of the smallest element along an axis, the first one of equal elements, as int64. The kernel is that of argmax.py."""

from ..operator import FLOATS, Tensor, operator
from .argmax import examples, find


@operator(dtypes=(*FLOATS, "int32"))
def argmin(x: Tensor, axis: int = -1, keepdim: bool = False) -> Tensor:
    """The index of the first smallest element along `axis`."""
    return find(x, axis, keepdim, True)


@argmin.specification
def specification(x, axis=-1, keepdim=False):
    return x.argmin(axis, keepdims=keepdim)


argmin.examples(examples)
