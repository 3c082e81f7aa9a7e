# SPDX-License-Identifier: Apache-2.0
"""The claims of docs/musa-hardware.md about the GEMM and the attention of mp_31 beside the vendor's published kernels."""
import re
import unittest

import tilelab
import tilelab.language as T
from tilelab._session import imports

imports.install()
ROWS, KEYS = 256, 64


def gemm(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(N // 128, M // ROWS, threads=512) as (bx, by):
            a, b = T.alloc_shared((ROWS, KEYS), "float16"), T.alloc_shared((KEYS, 128), "float16")
            c = T.alloc_fragment((ROWS, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(K // KEYS, num_stages=3):
                T.copy(A[by * ROWS, k * KEYS], a)
                T.copy(B[k * KEYS, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * ROWS, bx * 128])
    return main


def attention(S, D):
    scale = D**-0.5 * 1.44269504

    @T.prim_func
    def main(Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"), V: T.Tensor((S, D), "float16"),
             O: T.Tensor((S, D), "float16")):
        with T.Kernel(S // ROWS, threads=512) as bx:
            q, k, v = (T.alloc_shared((rows, D), "float16") for rows in (ROWS, KEYS, KEYS))
            s, out = T.alloc_fragment((ROWS, KEYS), "float32"), T.alloc_fragment((ROWS, D), "float32")
            p = T.alloc_fragment((ROWS, KEYS), "float16")
            most, before, factor, row, total = (T.alloc_fragment((ROWS,), "float32") for _ in range(5))
            T.copy(Q[bx * ROWS, 0], q)
            T.clear(out)
            T.clear(total)
            T.fill(most, -T.infinity("float32"))
            for n in T.Pipelined(S // KEYS, num_stages=2):
                T.copy(K[n * KEYS, 0], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(most, before)
                T.reduce_max(s, most, dim=1, clear=False)
                for i in T.Parallel(ROWS):
                    factor[i] = T.exp2((before[i] - most[i]) * scale)
                for i, j in T.Parallel(ROWS, KEYS):
                    s[i, j] = T.exp2((s[i, j] - most[i]) * scale)
                T.reduce_sum(s, row, dim=1)
                for i in T.Parallel(ROWS):
                    total[i] = total[i] * factor[i] + row[i]
                T.copy(s, p)
                for i, j in T.Parallel(ROWS, D):
                    out[i, j] *= factor[i]
                T.copy(V[n * KEYS, 0], v)
                T.gemm(p, v, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(ROWS, D):
                out[i, j] /= total[i]
            T.copy(out, O[bx * ROWS, 0])
    return main


def mix(kernel):
    """The contents of a kernel's text: threads, barriers, and its operations in order, each once."""
    text = tilelab.compile(kernel, target="mp_31").get_kernel_source()
    sync = re.search(r"(?<=tl_part_sync\()\d+", text)
    return {"threads": int(re.search(r"__launch_bounds__\((\d+)", text)[1]),
            "barriers": int(re.search(r"tl_bar_reserve\((\d+)", text)[1]),
            "loads": re.findall(r"tl_tma_load<(\d+)>", text),
            "products": re.findall(r"tl_sqmma<(.*?)>", text),
            "waits": text.count("tl_mma_wait<0>"),
            "barriers of the consumers": text.count(f"tl_part_sync({sync[0]}") if sync else 0,
            "barriers of the block": text.count("tl_block_sync")}


class Kernels(unittest.TestCase):
    def test_gemm(self):
        self.assertEqual(mix(gemm(1024, 1024, 1024)), {
            "threads": 640, "barriers": 6, "loads": ["16", "32", "32"], "products": ["tl_f16, 128, 64, 64, 0, 1"], "waits": 1,
            "barriers of the consumers": 0, "barriers of the block": 1})

    def test_attention(self):
        self.assertEqual(mix(attention(512, 128)), {
            "threads": 640, "barriers": 11, "loads": ["16", "16", "32"],
            "products": ["tl_f16, 64, 64, 64, 0, 0", "tl_f16, 64, 128, 64, 0, 1"], "waits": 2,
            "barriers of the consumers": 2, "barriers of the block": 1})


if __name__ == "__main__":
    unittest.main()
