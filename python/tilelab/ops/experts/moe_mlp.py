# SPDX-License-Identifier: Apache-2.0
"""A layer of experts: each token goes to k of them, whose SwiGLU layers (gate, up, down) are weighted and added.

    logits --routing--> weights, experts --permutation--> order of rows by expert
    x --gather--> rows --grouped products--> swiglu(gate, up) --grouped product--> y --combine--> out"""

import numpy

from .. import arrays
from ..elementwise.arithmetic import swiglu
from ..embeddings.embedding import embedding
from ..operator import Tensor, operator
from .grouped_gemm import grouped_gemm
from .moe_combine import moe_combine
from .moe_permutation import moe_permutation
from .moe_routing import moe_routing
from .token_of_row import token_of_row


@operator(composite=True, autocast="narrow", arguments="gate[experts, D, hidden]; up[experts, D, hidden]; down[experts, hidden, D]; x[tokens, D]; "
                    "logits[tokens, experts]")
def moe_mlp(x: Tensor, logits: Tensor, gate: Tensor, up: Tensor, down: Tensor, k: int) -> Tensor:
    """(tokens, D) of x (tokens, D), logits (tokens, E), gate and up (E, D, F), down (E, F, D)."""
    weights, experts = moe_routing(logits, k)
    order, position, offsets = moe_permutation(experts, gate.shape[0])
    rows = embedding(x, token_of_row(order, k))
    hidden = swiglu(grouped_gemm(rows, gate, offsets), grouped_gemm(rows, up, offsets))
    return moe_combine(grouped_gemm(hidden, down, offsets), weights, arrays.reshape(position, *weights.shape))


@moe_mlp.specification
def specification(x, logits, gate, up, down, k):
    experts = numpy.argsort(-logits, -1, kind="stable")[:, :k]
    e = numpy.exp(numpy.take_along_axis(logits, experts, -1) - logits.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    out = numpy.zeros_like(x)
    for t in range(len(x)):
        for w, i in zip(weights[t], experts[t]):
            g = x[t] @ gate[i]
            out[t] += w * (g / (1 + numpy.exp(-g)) * (x[t] @ up[i]) @ down[i])
    return out


@moe_mlp.examples
def examples(draw, n):
    yield (draw(9 * n, 24), draw(9 * n, 4), draw(4, 24, 20 * n) / 4, draw(4, 24, 20 * n) / 4, draw(4, 20 * n, 24) / 4, 2), {}
