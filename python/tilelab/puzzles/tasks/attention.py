# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the puzzles on attention."""

import numpy as np

from ..task import Part
from .inputs import HALF, half, product_slack


def inputs(rng, S, D, **_):
    return [half(rng, S, D) for _ in range(3)]


def slack(q, k, v, mask=None):
    """Weights are rounded to half before they are divided by their sum; matmul errors of scores are relative errors of weights."""
    scores = q @ k.T / np.sqrt(q.shape[1])
    error = product_slack(q, k.T) / np.sqrt(q.shape[1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    relative = 2 * HALF + 4 * error + 64 * 2.0**-23 * (4 + np.abs(np.where(np.isfinite(scores), scores, 0)))
    return (p * relative) @ np.abs(v) + 2.0**-14 * p.max(axis=1, keepdims=True) * np.abs(v).max()


CASES = [dict(S=2, D=16, TQ=16, TK=16), dict(S=32, D=16, TQ=16, TK=16), dict(S=50, D=32, TQ=16, TK=32)]


def part(spec, cases, full, moved="ceildiv(S, TQ)", slack=slack, demands=None):
    """`moved`: the allowed reads of K and V."""
    return Part(spec, inputs, slack=slack, demands=demands, cases=cases, full=full,
                moved={"Q": "1", "K": moved, "V": moved, "O": "1"},
                operations="4 * S * S * D + 10 * S * S + 4 * S * D * ceildiv(S, TK)")
