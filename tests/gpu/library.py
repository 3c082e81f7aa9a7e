# SPDX-License-Identifier: Apache-2.0
"""library.py make FOLDER [TARGET]; library.py run FOLDER: exported libraries and a C++ program that calls them on a GPU.

`make` needs NVRTC and a C++ compiler, but no GPU; `run` needs the driver alone. The suite does both where it can, and otherwise runs
what TILELAB_LIBRARIES names."""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIZES = (512, 768, 320)  # M, N, K


def gemm(target):
    import tilelab
    import tilelab.language as T

    M, N, K = SIZES

    @T.prim_func
    def gemm(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(N // 128, M // 128, threads=256) as (bx, by):
            a, b = T.alloc_shared((128, 64), "float16"), T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=3):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[k * 64, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 128])

    return tilelab.compile(gemm, target=target, require="wgmma, copy_engine, roles" if target == "sm_90a" else "matrix_unit")


def scale(target):
    import tilelab
    import tilelab.language as T

    N = T.dynamic("N")

    @T.prim_func
    def scale(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), s: T.float32):
        with T.Kernel(T.ceildiv(N, 256), threads=128) as bx:
            for i in T.Parallel(256):
                B[bx * 256 + i] = A[bx * 256 + i] * s

    return tilelab.compile(scale, target=target)


def make(folder, target="sm_90a"):
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for kernel in (gemm(target), scale(target)):
        kernel.export_library(folder / f"{kernel.name}.so")
    subprocess.run(["c++", "-std=c++17", "-Wall", "-Wextra", "-O2", f"-I{folder}", str(HERE / "library_main.cpp"), "gemm.so", "scale.so",
                    "-o", "main", "-Wl,-rpath,$ORIGIN", "-ldl"], cwd=folder, check=True)
    needed = subprocess.run(["ldd", folder / "main"], capture_output=True, text=True, check=True).stdout
    assert not any(word in needed for word in ("python", "tilelab", "nvrtc", "not found")), needed


def run(folder):
    """(whether all is right, what the program printed)"""
    done = subprocess.run([os.path.join(folder, "main"), *map(str, SIZES)], env={}, capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    right = "gemm: exact" in said and "C: dimension 0 is 511, expected 512" in said and said.count("scale: exact") == 2
    return done.returncode == 0 and right, said


def library(args):
    """The part of the suite."""
    from counts import Counts
    from tilelab._gpu import devices

    counts = Counts("library")
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.environ.get("TILELAB_LIBRARIES") or scratch
        if folder == scratch:
            make(folder, devices.target())
        counts.runs += 3
        right, said = run(folder)
        print("  " + said.replace("\n", "\n  ").rstrip())
        if not right:
            counts.fail("exported libraries", said)
    return counts


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*sys.argv[2:])
    else:
        right, said = run(sys.argv[2])
        print(said, end="")
        sys.exit(0 if right else 1)
