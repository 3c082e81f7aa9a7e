# SPDX-License-Identifier: Apache-2.0
"""Functions of other languages: the emulation runs the source itself, the simulator and the cpu run its model."""
import numpy as np
import tilelang.language as T

from case import EVERY, case, floats, integers

# Several kernels are compiled as one file.
SOURCE = """
#ifndef FOREIGN_BENT
#define FOREIGN_BENT
__device__ float foreign_bent(float x, int n) { return x > 0 ? x * n : x; }
#endif
"""
OF_MEMORY = """
#ifndef FOREIGN_DIFFERENCES
#define FOREIGN_DIFFERENCES
template <class S, class D> __device__ void foreign_differences(S* source, D* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = source[i + 1] - source[i];
}
#endif
"""


@T.extern_model("foreign_bent")
def bent(x, n):
    return T.if_then_else(x > 0.0, x * T.cast(n, "float32"), x)


@T.extern_model("foreign_differences")
@T.macro
def differences(source, out, n):
    for i in T.serial(n):
        out[i] = source[i + 1] - source[i]


@case(sizes=[dict(N=128), dict(N=70), dict(N=1)], inputs=lambda rng, N: [floats(rng, N)], outputs=(1, 2),
      reference=lambda x, **_: [np.where(x[0] > 0, x[0] * n, x[0]) for n in (2, 4)], targets=EVERY)
def foreign_values(N):
    """A function of numbers, for each iteration and for each thread."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64, prelude=SOURCE) as bx:
            f = T.alloc_fragment((64,), "float32")
            T.copy(A[bx * 64], f)
            for i in T.Parallel(64):
                f[i] = T.call_extern("float32", "foreign_bent", f[i], 2)
            T.copy(f, B[bx * 64])
            i = bx * 64 + T.get_thread_binding()
            if i < N:
                C[i] = T.call_pure_extern("float32", "foreign_bent", A[i], 2 + 2)
    return main


@case(sizes=[dict(M=64), dict(M=37), dict(M=1)], inputs=lambda rng, M: [integers(rng, M, 9)],
      reference=lambda x, **_: [np.diff(x[0], axis=1)], targets=EVERY)
def foreign_memory_of_threads(M):
    """Local memory, in a loop whose copies are pipelined."""
    @T.prim_func
    def main(A: T.Tensor((M, 9), "int32"), B: T.Tensor((M, 8), "int32")):
        with T.Kernel(T.ceildiv(M, 32), threads=32) as bx:
            T.import_source(OF_MEMORY)
            row = bx * 32 + T.get_thread_binding()
            mine, out = T.alloc_local((5,), "int32"), T.alloc_local((4,), "int32")
            for half in T.serial(2):
                if row < M:
                    T.copy(A[row, half * 4:half * 4 + 5], mine)
                    T.call_extern("handle", "foreign_differences", T.access_ptr(mine, "r"), T.access_ptr(out, "w"), 4)
                    T.copy(out, B[row, half * 4:half * 4 + 4])
    return main


@case(sizes=[dict(M=64, N=33), dict(M=37, N=8), dict(M=1, N=3)], inputs=lambda rng, M, N: [integers(rng, M, N)],
      reference=lambda x, **_: [np.diff(x[0], axis=1)], targets=EVERY)
def foreign_shared_memory(M, N):
    """Rows of shared memory, which barriers order: a row is read where another thread has copied it."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "int32"), B: T.Tensor((M, N - 1), "int32")):
        with T.Kernel(T.ceildiv(M, 32), threads=64) as bx:
            T.import_source(OF_MEMORY)
            tx = T.get_thread_binding()
            s, d = T.alloc_shared((32, N), "int32"), T.alloc_shared((32, N - 1), "int32")
            T.copy(A[bx * 32, 0], s)
            if tx < 32:
                T.call_extern("handle", "foreign_differences", T.access_ptr(s[tx, 0], "r", N), T.access_ptr(d[tx, 0], "w", N - 1), N - 1)
            T.copy(d, B[bx * 32, 0])
    return main


def _away(x):
    return np.trunc(x) + np.where(np.abs(x - np.trunc(x)) >= 0.5, np.sign(x), 0)


# Functions of CUDA's headers that are functions of the language, and p, q, r: they are defined for p * x * x + q * x + r of x in [-2, 2].
OF_CUDA = {"asinf": np.arcsin, "acosf": np.arccos, "atanf": np.arctan, "sinhf": np.sinh, "coshf": np.cosh, "asinhf": np.arcsinh,
           "acoshf": np.arccosh, "atanhf": np.arctanh, "tanhf": np.tanh, "expf": np.exp, "log1pf": np.log1p, "nearbyintf": np.rint,
           "rintf": np.rint, "roundf": _away, "truncf": np.trunc, "floorf": np.floor}
OPERAND = {"asinf": (0.0, 0.5, 0.0), "acosf": (0.0, 0.5, 0.0), "acoshf": (1.0, 0.0, 2.0), "atanhf": (0.0, 0.25, 0.0), "log1pf": (1.0, 0.0, 0.0)}
X = (0.0, 1.0, 0.0)
OF_TWO = {"atan2f": np.arctan2, "hypotf": np.hypot, "copysignf": np.copysign}
TO_INTEGERS = {"lrintf": np.rint, "llrintf": np.rint, "lroundf": _away, "llroundf": _away}


def operand(name, x):
    p, q, r = OPERAND.get(name, X)
    return p * x * x + q * x + r


def halves(rng, N):
    """Also numbers between two integers, which the functions round differently."""
    return np.where(rng.random(N) < 0.5, np.clip(floats(rng, N), -2, 2), rng.integers(-4, 5, N) / 2).astype(np.float32)


@case(sizes=[dict(N=8), dict(N=33), dict(N=5)], inputs=lambda rng, N: [halves(rng, N), halves(rng, N)], magnitude=4.0, outputs=(2, 3),
      reference=lambda x, **_: [np.stack([*(f(operand(name, x[0].astype(np.float64))) for name, f in OF_CUDA.items()),
                                          *(f(x[0].astype(np.float64), x[1]) for f in OF_TWO.values()),
                                          x[0].astype(np.float64) * x[1] + x[0]]),
                                np.stack([f(x[0]) for f in TO_INTEGERS.values()]).astype(np.int32)], targets=EVERY)
def foreign_names_of_the_language(N):
    """Functions of CUDA's headers, on every target."""
    rows = len(OF_CUDA) + len(OF_TWO) + 1

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((rows, N), "float32"),
             D: T.Tensor((len(TO_INTEGERS), N), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                for at, name in enumerate(OF_CUDA):
                    p, q, r = OPERAND.get(name, X)
                    C[at, i] = T.call_extern("float32", name, A[i] * A[i] * p + A[i] * q + r)
                for at, name in enumerate(OF_TWO):
                    C[len(OF_CUDA) + at, i] = T.call_extern("float32", name, A[i], B[i])
                C[rows - 1, i] = T.call_extern("float32", "fmaf", A[i], B[i], A[i])
                for at, name in enumerate(TO_INTEGERS):
                    D[at, i] = T.call_extern("int32", name, A[i])
    return main
