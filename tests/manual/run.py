#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of a manual in Markdown: run.py [--gpu] FILE [BLOCK...]

Each block runs as it is, except for the rows of CHANGES below: names that a block leaves open are defined before it, sizes that are too
large for the simulator are replaced, and a block that is a part of a program is completed. Blocks that are shell commands are skipped.
With --gpu, targets stay as the blocks name them, and each runs in a separate process: a failed assert ends a GPU's context.
Prints a line per block; exit status 1 if one fails."""

import linecache
import pathlib
import re
import subprocess
import sys
import traceback

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "python")]
import support  # noqa: E402,F401  (tilelab under the name tilelang)

COMMON = "import itertools, numpy\nimport tilelang, tilelang as tl, tilelang.language as T\n"
VECTORS = "N, dtype = 64, 'float32'\n"
ATTENTION = "q, k, v = (tl.randn((1, 2, 64, 32), dtype=tl.float16) for _ in range(3))\n"
BODY = "with T.Kernel(1, threads=32):\n        for i in T.Parallel(N):\n            C[i] = A[i] + B[i]"
LOOPS = """N, M, K, BK, A, B, C = 64, 16, 64, 32, *(numpy.ones((16, 16), 'float32') for _ in range(3))
@T.prim_func
def loops(A: T.Tensor((M, M), 'float32'), B: T.Tensor((M, M), 'float32'), C: T.Tensor((M, M), 'float32')):
    N = M
    with T.Kernel(1, threads=32):
"""
# A line of the block: code before it, code after it, [(pattern, replacement)], names from which it is skipped.
CHANGES = [
    ("q = tl.randn((batch, n_heads", dict(before="batch, n_heads, seq_len, head_dim = 1, 2, 64, 32\n",
                                          after="assert tuple(attn_out.shape) == tuple(q.shape)\n")),
    ("def fused_moe_router(", dict(after="x, gate = tl.randn((4, 64)), tl.randn((4, 8))\nout = tl.zeros((4, 64))\n"
                                   "fused_moe_router[(4,)](x, gate, out, 4, 64, 8, 64, 1, 8, 1, 64, 1)\n"
                                   "assert float(abs(out - x).max()) == 0\n")),
    ("c = tl.gemm(a, b", dict(before="a, b = tl.randn((48, 32)), tl.randn((40, 32))\nx, bias = tl.randn((8, 32)), tl.randn(32)\n",
                              after="assert tuple(c.shape) == (48, 40) and tuple(mean_val.shape) == (8,)\n")),
    ("my_kernel[grid]", dict(before="""import tilelab.triton as triton, tilelab.triton.language
M = N = K = 32
a, b, c = tl.randn((M, K)), tl.randn((K, N)), tl.zeros((M, N))
@triton.jit
def kernel_of(a, b, c, M, N, K, BLOCK_M: triton.language.constexpr, BLOCK_N: triton.language.constexpr):
    i, j = triton.language.program_id(0), triton.language.program_id(1)
    triton.language.store(c + i * N + j, 1.0)
my_kernel = triton.autotune(configs=[triton.Config({'BLOCK_M': 16, 'BLOCK_N': 16})], key=['M'])(kernel_of)
""")),
    ("def add_kernel(", dict(before=VECTORS, replace=[(r"\.\.\.  # kernel body", BODY)])),
    ("for i, j in T.Parallel(M, N):\n    C[i, j]", dict(inside=LOOPS)),
    ("kernel = tl.flash_attention", dict(before=ATTENTION)),
    ("def get_block_template_configs", dict(after="""@tilelang.jit(out_idx=-1)
def tuned(block_M=2, block_N=2, num_stages=0, threads=32):
    @T.prim_func
    def main(A: T.Tensor((64,), 'float32'), B: T.Tensor((64,), 'float32')):
        with T.Kernel(1, threads=threads):
            for i in T.Parallel(64):
                B[i] = A[i]
    return main
""", replace=[(r"block_(M|N)=\[[^\]]*\]", r"block_\1=[2]"), (r"num_stages=\[[^\]]*\]", "num_stages=[0]")])),
    ("def matmul(M, N, K, block_M", dict(
        before="import sys, types\ndef get_tilelang_type(name):\n    return name.partition('.')[2]\n",
        replace=[(r"8192, 7168, 16384, 256, 256, 64", "256, 256, 128, 128, 128, 64"), (r"__name__ == \"__main__\"", "True")], torch=True)),
    ("def debug_print_buffer", dict(simulated=[(r'target="cuda"', 'target="auto"')], after="debug_print_buffer()\n")),
    ("def _manual_device_assert_triggered", dict(simulated=[(r'target="cuda"', 'target="auto"')], after="""
try:
    _manual_device_assert_triggered()
except Exception as error:
    assert "Assertion Trigger" in str(error), error
""")),
]
SHELL = re.compile(r"\A\s*(mc|git|pip|conda|export|\+---)")


def blocks(text):
    """(line, code) of the fenced blocks in Python, which some manuals mark as another language."""
    for match in re.finditer(r"^```(python|cpp|plaintext)\n(.*?)^```", text, re.M | re.S):
        yield text.count("\n", 0, match.start()) + 2, match[2]


def program(code, gpu):
    """The block with its changes; None if it needs torch and there is none. `gpu`: it runs on the GPU that it names."""
    for mark, change in CHANGES:
        if mark not in code:
            continue
        if change.get("torch"):
            try:
                import torch  # noqa: F401
            except ImportError:
                return None
        for pattern, replacement in [*change.get("replace", ()), *(() if gpu else change.get("simulated", ()))]:
            code = re.sub(pattern, replacement, code)
        if "inside" in change:
            body = re.sub(r"^(\s*)\.\.\.$", r"\1pass", code, flags=re.M)
            body = body.replace("    # overlap", "    pass  # overlap")
            code = change["inside"] + "".join(f"        {line}\n" for line in body.splitlines())
        if code.rstrip().endswith(")") and "@tl.autotune(" in code:  # a decorator without its function
            code += change["after"]
            return COMMON + change.get("before", "") + code
        return COMMON + change.get("before", "") + code + change.get("after", "")
    return COMMON + code


def run(name, code):
    linecache.cache[name] = len(code), None, code.splitlines(True), name
    exec(compile(code, name, "exec"), {"__name__": "__main__", "__file__": name})


def main(*arguments):
    import tilelab._session.imports as imports

    imports.install()  # `import tilelang`
    gpu, (file, *chosen) = "--gpu" in arguments, [each for each in arguments if each != "--gpu"]
    failed = 0
    for number, (line, code) in enumerate(blocks(pathlib.Path(file).read_text(encoding="utf-8")), 1):
        if chosen and str(number) not in chosen:
            continue
        if gpu and len(chosen) != 1:
            failed += subprocess.run([sys.executable, __file__, "--gpu", file, str(number)]).returncode
            continue
        made = None if SHELL.match(code) else program(code, gpu)
        verdict = "skipped"
        if made is not None:
            try:
                run(f"<block {number}>", made)
                verdict = "ran"
            except Exception:
                traceback.print_exc()
                verdict, failed = "FAILED", failed + 1
        print(f"block {number}, line {line}: {verdict}", flush=True)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
