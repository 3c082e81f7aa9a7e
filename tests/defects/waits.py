# SPDX-License-Identifier: Apache-2.0
"""Defects of waits, fences, arrivals, counts and phases: single statements that are gone from a compiled product with
engines, rings and roles, or are other ones. What is read first has a kind that fits, and names just the lines of the user's
text that are meant: those that touch memory, or the loop whose iterations use the ring."""
import os
import re

import numpy as np
import tilelab
import tilelang
import tilelang.language as T
from tilelab import _core
from tilelab._kernel import arguments

SIZE = 192  # of tiles of 128: all sides have a tail
ALONE = "sm_90a without roles"  # one of the threads that multiply has the engine copy


def product(target):
    @T.prim_func
    def main(A: T.Tensor((SIZE, SIZE), "float16"), B: T.Tensor((SIZE, SIZE), "float16"),
             C: T.Tensor((SIZE, SIZE), "float16")):
        T.annotate_pass_configs({"tilelab.hardware_units": True, "tl.disable_warp_specialized": target == ALONE})
        with T.Kernel(2, 2, threads=256 if target == "sm_90a" else 128) as (bx, by):
            a, b = T.alloc_shared((128, 64), "float16"), T.alloc_shared((64, 128), "float16")
            s = T.alloc_shared((128, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(3, num_stages=2):  # <-- loop
                T.copy(A[by * 128, k * 64], a)  # <-- a
                T.copy(B[k * 64, bx * 128], b)  # <-- b
                T.gemm(a, b, c)  # <-- gemm
            T.copy(c, s)  # <-- s
            T.copy(s, C[by * 128, bx * 128])  # <-- out
    return tilelang.compile(main, target=target.partition(" ")[0])


# target, level, the first line with the pattern, its replacement ("": removed), kinds that fit, lines to name
CHANGED = [
    ("sm_90a", "thread", r"bar_wait\(ring_full", "", "pending race", "a"),
    ("sm_90a", "thread", r"bar_wait\(ring_empty", "", "deadlock over-arrival", "loop"),
    ("sm_90a", "thread", r"bar_arrive_expect\(", "", "deadlock barrier-bytes divergence", "loop"),
    ("sm_90a", "thread", r"bar_arrive\(ring_empty", "", "deadlock divergence", "loop"),
    ("sm_90a", "thread", r"tma_load\(a", "", "deadlock divergence", "loop"),
    ("sm_90a", "thread", r"mma_wait\(", "", "pending race", "gemm s"),
    ("sm_90a", "thread", r"mma_commit\(", "", "pending race", "gemm s"),
    ("sm_90a", "thread", r"mma_fence\(", "", "missing-fence", "gemm"),
    ("sm_90a", "thread", r"bar_init\(ring_full", "", "barrier-init", "loop"),
    ("sm_90a", "thread", r"init_fence\(", "", "barrier-init missing-fence race", "a"),
    ("sm_90a", "thread", r"block_sync\(", "", "race barrier-init", "loop"),
    ("sm_90a", "thread", r"role_sync\(", "", "race", "s out"),
    ("sm_90a", "thread", r"ring_empty = (.*)count=2", r"ring_empty = \1count=3", "deadlock", "loop"),
    ("sm_90a", "thread", r"ring_empty = (.*)count=2", r"ring_empty = \1count=1", "deadlock over-arrival", "loop"),
    ("sm_90a", "thread", r"ring_full = (.*)count=1", r"ring_full = \1count=2", "deadlock", "loop"),
    ("sm_90a", "thread", r"bar_wait\(ring_full\[s_1\], ring_out_phase", r"\g<0> ^ 1", "race", "gemm a"),
    ("sm_90a", "thread", r"ring_in_phase \^ 1\)", "ring_in_phase)", "deadlock", "loop"),
    ("sm_90a", "thread", r"ring_out_phase = ring_out_phase \^", "", "pending race", "a"),
    ("sm_90a", "thread", r"(bar_arrive_expect.*)32768", r"\g<1>16384", "pending barrier-bytes", "b"),
    ("sm_90a", "thread", r"(bar_arrive_expect.*)32768", r"\g<1>65536", "deadlock", "loop"),
    ("sm_90a", "thread", r"bar_arrive\(ring_empty\[s_1\]\)", "if k > 0:\n    \\g<0>", "deadlock", "loop"),
    (ALONE, "thread", r"bar_wait\(ring_full", "", "pending race", "a"),
    (ALONE, "thread", r"bar_arrive_expect\(", "", "deadlock barrier-bytes divergence", "loop"),
    (ALONE, "thread", r"bar_arrive\(ring_empty", "", "deadlock divergence", "loop"),
    (ALONE, "thread", r"ring_empty = (.*)count=4", r"ring_empty = \1count=5", "deadlock", "loop"),
    (ALONE, "tile", r"ring_release\(", "", "deadlock ring-slot", "loop"),
    (ALONE, "tile", r"ring_wait\(ring\)", "k % 2", "ring-slot deadlock", "loop"),
    ("sm_80", "thread", r"cp_wait\(", "", "pending", "gemm a"),
    ("sm_80", "thread", r"cp_commit\(", "", "race pending", "gemm a"),
    ("sm_80", "thread", r"block_sync\(", "", "race", "gemm a"),
    ("sm_80", "thread", r"cp_wait\(1\)", "cp_wait(2)", "pending", "gemm a"),
    ("sm_80", "thread", r"block_sync\(\)", "if tid < 64:\n    \\g<0>", "divergence", "loop"),
    ("mp_31", "thread", r"bar_wait\(ring_full", "", "pending race", "a"),
    ("mp_31", "thread", r"bar_wait\(ring_empty", "", "deadlock over-arrival", "loop"),
    ("mp_31", "thread", r"bar_expect\(", "", "pending deadlock barrier-bytes", "a"),
    ("mp_31", "thread", r"bar_arrive\(ring_full", "", "deadlock divergence", "loop"),
    ("mp_31", "thread", r"bar_arrive\(ring_empty", "", "deadlock divergence", "loop"),
    ("mp_31", "thread", r"mma_wait\(", "", "pending race", "gemm s"),
    ("mp_31", "thread", r"role_sync\(", "", "race", "s out"),
    ("mp_31", "thread", r"mma_commit\(", "", "pending race", "gemm s"),
    ("mp_31", "thread", r"tma_load\(a", "", "deadlock divergence", "loop"),
    ("mp_31", "thread", r"ring_empty = (.*)count=4", r"ring_empty = \1count=8", "deadlock", "loop"),
    ("mp_31", "thread", r"bar_wait\(ring_full\[s_1\], ring_out_phase", r"\g<0> ^ 1", "race", "gemm a"),
    ("mp_31", "thread", r"bar_arrive\(ring_full\[s_1\]\)", r"bar_arrive(ring_full[0])", "deadlock over-arrival", "loop"),
    ("mp_31", "tile", r"ring_wait\(ring\)", "k % 2", "ring-slot deadlock", "loop"),
    ("mp_31", "tile", r"ring_release\(", "", "deadlock ring-slot", "loop"),
    ("mp_31", "tile", r"gemm\(", "ring_release(ring)\n\\g<0>", "ring-slot", "loop"),
    ("sm_80", "tile", r"ring_wait\(ring\)", "k % 2", "ring-slot deadlock", "loop"),
    ("sm_80", "tile", r"ring_release\(", "", "ring-slot deadlock", "loop"),
    ("sm_90a", "tile", r"ring_wait\(ring\)", "k % 2", "ring-slot deadlock", "loop"),
    ("sm_90a", "tile", r"ring_release\(", "", "deadlock ring-slot", "loop"),
    ("sm_90a", "tile", r"ring_commit\(", "", "deadlock ring-slot", "loop"),
    ("sm_90a", "tile", r"ring_acquire\(ring\)", "k % 2", "ring-slot deadlock", "loop"),
    ("sm_90a", "tile", r"ring_release\(ring\)", "if bx < 1:\n    \\g<0>", "deadlock", "loop"),
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


def changed(text, pattern, instead):
    """The text with a statement replaced or removed; None if it has no such statement."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not re.search(pattern, line):
            continue
        code, mark, place = line.partition("  # @")
        indent = code[:len(code) - len(code.lstrip())]
        made = re.sub(pattern, instead, code, count=1).split("\n") if instead else []
        # A statement of two lines: the first, where it is a condition, goes round the second.
        lines[number:number + 1] = [(indent if i and not one.startswith(indent) else "") + one + mark + place
                                    for i, one in enumerate(made)]
        return "\n".join(lines)
    return None


def findings_of(func, values):
    described, *memory = arguments.describe(made("mp_31"), values)
    result = func.run(described, notes=True, uninitialized=True, races=True, threads=1)
    del memory
    return result


def problem_of(target, level, pattern, instead, kinds, marks):
    text = text_of(made(target), level)
    other = changed(text, pattern, instead)
    if other is None:
        return f"{pattern} is not there", ""
    values = [np.ones((SIZE, SIZE), np.float16) for _ in range(2)] + [np.zeros((SIZE, SIZE), np.float16)]
    right = findings_of(_core.read_ir("right", text)[0], values)["findings"]
    if right:
        return f"the right one: {right}", ""
    func, said = _core.read_ir("defect", other)
    if func is None:
        return f"refused: {said[0]['text']}", ""
    result = findings_of(func, values)
    if not result["findings"]:
        return "nothing is found", ""
    shown = _core.views.findings([(level, result)])["text"]
    _, number, _ = _core.views.merged([(level, result)])[0]
    first = result["findings"][number]  # what is read first
    if first["kind"] not in kinds.split():
        return f"not called {kinds}: {shown}", shown
    named = {side["span"]["line"] for side in first["where"]} - {0}  # 0: what the compiler made has no line
    return "" if named == marks else f"lines {sorted(named)} are named, not {sorted(marks)}: {shown}", shown


def defects():
    path = os.path.abspath(__file__)
    marks = {line.rpartition("# <-- ")[2]: n for n, line in enumerate(open(path).read().split("\n"), 1) if "  # <-- " in line}
    for number, (target, level, pattern, instead, kinds, lines) in enumerate(CHANGED):
        what = re.sub(r"[^a-z_]", "", pattern.split("=")[0])
        name = f"waits.{number}.{target.replace(' ', '_')}.{level}.{what}.{'other' if instead else 'gone'}"
        wanted = {marks[line] for line in lines.split()}
        yield name, lambda t=target, l=level, p=pattern, i=instead, k=kinds, w=wanted: problem_of(t, l, p, i, k, w)
