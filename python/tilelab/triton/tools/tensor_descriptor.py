# SPDX-License-Identifier: Apache-2.0
"""Tensor descriptors made on the host, as arguments of kernels."""

import dataclasses


@dataclasses.dataclass
class TensorDescriptor:
    """A tensor with a shape, strides and the shape of its tiles."""

    base: object
    shape: list
    strides: list
    block_shape: list
    padding: str = "zero"

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero"):
        strides = tensor.stride() if hasattr(tensor, "stride") else [s // tensor.itemsize for s in tensor.strides]
        return TensorDescriptor(tensor, list(tensor.shape), list(strides), list(block_shape), padding)
