# SPDX-License-Identifier: Apache-2.0
"""Numbers that are negative, zero or too large for 32 or 64 bits in every place of the language that takes an extent, a
size, a count or an index: a named message or a kernel, and never an internal error, a crash or a hang."""

import itertools
import linecache
import signal
import unittest
import warnings

import support  # noqa: F401
import tilelab as tilelang
from tilelab._compiler.errors import DiagnosedError

HEAD = """
import tilelab.language as T
n = {n}
@T.prim_func
def main({parameters}A: T.Tensor((64, 64), "float32"), B: T.Tensor((64,), "float32"), H: T.Tensor((64, 64), "float16"),
         C: T.Tensor((64,), "int32")):
{host}    with T.Kernel({kernel}) as bx:
        tx = T.get_thread_binding()
        s = T.alloc_shared((64, 64), "float32")
        f = T.alloc_fragment((64, 64), "float32")
        r = T.alloc_fragment((64,), "float32")
        X, Y = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
        T.clear(f)
        T.copy(A, s)
{body}
        T.copy(f, A)
"""
VALUES = [0, -1, 3, 2**31 - 1, 2**31, -2**31 - 1, 2**32 + 2, 2**40, 2**61, 2**62, 2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64 + 1, 2**200]
ELEMENT = "for i in T.Parallel(64):\n    B[i] = {}"
LOOP = "for i in {}:\n    B[0] = 1.0"
STATEMENTS = [
    *(f"x = T.alloc_{memory}({shape}, 'float32')\nT.clear(x)" for memory in ("shared", "fragment", "local")
      for shape in ("(n,)", "(n, 2)", "(2, n)", "(n, n)", "(n, n, n, n)")),
    "x = T.alloc_buffer((n, 4), 'float16')\nT.clear(x)", "x = T.alloc_var('int32', init=n)\nC[0] = x",
    "x = T.alloc_var('int64', init=n)\nC[0] = x", "x = T.alloc_shared((n, n), 'float4_e2m1fn')", "x = T.alloc_shared((n,), 'bool')",
    "x = T.alloc_barrier(n)\nT.barrier_arrive(x)\nT.barrier_wait(x, 0)", "x = T.alloc_barrier([n, 128])\nT.barrier_arrive(x[0])",
    "x = T.alloc_barrier(128)\nT.barrier_arrive(x)\nT.barrier_wait(x, n)", "x = T.alloc_barrier([64] * 2)\nT.barrier_arrive(x[n])",
    "x = T.alloc_reducer((n,), 'float32', op='sum')\nT.fill(x, 0)\nT.finalize_reducer(x)",
    "x = T.reshape(s, (n, n))\nx[0, 0] = 1.0", "x = T.reshape(s, (n,))\nx[0] = 1.0", "x = T.view(s, (n, 2), 'float16')\nx[0, 0] = 1.0",
    *(f"for {'i' if count == 1 else ', '.join('ijkl'[:count])} in T.{loop}({', '.join(['n'] * count)}):\n    B[0] = 1.0"
      for loop in ("Parallel", "grid") for count in (1, 2, 4)),
    *(LOOP.format(f"T.{loop}({bounds})") for loop in ("serial", "unroll", "vectorized")
      for bounds in ("n", "0, n", "n, 5", "-n, n", "n, n + 2", "0, 8, n", "0, n, n - 1")),
    LOOP.format("range(n, n + 2)"), LOOP.format("T.Pipelined(n)"), LOOP.format("T.Pipelined(0, n, 2)"),
    "for i in T.Pipelined(4, num_stages=n):\n    T.copy(A, s)", "for i in T.Pipelined(4, order=[n], stage=[0]):\n    T.copy(A, s)",
    "for i in T.Pipelined(4, order=[0], stage=[n]):\n    T.copy(A, s)",
    *(f"for i, j in T.Persistent({arguments}):\n    B[0] = 1.0" for arguments in ("[n, n], 4, bx", "[4, 4], n, bx", "[4, 4], 4, bx, group_size=n")),
    "for i in T.Parallel(64, coalesced_width=n):\n    B[i] = 1.0",
    "s[n, 0] = 1.0", "A[n, 0] = 1.0", "A[0, n] = 1.0", "A[bx + n, tx] = 1.0", "A[bx * n, tx] = 1.0", "A[bx * n + n, tx * n] = 1.0",
    "B[0] = s[n, n]", "f[n, n] = 0.0", "T.copy(A[n:n + 4, 0:4], s[0:4, 0:4])", "T.copy(A[0:n, 0:n], s)", "T.copy(A[n, n], s)",
    "T.copy(s[n:, :], A[0, 0])", "T.copy(s[:n, :], A[0, 0])", "T.copy(s, A[n * n, n])", "T.fill(s[0:n, :], 1.0)", "T.fill(s, n)",
    "T.fill(A[n:n + 1, 0:4], 1.0)", "T.async_copy(A[n, 0], s)\nT.ptx_wait_group(0)", "T.copy(A, s, coalesced_width=n)",
    "T.reduce_sum(f, r, dim=n)", "T.cumsum(s, dim=n)", "T.reduce_sum(f[0:n, :], r)",
    "T.gemm(X, Y, f, k_pack=n)", "T.gemm(X, Y, f, wg_wait=n)\nT.wait_wgmma(0)", "T.gemm(X, Y, f, wg_wait=-1)\nT.wait_wgmma(n)",
    "T.gemm(X[0:n, :], Y, f)", "T.ptx_wait_group(n)", "T.call_extern('void', '__musa_memcpy_g2s_wait_group', n)",
    "T.sync_threads(n)", "T.sync_threads(1, n)", "T.sync_threads(arrive_count=n)", "T.named_barrier_arrive(n, 128)", "T.named_barrier_arrive(1, n)",
    "with T.ws(n):\n    s[0, 0] = 1.0", "T.use_swizzle(n)", "T.annotate_min_blocks_per_sm(n)", "T.set_max_nreg(n, 1)",
    "T.annotate_layout({s: T.Layout((64, 64), lambda i, j: i * n + j)})", "T.annotate_layout({s: T.Layout((n, n), lambda i, j: i * 64 + j)})",
    "T.annotate_layout({s: T.Layout((64, 64), lambda i, j: [i, j ^ n])})", "T.annotate_layout({f: T.Fragment((64, 64), lambda i, j: (i * n, j))})",
    "T.annotate_layout({f: T.Fragment((64, 64), lambda i, j: (i, j), replicate=n)})",
    "T.ptx_cp_async(T.access_ptr(s[tx, 0], 'w'), T.access_ptr(A[0, 0], 'r'), n)", "T.atomic_add(A[n, n], 1.0)", "T.atomic_add(C[0], n)",
    "T.copy(A[0, 0], s[0, 0], src_robust_desc=T.make_robust_desc(T.address_of(A[0, 0]), n))",
    "C[0] = T.shfl_sync(tx, n)", "C[0] = T.shfl_xor(tx, n)", "C[0] = T.shfl_down(tx, n)", "C[0] = T.shfl_sync(tx, 0, width=n)",
    "C[0] = T.get_warp_idx(warp_size=n)", "C[0] = T.get_lane_idx(warp_size=n)", "C[0] = T.get_warp_group_idx(n, n)",
    "C[0] = T.cast(T.shuffle_elect(n), 'int32')", "y = T.thread_binding(0, n, thread='threadIdx.x')\nC[0] = y",
    "C[0] = T.get_thread_binding(n)", "C[0] = T.get_block_binding(n)",
    "C[0] = n", "C[0] = tx + n", "C[0] = tx * n", "C[0] = tx // n", "C[0] = tx % n", "C[0] = tx << n", "C[0] = tx >> n", "C[0] = n << n",
    "C[0] = n * n", "C[0] = tx - n", "C[0] = T.ceildiv(tx, n)", "C[0] = T.ceildiv(n, tx + 1)", "C[0] = T.min(tx, n)", "C[0] = T.cast(n, 'int8')",
    "C[0] = T.int64(n)", "C[0] = T.uint32(n)", "C[0] = T.if_then_else(tx < n, n, -n)", "C[0] = T.clamp(tx, -n, n)", "C[0] = T.abs(n)", "C[0] = ~n",
    "B[0] = n", "B[0] = A[0, 0] * n", "B[0] = T.pow(A[0, 0], n)", "B[0] = T.float16(n)", "C[T.Ramp(0, 1, n)] = 1", "C[T.Ramp(0, n, 4)] = 1",
    "C[T.Ramp(n, 1, 4)] = 1", "C[0:4] = T.Broadcast(1, n)", "C[tx] = C[(tx + n) % 64]", "if tx < n:\n    B[tx] = 1.0", "T.assume(tx < n)",
    "while C[0] < n:\n    C[0] = n", "T.print(n)", "T.device_assert(tx < n)", "T.rng_init(n)\nC[0] = T.cast(T.rng_rand(), 'int32')",
    "T.rng_init(1, n, n)\nC[0] = T.cast(T.rng_rand(), 'int32')",
]
KERNELS = ["n", "n, n", "n, n, n", "T.ceildiv(n, 128)", "1, threads=n", "1, threads=(n, n)", "1, threads=(n, n, n)", "n, threads=n"]
TYPES = ["T.Tensor((n,), 'float32')", "T.Tensor((n, n), 'float32')", "T.Tensor((n, n, n), 'float64')", "T.Tensor((n,), 'float4_e2m1fn')",
         "T.Tensor((4, n), 'int8')", "T.StridedTensor((4, 4), (n, 1), 'float32')", "T.StridedTensor((n, n), (n, n), 'float32')",
         "T.Tensor((T.dynamic('m') * n,), 'float32')", "T.Tensor((T.dynamic('m') + n,), 'float32')"]
