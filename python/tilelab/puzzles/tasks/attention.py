# SPDX-License-Identifier: Apache-2.0
"""What the puzzles on attention have in common."""

import numpy as np

from .inputs import HALF, half, product_slack


def inputs(rng, S, D, **_):
    return [half(rng, S, D) for _ in range(3)]


def slack(q, k, v, mask=None):
    """Weights are rounded to halves, before they are divided by their sum; scores have errors of a product, which are
    relative errors of the weights."""
    scores = q @ k.T / np.sqrt(q.shape[1])
    error = product_slack(q, k.T) / np.sqrt(q.shape[1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    relative = 2 * HALF + 4 * error + 64 * 2.0**-23 * (4 + np.abs(np.where(np.isfinite(scores), scores, 0)))
    return (p * relative) @ np.abs(v) + 2.0**-14 * p.max(axis=1, keepdims=True) * np.abs(v).max()
