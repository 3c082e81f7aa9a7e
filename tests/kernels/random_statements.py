# SPDX-License-Identifier: Apache-2.0
"""The kinds of statements of random kernels: the table of their makers.

Each function takes the kernel and gives a Step, or None where the kernel has nothing that fits.
"""
import random_expressions as ex
import random_control
import random_layouts
import random_matrices
import random_reductions
import random_threads
from random_expressions import pick


def copy_box(kernel):
    """A part of one tile into another part, of the same size, of another; also T.fill of a part."""
    rng = kernel.rng
    whole = [t for t in kernel.tiles if t.axes in ("ij", "i", "j") and t.scope == "shared"]
    a, b = pick(rng, whole), pick(rng, whole)
    if a is None or a is b or a.axes != b.axes:
        return None
    sizes = kernel.shape(a.axes)
    extent = [int(rng.integers(1, n + 1)) for n in sizes]
    starts = [[int(rng.integers(0, n - e + 1)) for n, e in zip(sizes, extent)] for _ in range(2)]
    boxes = [", ".join(f"{s}:{s + e}" for s, e in zip(start, extent)) for start in starts]
    source, target = (tuple(slice(s, s + e) for s, e in zip(start, extent)) for start in starts)

    bound, clamp = kernel.bounded(b)

    def run(env):
        env[b.name][target] = ex.converted(env[a.name][source], b.dtype)
        clamp(env)
    return kernel.step(lambda: [f"T.copy({a.name}[{boxes[0]}], {b.name}[{boxes[1]}])"] + bound, run)


MAKERS = (copy_box, *random_control.MAKERS, *random_reductions.MAKERS, *random_layouts.MAKERS, *random_matrices.MAKERS,
          *random_threads.MAKERS)