HOST = ["w = T.alloc_global((n,), 'float32')", "w = T.alloc_global((n, n, n), 'float32')", "w = T.reshape(A, (n, n))", "w = T.view(A, (n,), 'int8')"]
USED = "Z[0{}] = Z[0{}]"
count = 0


class Slow(Exception):
    pass


def stop(*_):
    raise Slow


def outcome(**parts):
    """"made", or the name of the first message."""
    global count
    count += 1
    parts = {"parameters": "", "host": "", "kernel": "1, threads=128", "body": "", **parts}
    parts["body"] = "".join(" " * 8 + line + "\n" for line in parts["body"].split("\n"))
    text, file = HEAD.format(**parts), f"<extent {count}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {}
    signal.setitimer(signal.ITIMER_REAL, 20)
    try:
        exec(compile(text, file, "exec"), names)
        tilelang.compile(names["main"]).get_kernel_source()
    except DiagnosedError as error:
        return error.diagnostics[0]["name"]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        del linecache.cache[file]
    return "made"


def every(places, **fixed):
    for (place, make), n in itertools.product(places, VALUES):
        yield f"{place!r} with n = {n}", {**fixed, **make, "n": n}


class Extents(unittest.TestCase):
    def setUp(self):
        signal.signal(signal.SIGALRM, stop)

    def hold(self, places):
        wrong = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for what, parts in every(places):
                try:
                    outcome(**parts)
                except (Exception, Slow) as error:
                    wrong.append(f"{what}: {type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}")
        self.assertFalse(wrong, "\n" + "\n".join(wrong))

    def test_statements(self):
        self.hold([(body, {"body": body}) for body in STATEMENTS])

    def test_grids_and_threads(self):
        self.hold([(kernel, {"kernel": kernel}) for kernel in KERNELS])

    def test_tensors(self):
        self.hold([(type_, {"parameters": f"Z: {type_}, "}) for type_ in TYPES])

    def test_memory_of_the_host_section(self):
        self.hold([(host, {"host": f"    {host}\n"}) for host in HOST])


if __name__ == "__main__":
    unittest.main()
