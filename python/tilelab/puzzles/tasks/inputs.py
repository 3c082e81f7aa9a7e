# SPDX-License-Identifier: Apache-2.0
"""Inputs of the puzzles, and tolerances of floating-point sums."""

import numpy as np

HALF, SINGLE = 2.0**-10, 2.0**-23  # from 1 to the next number


def half(rng, *shape):
    return rng.standard_normal(shape, dtype=np.float32).astype(np.float16)


def single(rng, *shape):
    return rng.standard_normal(shape, dtype=np.float32)


def sum_slack(terms, axis=-1):
    """Tolerance of a chain of f32 additions of `terms` along an axis: 4 n eps sum |terms|."""
    return 4 * terms.shape[axis] * SINGLE * np.abs(terms).sum(axis=axis)


def product_slack(a, b):
    """Tolerance of a matmul with f32 sums."""
    return 4 * a.shape[-1] * SINGLE * (np.abs(a) @ np.abs(b))


def softmax_slack(scores, values=1.0):
    """Tolerance of exp(x - top) / sum * value: the error of the exponent is a relative error of the result."""
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - top)
    total = e.sum(axis=-1, keepdims=True)
    size = 4 * (2 * np.abs(scores) + np.abs(top) + np.log(total)) + 64 + scores.shape[-1] / 32
    return np.abs(e / total * values) * size * SINGLE
