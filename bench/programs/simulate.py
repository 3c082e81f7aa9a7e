# SPDX-License-Identifier: Apache-2.0
"""Times of simulated kernels: simulate.py puzzle NUMBER REPEATS | add | gemm-TILE | softmax | tiny REPEATS | sgemm SIZE REPEATS
| threads KERNEL REPEATS | captured REPEATS | first_call REPEATS | checked KERNEL REPEATS | traced LEVEL REPEATS | traced_back COMMAND KERNEL REPEATS. Prints one line of
JSON with "wall" and "cpu" in seconds, lists of one entry a run."""

import json
import sys
import time

import numpy as np
import puzzles
import tilelab as tilelang
import tilelab.language as T


def timed(call, repeats):
    out = {"wall": [], "cpu": []}
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        out["cpu"].append(time.process_time() - cpu)
        out["wall"].append(time.perf_counter() - wall)
    return out


def puzzle(number, repeats):
    part = puzzles.PUZZLES[number]
    compiled = part.kernel.compile(**part.official)
    values = part.inputs(np.random.default_rng(0), **part.official)
    return timed(lambda: compiled(*values), int(repeats) + 1) | {"kernel": compiled.name}


@tilelang.jit
def add(A, B, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B: T.Tensor((N,), "float32")
    C = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        for i in T.Parallel(TILE):
            C[block * TILE + i] = A[block * TILE + i] + B[block * TILE + i]
    return C


@tilelang.jit
def whole_rows(A, ROWS: int):
    """Softmax of rows that fit into a block."""
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float32")
    B = T.empty((N, M), "float32")
    with T.Kernel(N // ROWS, threads=128) as block:
        a = T.alloc_fragment((ROWS, M), "float32")
        top = T.alloc_fragment((ROWS,), "float32")
        total = T.alloc_fragment((ROWS,), "float32")
        T.copy(A[block * ROWS, 0], a)
        T.reduce_max(a, top, dim=1)
        for i, j in T.Parallel(ROWS, M):
            a[i, j] = T.exp(a[i, j] - top[i])
        T.reduce_sum(a, total, dim=1)
        for i, j in T.Parallel(ROWS, M):
            a[i, j] = a[i, j] / total[i]
        T.copy(a, B[block * ROWS, 0])
    return B


def triton_case(name, repeats):
    """The kernel that the peer runs in its interpreter, of the same tile sizes; gemm-64: of tiles of 64 x 64."""
    rng = np.random.default_rng(0)
    if name == "add":
        kernel, values = add.compile(N=1 << 20, TILE=1024), [puzzles.single(rng, 1 << 20) for _ in range(2)]
        wanted = values[0] + values[1]
    elif name.startswith("gemm-"):
        tile = int(name[5:])
        kernel = puzzles.matmul.compile(M=1024, N=1024, K=1024, TM=tile, TN=tile, TK=32, dtype="float16")
        values = [puzzles.half(rng, 1024, 1024) for _ in range(2)]
        wanted = values[0].astype(np.float32) @ values[1].astype(np.float32)
    else:
        kernel, values = whole_rows.compile(N=4096, M=1024, ROWS=1), [puzzles.single(rng, 4096, 1024)]
        e = np.exp(values[0] - values[0].max(axis=1, keepdims=True))
        wanted = e / e.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(kernel(*values), wanted, rtol=2e-3, atol=1e-6 if name in ("add", "softmax") else 2e-2)
    return timed(lambda: kernel(*values), int(repeats))


def tiny(repeats):
    """Overhead of a call besides the kernel: the sum of 256 elements, in one block."""
    kernel, values = add.compile(N=256, TILE=256), [np.arange(256, dtype="float32")] * 2
    np.testing.assert_array_equal(kernel(*values), 2 * values[0])
    return timed(lambda: kernel(*values), int(repeats))


FACTOR, SHIFT, SHAPE, NAME = 2.0, 3, (4, 8), "float32"


class Config:
    tile, stages = 64, 2


def scaled(x):
    return x * FACTOR


@tilelang.jit(out_idx=[-1])
def reading(n):
    """Reads five names, two attributes and a helper's name."""
    @T.prim_func
    def main(A: T.Tensor((n,), NAME), B: T.Tensor((n,), NAME)):
        with T.Kernel(T.ceildiv(n, Config.tile), threads=32 * Config.stages) as block:
            for i in T.Parallel(Config.tile):
                B[block * Config.tile + i] = scaled(A[block * Config.tile + i]) + SHIFT + SHAPE[0]
    return main


def captured(repeats):
    """What a call of a jit function spends on comparing what its code has read: 1000 times."""
    reading(256)
    (_, captures), = reading._cache.values()
    assert not captures.changed()
    return timed(lambda: [captures.changed() for _ in range(1000)], int(repeats))


def blas_name():
    """The BLAS of the loaded library; Debian's NumPy does not record which one its `blas` resolves to."""
    with open("/proc/self/maps") as maps:
        if "openblas" in maps.read():
            return "openblas"
    try:
        return np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    except (TypeError, KeyError):
        return "NumPy's BLAS"


def sgemm(size, repeats):
    """The same product by our simulator and by NumPy's BLAS, interleaved, in one process with as many threads."""
    size, rng = int(size), np.random.default_rng(0)
    kernel = puzzles.matmul.compile(M=size, N=size, K=size, TM=128, TN=128, TK=64, dtype="float32")
    a, b = puzzles.single(rng, size, size), puzzles.single(rng, size, size)
    np.testing.assert_allclose(kernel(a, b), a @ b, rtol=1e-3, atol=1e-2)
    ours, peer = {"wall": [], "cpu": []}, {"wall": [], "cpu": []}
    for _ in range(int(repeats)):
        for out, call in ((ours, lambda: kernel(a, b)), (peer, lambda: a @ b)):
            for key, values in timed(call, 1).items():
                out[key] += values
    return {"ours": ours, "peer": peer, "blas": blas_name()}


def threads(name, repeats):
    """Results per second and core at thread level (one worker), and the same kernel with every watcher on."""
    from tilelab._kernel import arguments

    rng = np.random.default_rng(0)
    if name == "softmax":
        kernel, values = whole_rows.compile(N=256, M=1024, ROWS=4), [puzzles.single(rng, 256, 1024)]
    else:
        kernel = puzzles.matmul.compile(M=256, N=256, K=256, TM=64, TN=64, TK=32, dtype="float16")
        values = [puzzles.half(rng, 256, 256) for _ in range(2)]
    described, arrays, _ = arguments.describe(kernel, values)
    func = kernel._at_level("thread")
    out = {"plain": [], "watched": []}
    for _ in range(int(repeats)):
        for key, watch in (("plain", {}), ("watched", dict(notes=True, uninitialized=True, races=True))):
            begun = time.process_time()
            result = func.run(described, threads=1, **watch)
            out[key].append(time.process_time() - begun)
            assert result["status"] == "finished" and not result["findings"], result
        out["results"] = result["lane_results"]
    return out


def product_of_roles(size):
    """A product by the machine's units: engines fill a ring, groups of warps empty it."""
    @T.prim_func
    def main(A: T.Tensor((size, size), "float16"), B: T.Tensor((size, size), "float16"),
             C: T.Tensor((size, size), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(size // 128, size // 128, threads=256) as (bx, by):
            a, b = T.alloc_shared((128, 32), "float16"), T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(size // 32, num_stages=3):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 128])
    return tilelang.compile(main, target="sm_90a")


def first_call(repeats):
    """The first call of a kernel, of which blocks are watched, and the next one."""
    rng = np.random.default_rng(0)
    values = [puzzles.half(rng, 1024, 1024) for _ in range(2)]
    made = puzzles.matmul.compile(M=1024, N=1024, K=1024, TM=128, TN=128, TK=32, dtype="float16")
    out = {"first": [], "next": []}
    for _ in range(int(repeats)):
        kernel = type(made)(made._func)
        for stage in out:
            start = time.perf_counter()
            kernel(*values)
            out[stage].append(time.perf_counter() - start)
    return out


def checked(name, repeats):
    """%check of a call: of a product of 1024^3 by threads or by roles, or of a puzzle's kernel."""
    from tilelab._kernel import arguments
    from tilelab._tools import check

    rng = np.random.default_rng(0)
    size = 32 if name == "gemm-32" else 1024
    values = [puzzles.half(rng, size, size) for _ in range(2)]
    if name == "gemm":
        kernel = puzzles.matmul.compile(M=1024, N=1024, K=1024, TM=128, TN=128, TK=32, dtype="float16")
    elif name == "gemm-32":
        kernel = puzzles.matmul.compile(M=32, N=32, K=32, TM=16, TN=16, TK=16, dtype="float16")
    elif name == "roles":
        kernel, values = product_of_roles(1024), values + [np.zeros((1024, 1024), "float32")]
    else:
        part = puzzles.PUZZLES[name]
        kernel, values = part.kernel.compile(**part.official), part.inputs(rng, **part.official)
    described, *memory = arguments.describe(kernel, values)
    runs = []
    out = timed(lambda: runs.append(check.run_levels(kernel, described)), int(repeats))
    assert memory and not check.found(runs[-1]), check.found(runs[-1])
    return out | {"blocks": [runs[-1][0][1][key] for key in ("blocks", "proved")]}


def traced(level, repeats):
    """%trace of one block of a product of 256^3, with its HTML."""
    rng = np.random.default_rng(0)
    values = [puzzles.half(rng, 256, 256) for _ in range(2)]
    kernel = puzzles.matmul.compile(M=256, N=256, K=256, TM=128, TN=128, TK=32, dtype="float16")
    made = []
    out = timed(lambda: made.append(kernel.trace(*values, block=(1, 0), level=level)), int(repeats))
    assert made[-1].count >= 20 and made[-1].html
    return out | {"events": made[-1].count}


def traced_back(command, name, repeats):
    """%bisect or %why of a product of 256^3."""
    rng = np.random.default_rng(0)
    values = [puzzles.half(rng, 256, 256) for _ in range(2)]
    if name == "gemm":
        kernel = puzzles.matmul.compile(M=256, N=256, K=256, TM=128, TN=128, TK=32, dtype="float16")
    else:
        kernel, values = product_of_roles(256), values + [np.zeros((256, 256), "float32")]
    output = [p.name for p in kernel.params][-1]
    call = {"bisect": lambda: kernel.bisect(*values), "why": lambda: kernel.why(output, (200, 100), *values)}[command]
    return timed(call, int(repeats))


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    call = {"puzzle": puzzle, "sgemm": sgemm, "threads": threads, "tiny": tiny, "checked": checked, "traced": traced, "captured": captured,
            "first_call": first_call,
            "traced_back": traced_back}.get(what)
    print(json.dumps(call(*rest) if call else triton_case(what, *rest)))
