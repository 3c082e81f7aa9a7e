# SPDX-License-Identifier: Apache-2.0
"""Kernels on this machine's GPU through the runtime, as users call them.

    suite.py [--only PART ...] [--cases NAME ...] [--random COUNT] [--seed SEED] [--stop SECONDS] [--share I/N]
             [--full]

corpus    the kernels of tests/kernels in all their sizes, as code for the GPU and as sm_80 code, against NumPy
full      those of them that bars speak of at sizes that models have
puzzles   the answers of tests/puzzles, with their small sizes
random    random kernels, against NumPy
worked    the kernels of tests/gpu/run.py, from their IR text
events    T.print and T.device_assert: the same text as the simulator's
tensors   torch's, in its streams, and arrays without torch
streams   calls in many streams, from threads, captured by torch, profiled
faults    an illegal address, a full GPU, an endless kernel: what is said, and that the session lives on
times     a call from Python, from source to a loaded kernel here and in fresh processes, and a timing beside torch's own
beside    softmax, RMSNorm, weights of 4 bits and attention backward, timed beside torch
worker    kernels by a worker (%device cuda:worker): values, what ends it, torch's tensors, times beside this process
library   exported libraries, called by a C++ program without Python and tilelab
sanitized ten kernels of the corpus under compute-sanitizer: memcheck, racecheck and synccheck

Where the rules promise bits (docs/ir.md: no elementary function, no matrix unit, no order of atomics), results
are those of the simulator at flat level to the bit. A table at the end counts what was run and what differed.
"""
import argparse
import contextlib
import io
import os
import pathlib
import re
import signal
import sys
import threading
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "kernels"), str(ROOT / "tests" / "puzzles")]
import tilelab as tilelang  # noqa: E402

for _name in ("", ".language", ".layout"):
    sys.modules.setdefault("tilelang" + _name, __import__("importlib").import_module("tilelab" + _name))

import case  # noqa: E402
import broken  # noqa: E402
from separate import SANITIZED, faults, sanitized  # noqa: E402
from beside import beside  # noqa: E402
from counts import Counts, accumulator_of, guarded  # noqa: E402
from first import first_calls  # noqa: E402
from full import full  # noqa: E402
from library import library  # noqa: E402
from streams import streams  # noqa: E402
import tilelab.language as T  # noqa: E402
from tilelab._kernel import arguments
from tilelab._compiler import settings  # noqa: E402
from tilelab._gpu import devices  # noqa: E402
from tilelab._kernel.params import KernelParam  # noqa: E402
from tilelab.utils.tensor import TensorSupplyType, get_tensor_supply  # noqa: E402

# Operations whose last bits are the platform's own, and those of unspecified order.
OWN_BITS = re.compile(r"\b(exp\w*|log\w*|rsqrt|sin\w*|cos\w*|tan\w*|a(?:sin|cos|tan)\w*|erf|sigmoid|pow|fast_\w+|"
                      r"atomic_\w+|mma|wgmma|sqmma)\(")


def simulated(kernel, values):
    """Outputs of the simulator at flat level, from copies of the same values."""
    import run as corpus

    copies = [corpus.strided(v, v.strides) if isinstance(v, np.ndarray) else v for v in values]
    described, arrays, _ = arguments.describe(kernel, copies)
    result = kernel._at_level("flat").run(described)
    return arrays if result["status"] == "finished" else None


