# SPDX-License-Identifier: Apache-2.0
"""Linear layers, norms, embeddings, activations and losses."""

from .. import ops
from .module import Module


class Linear(Module):
    """y = x weightᵀ + bias"""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = self.parameter(out_features, in_features, std=in_features ** -0.5, device=device, dtype=dtype)
        self.bias = self.parameter(out_features, value=0, device=device, dtype=dtype) if bias else None

    def forward(self, x):
        if self.bias is None:
            return ops.gemm(x, self.weight, False, True)
        return ops.linear(x, self.weight, self.bias)


class Embedding(Module):
    """Rows of a table."""

    def __init__(self, num_embeddings, embedding_dim, device=None, dtype=None):
        super().__init__()
        self.weight = self.parameter(num_embeddings, embedding_dim, std=1.0, device=device, dtype=dtype)

    def forward(self, ids):
        return ops.embedding(self.weight, ids)


class RMSNorm(Module):
    """Rows divided by their root mean square. `forward(x, residual)` adds first, and returns the sum as well."""

    def __init__(self, dim, eps=1e-6, device=None, dtype=None):
        super().__init__()
        self.eps = eps
        self.weight = self.parameter(dim, value=1, device=device, dtype=dtype)

    def forward(self, x, residual=None):
        if residual is None:
            return ops.rms_norm(x, self.weight, self.eps)
        return ops.add_rms_norm(x, residual, self.weight, self.eps)


class LayerNorm(Module):
    """Rows with mean 0 and variance 1, times weight, plus bias."""

    def __init__(self, dim, eps=1e-5, device=None, dtype=None):
        super().__init__()
        self.eps = eps
        self.weight = self.parameter(dim, value=1, device=device, dtype=dtype)
        self.bias = self.parameter(dim, value=0, device=device, dtype=dtype)

    def forward(self, x):
        return ops.layer_norm(x, self.weight, self.bias, self.eps)


class GroupNorm(Module):
    """Groups of channels with mean 0 and variance 1, times weight, plus bias."""

    def __init__(self, num_groups, num_channels, eps=1e-5, device=None, dtype=None):
        super().__init__()
        self.num_groups, self.eps = num_groups, eps
        self.weight = self.parameter(num_channels, value=1, device=device, dtype=dtype)
        self.bias = self.parameter(num_channels, value=0, device=device, dtype=dtype)

    def forward(self, x):
        return ops.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)


class SwiGLU(Module):
    """Llama's feed-forward layer: down(silu(gate(x)) up(x))."""

    def __init__(self, dim, hidden, device=None, dtype=None):
        super().__init__()
        self.gate_proj = Linear(dim, hidden, False, device, dtype)
        self.up_proj = Linear(dim, hidden, False, device, dtype)
        self.down_proj = Linear(hidden, dim, False, device, dtype)

    def forward(self, x):
        return self.down_proj(ops.swiglu(self.gate_proj(x), self.up_proj(x)))


class ReLU(Module):
    def forward(self, x):
        return ops.relu(x)


class SiLU(Module):
    def forward(self, x):
        return ops.silu(x)


class GELU(Module):
    """`approximate`: "none" or "tanh"."""

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, x):
        return ops.gelu_tanh(x) if self.approximate == "tanh" else ops.gelu(x)


class Softmax(Module):
    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return ops.softmax(x, self.dim)


class Dropout(Module):
    """In training, sets elements to 0 with the probability p; each call draws a seed from torch's generator."""

    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        from .module import torch

        return ops.dropout(x, self.p, int(torch.randint(0, 2**31, ())))


class CrossEntropyLoss(Module):
    """The mean cross entropy of logits (..., classes) and targets (...)."""

    def __init__(self, ignore_index=-100):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        return ops.cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1), self.ignore_index)
