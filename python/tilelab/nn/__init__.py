# SPDX-License-Identifier: Apache-2.0
"""Layers of torch that compute with tilelab's operators. Parameters have the names of torch's layers, so that state dicts fit."""

from .attention import RotaryEmbedding, SelfAttention
from .experts import MoE
from .layers import (CrossEntropyLoss, Dropout, Embedding, GELU, GroupNorm, LayerNorm, Linear, ReLU, RMSNorm, SiLU, Softmax, SwiGLU)
from .optimizers import SGD, AdamW

__all__ = ["AdamW", "CrossEntropyLoss", "Dropout", "Embedding", "GELU", "GroupNorm", "LayerNorm", "Linear", "MoE", "RMSNorm", "ReLU",
           "RotaryEmbedding", "SGD", "SelfAttention", "SiLU", "Softmax", "SwiGLU"]