def equal(a, b):
    """Bit by bit, whichever NaN is one."""
    nan = np.isnan(a) & np.isnan(b) if a.dtype.kind == "f" else np.zeros(a.shape, bool)
    return bool((nan | (a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}"))).all())


def hold(counts, what, kernel, values, judge):
    """Runs a kernel with all its arguments given; `judge()` checks them after the call."""
    want = None if OWN_BITS.search(kernel._at_level("flat").text()) else simulated(kernel, values)
    counts.runs += 1
    kernel(*values)
    if said := judge():
        counts.fail(what, said)
    elif want is not None:
        same = all(equal(a, b) for a, b in zip(values, want) if isinstance(a, np.ndarray) and a.size)
        counts.exact += same
        if not same:
            counts.bits_differ += 1
            print(f"BITS {counts.name} {what}", flush=True)


def check_case(counts, one, number, target, seed):
    import run as corpus

    size = one.sizes[number]
    rng = np.random.default_rng([seed, number, *one.name.encode()])
    func = one.factory(**size)
    kernel = tilelang.compile(func, target=target)
    if "pointers=True" in kernel._at_level("flat").text():
        return counts.refuse("addresses-of-host-memory")
    values, outputs, expected = corpus.arrays_of(one, size, func.func, rng)
    hold(counts, f"{one.name}:{number} {target}", kernel, corpus.declared(values, func.func.params),
         lambda: case.check(one, size, [values[i] for i in outputs], expected, accumulator_of(kernel)))


def corpus(args):
    counts = Counts("corpus")
    for name in case.MODULES:
        __import__(name)
    for one in args.share(case.CASES):
        if args.cases and one.name not in args.cases:
            continue
        for number in range(len(one.sizes)):
            for target in dict.fromkeys([devices.target(), "sm_80"]):
                if set(one.targets) == {"sm_90a"} and target != "sm_90a":
                    continue  # a kernel for that architecture alone
                if time.time() - counts.start < args.stop:
                    guarded(counts, f"{one.name}:{number} {target}",
                            lambda: check_case(counts, one, number, target, args.seed))
    return counts


def puzzles(args):
    counts = Counts("puzzles")
    import puzzle

    for path in args.share(sorted((ROOT / "tests/puzzles").glob("p[0-9][0-9]_*.py"))):
        for part in __import__(path.stem).PARTS:
            for size in part.sizes:
                def work():
                    counts.runs += 1
                    said, _ = puzzle.run(part, size, args.seed)
                    if said:
                        counts.fail(f"{part.name} {size}", said)
                guarded(counts, part.name, work)
    return counts


def random(args):
    counts = Counts("random")
    import fuzz

    for seed in args.share(range(args.seed, args.seed + args.random)):
        if time.time() - counts.start > args.stop:
            break
        kernel = fuzz.Kernel(seed)

        def work():
            one = case.Case(f"random_{seed}", fuzz.factory_of(fuzz.source_of(kernel, seed), f"<kernel {seed}>"), [{}],
                            lambda rng: kernel.inputs(rng), lambda inputs: kernel.reference(inputs), kernel.outputs(),
                            lambda: kernel.terms, kernel.magnitude, wider=3)
            check_case(counts, one, 0, devices.target(), seed)
        guarded(counts, f"seed {seed}", work)
    return counts


def loaded(name, path):
    """A module outside a package."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(name, ROOT / "tests/gpu" / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def of_text(module, name, text, constants):
    source = module.with_constants((module.KERNELS / f"{text}.py").read_text(), constants)
    func, said = tilelang._core.read_ir(name, source)
    assert func is not None, said
    return tilelang.JITKernel(func)


def of_source(text, constants):
    path, _, factory = text.partition(":")
    given = {k: v for k, v in constants.items() if k != "target"}
    settings.target = constants["target"]
    try:
        return getattr(loaded("gpu_source", path), factory)(**given)
    finally:
        settings.target = "auto"


def worked(args):
    """The worked kernels of tests/gpu/run.py: tensor maps, barriers, matrix units."""
    import torch

    counts = Counts("worked")
    module = loaded("gpu_run", "run.py")
    torch.backends.cuda.matmul.allow_tf32 = False
    for name, (text, constants, measured) in module.CASES.items():
        if measured and "2048" not in name and not args.full:
            continue

        def work():
            kernel = of_source(text, constants) if text.startswith("sources/") else of_text(module, name, text, constants)
            module.launcher = lambda library, function, tensors: lambda: kernel(*tensors)
            counts.runs += 1
            error, flops, functions = module.run_case("", text, constants, torch)
            if not error < 6e-4:
                counts.fail(name, f"relative error {error:.1e}")
            elif measured:
                ms = module.timed(functions, 11)
                best = min(t for n, t in ms.items() if n != "ours")
                print(f"  {name}: " + ", ".join(f"{n} {flops / t / 1e9:.0f} TFLOP/s" for n, t in ms.items())
                      + f"; ratio {best / ms['ours']:.3f}", flush=True)
        guarded(counts, name, work)
    return counts


@T.prim_func
def speaks(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "int32")):
    with T.Kernel(4, threads=32) as bx:
        s = T.alloc_shared((4,), "float32")
        for i in T.Parallel(4):
            s[i] = A[bx * 16 + i]
        T.print(A[bx], msg="element")
        T.print(s, msg="tile")
        for i in T.serial(2):
            T.print(B[bx * 2 + i], msg="number")
        T.device_assert(A[bx] < 3.5, "small")


def events(args):
    counts = Counts("events")
    kernel = tilelang.compile(speaks, target="cuda")
    for last in (3.0, 4.0):
        a, said = np.arange(64, dtype="float32"), []
        a[3] = last
        for name in ("sim:flat", "cuda"):
            out = io.StringIO()
            settings.device = name
            with contextlib.redirect_stdout(out):
                try:
                    kernel(a, np.arange(64, dtype="int32"))
                except tilelang.KernelError as error:
                    print("\n".join(str(error).splitlines()[1:]))
            said.append(sorted(out.getvalue().splitlines()))
        settings.device = "auto"
        counts.runs += 1
        if said[0] != said[1]:
            counts.fail(f"A[3] = {last}", f"{len(said[0])} lines of the simulator, {len(said[1])} of the GPU\n"
                        + "\n".join(sorted(set(said[0]) ^ set(said[1]))[:6]))
    return counts


@T.prim_func
def doubled(A: T.Tensor((T.dynamic("n"),), "float32"), B: T.Tensor((T.dynamic("n"),), "float32")):
    with T.Kernel(T.ceildiv(A.shape[0], 256), threads=256) as bx:
        for i in T.Parallel(256):
            B[bx * 256 + i] = A[bx * 256 + i] * 2.0


def tensors(args):
    import torch

    counts = Counts("tensors")
    kernel, returns = tilelang.compile(doubled, target="cuda"), tilelang.compile(doubled, out_idx=[1], target="cuda")
    a = torch.randn(100_003, device="cuda")

    def good(what, got, want):
        counts.runs += 1
        if not torch.equal(got, want):
            counts.fail(what, f"{int((got != want).sum())} elements")

    good("returned", returns(a), a * 2)
    for n in (1, 255, 4096):
        good(f"{n} elements", returns(a[:n].clone()), a[:n] * 2)
    side, b, c = torch.cuda.Stream(), torch.zeros_like(a), torch.zeros_like(a)
    for sleep, step in ((1000, 1), (400_000_000, 2)):  # once before: what is loaded or allocated waits for the whole GPU
        torch.cuda.synchronize()
        with torch.cuda.stream(side):  # whose kernels do not wait for the default stream's
            torch.cuda._sleep(sleep)
            torch.add(a, step, out=c)
            kernel(c, b)  # in another stream it sees the elements of before
        waited = side.query()
    side.synchronize()
    good("in torch's stream", b, (a + 2) * 2)
    if waited:
        counts.fail("in torch's stream", "the call waited for what was in the stream")
    mine = tilelang.to_device(a.cpu().numpy())
    good("own arrays", torch.from_numpy(returns(mine).numpy()), a.cpu() * 2)
    made = get_tensor_supply(TensorSupplyType.Uniform)(KernelParam("float32", (1000,), "A"))
    good("supplied", returns(made), made * 2)
    good("by the array interface", torch.as_tensor(returns(mine), device="cuda"), a * 2)
    for what, wrong in (("a tensor of the CPU", a.cpu()), ("another dtype", a.half()), ("a misplaced one", a[1:])):
        counts.runs += 1
        try:
            returns(wrong)
            counts.fail(what, "was taken")
        except tilelang.ArgumentError as error:
            print("  " + str(error).strip().splitlines()[0])
    return counts


def matmul(size, block=128):
    @T.prim_func
    def gemm(A: T.Tensor((size, size), "float16"), B: T.Tensor((size, size), "float16"),
             C: T.Tensor((size, size), "float16")):
        with T.Kernel(size // block, size // block, threads=128) as (bx, by):
            a, b = T.alloc_shared((block, 32), "float16"), T.alloc_shared((32, block), "float16")
            c = T.alloc_fragment((block, block), "float32")
            T.clear(c)
            for k in T.Pipelined(size // 32, num_stages=2):
                T.copy(A[by * block, k * 32], a)
                T.copy(B[k * 32, bx * block], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * block, bx * block])
    return gemm


def worker(args):
    """Runs before torch uses the GPU: faults of a worker, which this process must survive."""
    counts = Counts("worker")
    settings.device = "cuda:worker"
    for name in case.MODULES:
        __import__(name)
    by_name = {one.name: one for one in case.CASES}
    for name in args.cases or SANITIZED:
        for number in range(len(by_name[name].sizes)):
            guarded(counts, f"{name}:{number}", lambda: check_case(counts, by_name[name], number, devices.target(), args.seed))
    kernel, a = tilelang.compile(doubled, out_idx=[1]), np.arange(100_003, dtype="float32")

    def good(what, got, want):
        counts.runs += 1
        if not np.array_equal(np.asarray(got), want):
            counts.fail(what, "wrong values")

    for failing in (broken.far_away, broken.forever):
        there, values = tilelang.to_device(a), np.zeros(4 if failing is broken.far_away else 1, "int32")
        interrupt = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
        if failing is broken.forever:
            interrupt.start()
        try:
            tilelang.compile(failing)(*(values, 1 << 28) if failing is broken.far_away else (values,))
            counts.fail(failing.name, "went well")
        except (tilelang.DeviceError, KeyboardInterrupt) as error:
            print(f"  {failing.name}: {type(error).__name__} {str(error).strip().splitlines()[0]}; {there}")
        finally:
            interrupt.cancel()
        good("lost", there.lost, True)
        good("after the failure", kernel(a), a * 2)
    import torch

    good("a tensor of torch", kernel(torch.from_numpy(a)), a * 2)
    counts.runs += 1
    try:
        kernel(torch.from_numpy(a).cuda())
        counts.fail("torch's on the GPU", "was taken")
    except tilelang.ArgumentError as error:
        print("  " + str(error).strip().splitlines()[0])
    gemm = tilelang.compile(matmul(2048))
    for device in ("cuda:worker", "cuda"):
        settings.device = device
        x, y, out = (tilelang.to_device(np.ones((2048, 2048), "float16")) for _ in range(3))
        gemm(x, y, out)
        good("GEMM", out, np.full((2048, 2048), 2048, "float16"))
        start = time.perf_counter()
        for _ in range(200):
            gemm(x, y, out)
        call = (time.perf_counter() - start) / 200
        took = tilelang.profiler.do_bench(lambda: gemm(x, y, out), return_mode="median")
        print(f"  GEMM 2048 on {device}: {took:.4f} ms; a call takes the host {call * 1e6:.1f} us", flush=True)
    settings.device = "auto"
    return counts


def times(args):
    import torch

    counts = Counts("times")
    from launches import launches  # which imports torch

    launches()
    x, y = (torch.randn(2048, 2048, device="cuda").half() for _ in range(2))
    os.environ["TILELANG_DISABLE_CACHE"] = "1"
    start = time.perf_counter()
    gemm = tilelang.compile(matmul(2048), out_idx=[2], target="cuda")
    made = time.perf_counter()
    got = gemm(x, y)
    torch.cuda.synchronize()
    first = time.perf_counter()
    print(f"  GEMM 2048: source to kernel {(made - start) * 1e3:.1f} ms, first call {(first - made) * 1e3:.0f} ms")
    del os.environ["TILELANG_DISABLE_CACHE"]
    first_calls()
    counts.runs += 1
    if not torch.allclose(got.float(), x.float() @ y.float(), atol=0.5, rtol=1e-2):
        counts.fail("GEMM 2048", "wrong")
    out = torch.empty_like(got)
    ours = tilelang.profiler.do_bench(lambda: gemm(x, y, out), return_mode="median")
    theirs = tilelang.profiler.do_bench(lambda: torch.matmul(x, y, out=out), return_mode="median")
    print(f"  do_bench of GEMM 2048: ours {ours:.3f} ms, torch.matmul {theirs:.3f} ms")
    others = {b: tilelang.profiler.do_bench(lambda: gemm(x, y, out), return_mode="median", backend=b) for b in ("cupti", "cudagraph")}
    print(f"  by other backends: {others}")
    if not all(0.3 * ours < took < 1.3 * ours for took in others.values()):
        counts.fail("do_bench", f"its backends disagree: event {ours}, {others}")
    return counts


PARTS = {part.__name__: part
         for part in (worker, corpus, full, puzzles, random, worked, events, tensors, streams, faults, times, beside, library, sanitized)}


def share(text):
    """The part "I/N" of a list: each Nth from the Ith, for N processes beside each other."""
    which, of = map(int, text.split("/"))
    if not 0 <= which < of:
        raise ValueError(text)
    return lambda things: things[which::of]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--cases", nargs="*", default=[], help="kernels of the corpus, by name")
    parser.add_argument("--random", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    parser.add_argument("--stop", type=float, default=1e9, help="seconds for each part")
    parser.add_argument("--share", type=share, default="0/1", metavar="I/N",
                        help="each Nth kernel of the corpus and of full, puzzles and random kernels, from the Ith on")
    parser.add_argument("--full", action="store_true", help="worked: times the sizes that take long, too")
    args = parser.parse_args()
    vendor = "cuda:worker" if args.only == ["worker"] else "cuda"
    print(f"{devices.present(vendor)} GPUs; {tilelang._core.gpu.device(vendor, 0)}; seed {args.seed}", flush=True)
    rows = []
    for name in args.only:
        try:
            rows.append(PARTS[name](args))
        except tilelang.DeviceError as error:
            print(error)
            break
        print(rows[-1].row(), flush=True)
    print("----", *(r.row() for r in rows), sep="\n")
    sys.exit(bool(sum(r.wrong + r.bits_differ for r in rows)) or len(rows) < len(args.only))


if __name__ == "__main__":
    main()
