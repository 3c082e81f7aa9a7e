# SPDX-License-Identifier: Apache-2.0
from .tensor import TensorSupplyType

__all__ = ["TensorSupplyType"]
