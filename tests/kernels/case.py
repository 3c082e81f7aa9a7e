# SPDX-License-Identifier: Apache-2.0
"""A kernel of the corpus: a factory of a prim_func, its sizes, its inputs, its reference.

Each kernel comes in at least three sizes: one that its blocks divide, one with tails, one tiny.
References are NumPy in float64; tolerances follow docs/ir.md, "Types and numbers".
"""
import dataclasses
import types
from typing import Callable

import numpy as np

MODULES = ("elementwise", "reductions", "matrices", "control", "dynamic", "layouts", "ranges", "scans",
           "semantics", "joins", "persistent", "units", "functions", "several", "attentions", "worked", "explicit", "explicit_waits",
           "products", "ordered", "gradients", "stored", "operands", "models", "sums", "prefetches", "narrow", "four_bit_integers", "sparse_products",
           "columns", "called", "alone", "randoms", "reported", "dialects", "collectives", "between_blocks", "strides", "scopes", "inside",
           "integer_table", "each_thread", "foreign", "habits", "warp_matrices",
           "vectors", "clusters", "tensor_sums", "addresses", "changed_slots")
CASES = []


class Bits:
    """An array of unsigned integers, the bits of a dtype that NumPy lacks."""

    def __init__(self, array, dtype):
        self.array, self.shape, self.dtype = array, array.shape, types.SimpleNamespace(name=dtype)
        self.__array_interface__ = {**array.__array_interface__, "typestr": f"<V{array.itemsize}"}


@dataclasses.dataclass
class Addresses:
    """An argument: the addresses of the rows of the argument at a position, or of some of them."""
    of: int
    rows: list = None

    def table(self, arguments):
        array = arguments[self.of]
        rows = range(len(array)) if self.rows is None else self.rows
        return np.array([array.ctypes.data + array.strides[0] * int(row) for row in rows], np.int64)


@dataclasses.dataclass
class Case:
    name: str
    factory: Callable          # (**size) -> prim_func
    sizes: list                # of dicts
    inputs: Callable           # (rng, **size) -> list of arrays, in parameter order, outputs left out
    reference: Callable        # (inputs in float64 or integers, **size) -> list of outputs
    outputs: list              # positions of the outputs among the parameters
    terms: Callable            # (**size) -> K: terms in the sum of one element (0: elementwise)
    magnitude: float = 1.0     # of one term of such a sum; or of the expected values: a function of them
    targets: tuple = ("mp_31", "mp_22", "cpu")
    wider: int = 0             # elements between rows of a tensor whose stride is known at run time only


EVERY = ("mp_31", "mp_22", "cpu", "sm_90a", "sm_80")


def case(*, sizes, inputs, reference, outputs=(-1,), terms=lambda **_: 0, magnitude=1.0,
         targets=Case.targets):
    """Registers a factory as a kernel of the corpus."""
    assert len(sizes) >= 3

    def register(factory):
        CASES.append(Case(factory.__name__, factory, sizes, inputs, reference, list(outputs), terms, magnitude,
                          targets))
        return factory

    return register


def floats(rng, *shape, dtype=np.float32):
    return rng.uniform(-1, 1, shape).astype(dtype)


def integers(rng, *shape, dtype=np.int32, lo=-50, hi=50):
    return rng.integers(lo, hi, shape).astype(dtype)


EPS = {np.dtype(np.float16): 2.0**-10, np.dtype(np.float32): 2.0**-23, np.dtype(np.float64): 2.0**-52}


def tolerance(dtype, expected, terms, magnitude=1.0, accumulator=0.0):
    """|x - ref| <= 2 eps_out |ref| + 4 K eps_acc |A||B|, the accumulator being f32 (or the output's), or one of that eps,
    which also loses eps_acc of the sum at each instruction along K, of 32 terms."""
    eps = EPS[np.dtype(dtype)]
    steps = accumulator * np.abs(expected) * terms / 32 if accumulator else 0.0
    magnitude = magnitude(expected) if callable(magnitude) else magnitude
    accumulator = accumulator or (min(eps, EPS[np.dtype(np.float32)]) if terms else eps)
    smallest = np.finfo(dtype).smallest_subnormal
    return 2 * eps * np.abs(expected) + 4 * max(terms, 1) * accumulator * magnitude * (terms > 0) + steps + smallest


def slack(dtype, expected, terms, magnitude=1.0):
    """(absolute, relative in eps): what two snapshots may differ by where a pass reassociates. Each may
    be off the reference by its tolerance, in opposite directions."""
    if np.dtype(dtype).kind != "f":
        return 0.0, 0
    magnitude = float(np.max(magnitude(expected))) if callable(magnitude) else magnitude
    return 2 * 4 * terms * min(EPS[np.dtype(dtype)], EPS[np.dtype(np.float32)]) * magnitude, 2 * 2


def check(case_, size, got, expected, accumulator=0.0):
    """Returns a message for the first output that is wrong, or None; `accumulator`: eps of sums, where it is not f32's."""
    for number, (g, e) in enumerate(zip(got, expected)):
        e = np.asarray(e)
        if g.shape != e.shape:
            return f"output {number}: shape {g.shape}, expected {e.shape}"
        if g.dtype.kind in "iub":
            bad = g != e.astype(g.dtype)
        else:
            with np.errstate(invalid="ignore"):
                wide = g.astype(np.float64)
                near = np.abs(wide - e) <= tolerance(g.dtype, e, case_.terms(**size), case_.magnitude, accumulator)
            bad = ~(near | (np.isnan(wide) & np.isnan(e)) | (wide == e))
        if bad.any():
            where = tuple(int(i) for i in np.argwhere(bad)[0])
            return (f"output {number}: {int(bad.sum())} of {bad.size} wrong, first at {where}: "
                    f"got {g[where]}, expected {e[where]}")
    return None
