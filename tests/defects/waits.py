# SPDX-License-Identifier: Apache-2.0
"""Single waits, fences and arrivals that are gone from a compiled product with engines, rings and roles: each is found, and
the finding names a line of the loop that the unit works in, or of the copy behind it."""
import os
import re

import numpy as np
import tilelab
import tilelang
import tilelang.language as T
from tilelab import _core
from tilelab._compiler import arguments

SIZE = 192  # of tiles of 128: all sides have a tail


def product(target):
    @T.prim_func
    def main(A: T.Tensor((SIZE, SIZE), "float16"), B: T.Tensor((SIZE, SIZE), "float16"),
             C: T.Tensor((SIZE, SIZE), "float16")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(2, 2, threads=256 if target == "sm_90a" else 128) as (bx, by):
            a, b = T.alloc_shared((128, 64), "float16"), T.alloc_shared((64, 128), "float16")
            s = T.alloc_shared((128, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(3, num_stages=2):  # <--
                T.copy(A[by * 128, k * 64], a)  # <--
                T.copy(B[k * 64, bx * 128], b)  # <--
                T.gemm(a, b, c)  # <--
            T.copy(c, s)  # <--
            T.copy(s, C[by * 128, bx * 128])  # <--
    return tilelang.compile(main, target=target)


# target, level, the statement (its number among those that match), the kinds that fit
GONE = [
    ("sm_90a", "thread", r"bar_wait\(ring_full", "race"),
    ("sm_90a", "thread", r"bar_wait\(ring_empty", "race barrier-bytes over-arrival"),
    ("sm_90a", "thread", r"bar_arrive_expect\(", "deadlock barrier-bytes divergence"),
    ("sm_90a", "thread", r"bar_arrive\(ring_empty", "deadlock divergence"),
    ("sm_90a", "thread", r"tma_load\(a", "deadlock divergence"),
    ("sm_90a", "thread", r"mma_wait\(", "pending race"),
    ("sm_90a", "thread", r"mma_commit\(", "pending race"),
    ("sm_90a", "thread", r"mma_fence\(", "missing-fence"),
    ("sm_90a", "thread", r"bar_init\(ring_full", "barrier-init"),
    ("sm_90a", "thread", r"init_fence\(", "barrier-init missing-fence race"),
    ("sm_90a", "thread", r"block_sync\(", "race barrier-init"),
    ("sm_90a", "thread", r"role_sync\(", "race"),
    ("sm_80", "thread", r"cp_wait\(", "race uninitialized"),
    ("sm_80", "thread", r"cp_commit\(", "race pending"),
    ("sm_80", "thread", r"block_sync\(", "race"),
    ("mp_31", "thread", r"bar_wait\(ring_full", "race"),
    ("mp_31", "thread", r"bar_wait\(ring_empty", "race barrier-bytes over-arrival"),
    ("mp_31", "thread", r"bar_expect\(", "deadlock barrier-bytes divergence uninitialized"),
    ("mp_31", "thread", r"bar_arrive\(ring_full", "deadlock divergence"),
    ("mp_31", "thread", r"bar_arrive\(ring_empty", "deadlock divergence"),
    ("mp_31", "thread", r"mma_wait\(", "pending race"),
    ("mp_31", "thread", r"role_sync\(", "race"),
    ("mp_31", "thread", r"mma_commit\(", "pending race"),
    ("mp_31", "thread", r"tma_load\(a", "deadlock divergence"),
    ("mp_31", "tile", r"ring_wait\(", "ring-slot deadlock"),
    ("mp_31", "tile", r"ring_release\(", "deadlock ring-slot"),
    ("sm_80", "tile", r"ring_wait\(", "ring-slot deadlock"),
    ("sm_80", "tile", r"ring_commit\(", "ring-slot deadlock"),
    ("sm_90a", "tile", r"ring_wait\(", "ring-slot deadlock uninitialized ring-order"),
    ("sm_90a", "tile", r"ring_release\(", "deadlock ring-slot"),
    ("sm_90a", "tile", r"ring_commit\(", "deadlock ring-slot"),
    ("sm_90a", "tile", r"ring_acquire\(", "ring-slot deadlock"),
]
_made = {}


def made(target):
    if target not in _made:
        _made[target] = product(target)
    return _made[target]


def text_of(kernel, level):
    if level == "thread":
        return kernel._at_level("thread").text(spans=True)
    stages = kernel._func.passes()["snapshots"]
    return next(one["func"] for one in stages if one["pass"] == "schedule_pipelines").text(spans=True)


def problem_of(target, level, pattern, kinds, marks):
    kernel = made(target)
    values = [np.ones((SIZE, SIZE), np.float16) for _ in range(2)] + [np.zeros((SIZE, SIZE), np.float16)]
    described, *memory = arguments.describe(kernel.name, kernel._raw_params, kernel._outputs, values)
    lines = text_of(kernel, level).split("\n")
    gone = next((n for n, line in enumerate(lines) if re.search(pattern, line)), None)
    if gone is None:
        return f"{pattern} is not there", ""
    statement = lines.pop(gone).strip()
    func, said = _core.read_ir("defect", "\n".join(lines))
    if func is None:
        return "", f"refused: {said[0]['text']}"
    found = []
    for text, wanted in (("", False), (statement, True)):
        one = func if wanted else _core.read_ir("right", text_of(kernel, level))[0]
        result = one.run(described, notes=True, uninitialized=True, races=True, threads=1)
        if not wanted and result["findings"]:
            return f"the right one: {result['findings']}", ""
        found = result["findings"]
    shown = _core.views.findings([(level, result)])["text"] if found else "nothing"
    del memory
    fitting = [f for f in found if f["kind"] in kinds.split()]
    if not fitting:
        return f"without {statement}: {shown}", shown
    named = {side["span"]["line"] for f in fitting for side in f["where"]}
    return "" if named & marks else f"no marked line is named: {shown}", shown


def defects():
    path = os.path.abspath(__file__)
    marks = {n for n, line in enumerate(open(path).read().split("\n"), 1) if line.rstrip().endswith("# <--")}
    for target, level, pattern, kinds in GONE:
        name = f"waits.{target}.{level}.{re.sub(r'[^a-z_]', '', pattern.split('(')[0])}{'_' + pattern.split('(')[1] if pattern.split('(')[1] else ''}"
        yield name, lambda t=target, l=level, p=pattern, k=kinds: problem_of(t, l, p, k, marks)
