# SPDX-License-Identifier: Apache-2.0
"""adamw_step of lists of tensors: one launch for COUNT of them, whose blocks follow each other in the grid. A launch costs the host more
than a small parameter costs the GPU; not so in a captured graph, whose steps stay single."""

from ... import language as T
from ..._torch.library import raise_versions
from .. import arrays
from ..launch import jit, launch
from .adamw_step import TILE, update

COUNT = 8


@jit
def adamw_list_kernel(dtype, state):
    """adamw_step_kernel of COUNT tensors: a block finds the one that has it."""
    n, number = [T.dynamic(f"n{k}") for k in range(COUNT)], getattr(T, arrays.wide(state))
    value, moment = [T.Tensor((e,), dtype) for e in n], [T.Tensor((e,), state) for e in n]

    @T.prim_func
    def adamw_list(P0: value[0], P1: value[1], P2: value[2], P3: value[3], P4: value[4], P5: value[5], P6: value[6], P7: value[7],
                   G0: value[0], G1: value[1], G2: value[2], G3: value[3], G4: value[4], G5: value[5], G6: value[6], G7: value[7],
                   M0: moment[0], M1: moment[1], M2: moment[2], M3: moment[3], M4: moment[4], M5: moment[5], M6: moment[6], M7: moment[7],
                   V0: moment[0], V1: moment[1], V2: moment[2], V3: moment[3], V4: moment[4], V5: moment[5], V6: moment[6], V7: moment[7],
                   rate: number, b1: number, b2: number, eps: number, decay: number, f: number, s: number):
        with T.Kernel(sum(T.ceildiv(e, TILE) for e in n), threads=128) as block:
            before = T.alloc_var("int32", 0)
            for k, (P, G, M, V) in enumerate(zip((P0, P1, P2, P3, P4, P5, P6, P7), (G0, G1, G2, G3, G4, G5, G6, G7),
                                                 (M0, M1, M2, M3, M4, M5, M6, M7), (V0, V1, V2, V3, V4, V5, V6, V7))):
                if (block >= before) & (block < before + T.ceildiv(n[k], TILE)):
                    update(P, G, M, V, n[k], block - before, rate, b1, b2, eps, decay, f, s)
                before = before + T.ceildiv(n[k], TILE)

    return adamw_list


def _batches(entries):
    """(dtype, dtype of the moments, COUNT entries) as often as possible, and the list of the entries that are left."""
    groups, left = {}, []
    for entry in entries:
        p, moment = entry[0], entry[2]
        (groups.setdefault((arrays.dtype_of(p), arrays.dtype_of(moment), p.device), []) if p.numel() else left).append(entry)
    full = []
    for (dtype, state, _), group in groups.items():
        whole = len(group) - len(group) % COUNT
        full += [(dtype, state, group[k:k + COUNT]) for k in range(0, whole, COUNT)]
        left += group[whole:]
    return full, left


def adamw_list(entries, corrections, *settings):
    """A step of most `entries`, (p, grad, m, v) of torch and contiguous; returns those that are left. `corrections`: 1 / (1 - b^t) of both
    betas. `settings`: rate, beta1, beta2, eps, decay."""
    full, left = _batches(entries)
    for dtype, state, batch in full:
        flat = [arrays.reshape(x, arrays.count(x.shape)) for kind in zip(*batch) for x in kind]
        launch(adamw_list_kernel, *flat, *settings, *corrections, dtype=dtype, state=state)
        raise_versions([x for p, _, m, v in batch for x in (p, m, v)])
    return left
