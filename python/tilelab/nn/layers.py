# SPDX-License-Identifier: Apache-2.0
"""Linear layers, norms, embeddings, activations and losses. They are torch's classes with another `forward`, so that code which looks for
those finds them. An option that no operator has, such as max_norm of an embedding, is computed by torch."""

from .. import ops
from ..ops import autocast
from .module import Module, layer, torch


class Linear(layer("Linear")):
    """y = x weightᵀ + bias"""

    def forward(self, input):
        return ops.linear(input, self.weight, self.bias)


class Embedding(layer("Embedding")):
    """Rows of a table."""

    def forward(self, input):
        if self.max_norm is not None or self.scale_grad_by_freq or self.sparse:
            return super().forward(input)
        rows = ops.embedding(self.weight, input)
        if self.padding_idx is None:
            return rows
        return torch.where((input == self.padding_idx)[..., None], rows.detach(), rows)


def _row(shape):
    """A shape of the last dimensions as a tuple."""
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _as(x, *parameters):
    """The parameters of a norm, those in float32 in the dtype of a narrower x, which torch's norms take. Autocast converts x."""
    if x.dtype not in (torch.float16, torch.bfloat16) or autocast.dtype_for(x) is not None:
        return parameters
    return [p.to(x.dtype) if torch.is_tensor(p) and p.dtype == torch.float32 else p for p in parameters]


def _normalized(norm, shape, tensors, *parameters):
    """norm(*tensors, *parameters) for a layer that normalizes dimensions of this shape together: a norm of rows."""
    parameters = _as(tensors[0], *parameters)
    if len(shape) == 1:
        return norm(*tensors, *parameters)
    for x in tensors:
        if tuple(x.shape[-len(shape):]) != shape:
            ops.arrays.refuse_shape(f"{tuple(x.shape)} does not end with {shape}, the shape of the layer", "pass rows of the layer's shape")
    made = norm(*(x.flatten(-len(shape)) for x in tensors), *(p.flatten() if torch.is_tensor(p) else p for p in parameters))
    return tuple(one.view(x.shape) for one in made) if isinstance(made, tuple) else made.view(x.shape)


class RMSNorm(Module):
    """Rows divided by their root mean square. `forward(x, residual)` adds first, and returns the sum as well."""

    def __init__(self, normalized_shape, eps=1e-6, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape, self.eps, self.elementwise_affine = _row(normalized_shape), eps, elementwise_affine
        self.weight = self.parameter(*self.normalized_shape, value=1, device=device, dtype=dtype) if elementwise_affine else None

    def reset_parameters(self):
        if self.weight is not None:
            torch.nn.init.ones_(self.weight)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"

    def forward(self, x, residual=None):
        weight = x.new_ones(self.normalized_shape) if self.weight is None else self.weight
        if residual is None:
            return _normalized(ops.rms_norm, self.normalized_shape, (x,), weight, self.eps)
        return _normalized(ops.add_rms_norm, self.normalized_shape, (x, residual), weight, self.eps)


class LayerNorm(layer("LayerNorm")):
    """Rows with mean 0 and variance 1, times weight, plus bias."""

    def forward(self, input):
        if self.weight is None or self.bias is None:
            return super().forward(input)
        return _normalized(ops.layer_norm, self.normalized_shape, (input,), self.weight, self.bias, self.eps)


class GroupNorm(layer("GroupNorm")):
    """Groups of channels with mean 0 and variance 1, times weight, plus bias."""

    def forward(self, input):
        if self.weight is None:
            return super().forward(input)
        return ops.group_norm(input, self.num_groups, *_as(input, self.weight, self.bias), self.eps)


class SwiGLU(Module):
    """Llama's feed-forward layer: down(silu(gate(x)) up(x))."""

    def __init__(self, dim, hidden, device=None, dtype=None):
        super().__init__()
        self.gate_proj = Linear(dim, hidden, False, device, dtype)
        self.up_proj = Linear(dim, hidden, False, device, dtype)
        self.down_proj = Linear(hidden, dim, False, device, dtype)

    def forward(self, x):
        return self.down_proj(ops.swiglu(self.gate_proj(x), self.up_proj(x)))


class ReLU(layer("ReLU")):
    def forward(self, input):
        return super().forward(input) if self.inplace else ops.relu(input)


class SiLU(layer("SiLU")):
    def forward(self, input):
        return super().forward(input) if self.inplace else ops.silu(input)


class GELU(layer("GELU")):
    """`approximate`: "none" or "tanh"."""

    def forward(self, input):
        if self.approximate not in ("none", "tanh"):
            return super().forward(input)
        return ops.gelu_tanh(input) if self.approximate == "tanh" else ops.gelu(input)


class Softmax(layer("Softmax")):
    def __init__(self, dim=-1):
        super().__init__(dim)

    def forward(self, input):
        return super().forward(input) if self.dim is None else ops.softmax(input, self.dim)


class Dropout(layer("Dropout")):
    """In training, sets elements to 0 with the probability p; each call draws a seed from torch's generator."""

    def forward(self, input):
        if self.inplace:
            return super().forward(input)
        if not self.training or self.p == 0:
            return input
        if torch.compiler.is_compiling():  # a seed that is drawn would end the graph
            return super().forward(input)
        return ops.dropout(input, self.p, int(torch.randint(0, 2**31, ())))


class CrossEntropyLoss(layer("CrossEntropyLoss")):
    """The mean cross entropy of logits (rows, classes, ...), as torch's, or (..., classes) where the targets' shape says so."""

    def forward(self, input, target):
        plain = self.weight is None and not self.label_smoothing and self.reduction == "mean" and input.dim() > 1
        if plain and target.shape == input.shape[:1] + input.shape[2:]:
            input = input.movedim(1, -1)
        elif not plain or target.shape != input.shape[:-1]:
            return super().forward(input, target)
        return ops.cross_entropy(input.reshape(-1, input.shape[-1]), target.reshape(-1), self.ignore_index)
