# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import SINGLE, single


def mean_of_three(A):
    padded = np.pad(A, 1)
    return (padded[:-2] + padded[1:-1] + padded[2:]) / 3


def slack(A):
    padded = np.abs(np.pad(A, 1))
    return 4 * SINGLE * (padded[:-2] + padded[1:-1] + padded[2:])


TASK = Task(
    title="The mean of three neighbours",
    text="""
    B[i] is the mean of A[i - 1], A[i] and A[i + 1]; outside both ends A counts as 0.
    A block that computes TILE means needs TILE + 2 elements: its piece and one neighbour on each side, the halo.
    Load them once into shared memory; reading A three times would triple the traffic.""",
    flow=[("memory", ["A[N]"]), ("shared", ["a[TILE + 2]"]), ("T.Parallel", ["(a[i]+a[i+1]+a[i+2]) / 3"]),
          ("memory", ["B[N]"])],
    hints=("The strip of a block begins one element before its piece.",
           "T.copy(A[block * TILE - 1], a) reads zeros outside A, on the left as well.",
           "b[i] = (a[i] + a[i + 1] + a[i + 2]) / 3 in a T.Parallel(TILE), then T.copy(b, B[block * TILE])."),
    parts=[Part(mean_of_three, lambda rng, N, TILE: [single(rng, N)], slack=slack,
                cases=[dict(N=3, TILE=32), dict(N=64, TILE=32), dict(N=150, TILE=64)],
                full=dict(N=1 << 14, TILE=512), moved={"A": "1.01", "B": "1"}, operations="3 * N")])
