# SPDX-License-Identifier: Apache-2.0
"""The worked kernels for NVIDIA GPUs, from their IR text to a GPU.

    run.py build DIR    IR text, TileLang source -> CUDA C -> DIR/*.so; needs tilelab and nvcc, no GPU
    run.py run DIR      results against float32 references, times beside cuBLAS and cuDNN; needs
                        torch and a GPU, and nothing else of the tree: DIR may have travelled

The parameters of a text are in its header as const=dict(...); a case gives the numbers, as it gives a
source's parameters. Products of
single matrix instructions are added from DIR/product_*.tile, which codegen_tests writes there where
TILELAB_KEEP_TEXTS names DIR.
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests/ir/kernels"

# name: text, constants, timed
CASES = {
    "attention_small": ("attention_tile", dict(B=1, S=384, H=3, G=2), False),
    "attention_odd": ("attention_tile", dict(B=2, S=640, H=4, G=13), False),
    "attention_2048": ("attention_tile", dict(B=8, S=2048, H=32, G=132), True),
    "attention_4096": ("attention_tile", dict(B=4, S=4096, H=32, G=132), True),
    "causal_odd": ("attention_causal_tile", dict(B=2, S=640, H=4, G=13), False),
    "causal_2048": ("attention_causal_tile", dict(B=8, S=2048, H=32, G=132), True),
    "causal_4096": ("attention_causal_tile", dict(B=4, S=4096, H=32, G=132), True),
    "gemm_small": ("gemm_sm90_tile", dict(M=256, N=512, K=256, G=2, R=2), False),
    "gemm_2048": ("gemm_sm90_tile", dict(M=2048, N=2048, K=2048, G=128, R=8), True),
    "gemm_4096": ("gemm_sm90_tile", dict(M=4096, N=4096, K=4096, G=132, R=16), True),
    "gemm_8192": ("gemm_sm90_tile", dict(M=8192, N=8192, K=8192, G=132, R=16), True),
    "gemm_sm80": ("gemm_cp_async_tile", dict(N=4096, K=4096), True),
}


def source(target, M, N, K, tile, stages, threads, **more):
    """A case of sources/gemm.py: persistent blocks if their number is given."""
    kernel = "persistent" if "blocks" in more else "matmul"
    sizes = dict(M=M, N=N, K=K, BM=tile[0], BN=tile[1], BK=tile[2], stages=stages, threads=threads)
    return f"sources/gemm.py:{kernel}", dict(target=target, **sizes, **more), max(M, N, K) >= 1024


def source_attention(B, S, H, causal=0, blocks=(128, 128), stages=2):
    return "sources/attention.py:attention", dict(target="sm_90a", B=B, S=S, H=H, D=128, BM=blocks[0], BN=blocks[1],
                                                  stages=stages, threads=256, causal=causal), S >= 2048


WIDE, SQUARE, SMALL = (128, 256, 64), (128, 128, 64), (64, 128, 64)
CASES |= {
    f"source_{target}_{'t' if ta else 'n'}{'t' if tb else 'n'}": source(target, 328, 520, 264, SQUARE, 3, threads, ta=ta, tb=tb)
    for target, threads in (("sm_90a", 256), ("sm_80", 128)) for ta in (0, 1) for tb in (0, 1)}
CASES |= {
    f"source_{dtype}_{target}_{'t' if ta else 'n'}{'t' if tb else 'n'}": source(
        target, 328, 528, 272, SQUARE, 3, threads, ta=ta, tb=tb, dtype=dtype, sums="int32", out="int32")
    for dtype in ("int8", "uint8") for target, threads in (("sm_90a", 256), ("sm_80", 128)) for ta in (0, 1) for tb in (0, 1)}
CASES |= {
    "source_tails_wide": source("sm_90a", 200, 328, 72, WIDE, 4, 256, tb=1),
    "source_tails_stay": source("sm_90a", 456, 712, 136, WIDE, 4, 256, tb=1, blocks=5, group=2),
    "source_bf16": source("sm_90a", 4096, 4096, 4096, WIDE, 4, 256, tb=1, dtype="bfloat16", out="bfloat16"),
    "source_i8": source("sm_90a", 4096, 4096, 4096, (128, 256, 128), 4, 256, tb=1, dtype="int8", sums="int32", out="int32"),
    "source_fp8": source("sm_90a", 4096, 4096, 4096, (128, 256, 128), 4, 256, tb=1, dtype="float8_e4m3fn", out="bfloat16"),
    "source_bf16_sm_80": source("sm_80", 328, 520, 264, SQUARE, 3, 128, dtype="bfloat16", out="bfloat16"),
    "source_1024": source("sm_90a", 1024, 1024, 1024, SMALL, 8, 128, tb=1),
    "source_2048": source("sm_90a", 2048, 2048, 2048, SQUARE, 6, 256, tb=1),
    "source_2048_wide": source("sm_90a", 2048, 2048, 2048, WIDE, 4, 256, tb=1, blocks=128, group=8),
    "source_4096": source("sm_90a", 4096, 4096, 4096, WIDE, 4, 256, tb=1),
    "source_8192": source("sm_90a", 8192, 8192, 8192, WIDE, 4, 256, tb=1),
    "source_k1024": source("sm_90a", 8192, 8192, 1024, WIDE, 4, 256, tb=1),
    "source_4096_panels": source("sm_90a", 4096, 4096, 4096, WIDE, 4, 256, tb=1, panel=8),
    "source_8192_panels": source("sm_90a", 8192, 8192, 8192, WIDE, 4, 256, tb=1, panel=8),
    "source_4096_nn": source("sm_90a", 4096, 4096, 4096, WIDE, 4, 256),
    "source_4096_stay": source("sm_90a", 4096, 4096, 4096, WIDE, 4, 256, tb=1, blocks=132, group=16),
    "source_8192_stay": source("sm_90a", 8192, 8192, 8192, WIDE, 4, 256, tb=1, blocks=132, group=16),
    "source_k1024_stay": source("sm_90a", 8192, 8192, 1024, WIDE, 4, 256, tb=1, blocks=132, group=16),
    "source_attention_small": source_attention(1, 384, 3),
    "source_causal_small": source_attention(2, 640, 4, causal=1),
    "source_attention_2048": source_attention(8, 2048, 32),
    "source_attention_4096": source_attention(4, 4096, 32),
    "source_causal_2048": source_attention(8, 2048, 32, causal=1),
    "source_causal_4096": source_attention(4, 4096, 32, causal=1),
    "source_sm80_2048": source("sm_80", 2048, 2048, 2048, (128, 128, 32), 4, 128, panel=8),
    "source_sm80_4096": source("sm_80", 4096, 4096, 4096, (128, 256, 32), 4, 256, panel=8),
    "source_sm80_4096_square": source("sm_80", 4096, 4096, 4096, (128, 128, 32), 4, 128, panel=8),
    "source_sm80_4096_nt": source("sm_80", 4096, 4096, 4096, (128, 256, 64), 3, 256, panel=8, tb=1),
    "source_sm80_8192": source("sm_80", 8192, 8192, 8192, (128, 256, 64), 3, 256, panel=8),
    "source_sm80_i8": source("sm_80", 4096, 4096, 4096, (128, 256, 64), 4, 256, panel=8, tb=1, dtype="int8", sums="int32", out="int32"),
}
# PTX of sm_80 runs on what is newer; wgmma and setmaxnreg are of sm_90a alone.
ARCHITECTURE = {"sm_90a": "arch=compute_90a,code=sm_90a", "sm_80": "arch=compute_80,code=compute_80"}


def cases(directory, ending):
    """The worked kernels, and the matmuls for NVIDIA GPUs in the directory."""
    products = sorted(pathlib.Path(directory).glob(f"product_*_sm_*.{ending}"))
    return CASES | {p.stem: ("product", {}, False) for p in products}


# ---- build


def with_constants(text, constants):
    values = ", ".join(f"{name}={value}" for name, value in constants.items())
    text, found = re.subn(r"const=dict\([^)]*\)", f"const=dict({values})", text)
    assert found == 1, "the text has no constants to set"
    return text


def build(args):
    out = pathlib.Path(args.directory)
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, (kernel, constants, _) in cases(out, "tile").items():
        if args.only and name not in args.only:
            continue
        if kernel.startswith("sources/"):
            target, given = constants["target"], [f"{k}={v}" for k, v in constants.items() if k != "target"]
            command = [str(ROOT / "tests/gpu" / kernel), *given, "--target", target]
        else:
            tile = out / f"{name}.tile"
            if kernel != "product":
                tile.write_text(with_constants((KERNELS / f"{kernel}.py").read_text(), constants))
            target = re.search(r'target="(\w+)"', tile.read_text())[1]
            command = [str(tile)]
        written = subprocess.run([args.tilelab, *args.emit, *command], check=True, capture_output=True, text=True)
        (out / f"{name}.cu").write_text(written.stdout)
        command = ["nvcc", "-gencode", ARCHITECTURE[target], "-std=c++17", "-O3", "-fmad=false",
                   "-Xptxas", "-v", "-shared", "-Xcompiler", "-fPIC",
                   f"-I{ROOT / 'codegen/musa/device'}", str(out / f"{name}.cu"), "-o",
                   str(out / f"{name}.so")]
        done = subprocess.run(command, capture_output=True, text=True)
        log = done.stdout + done.stderr
        (out / f"{name}.log").write_text(log)
        spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill", log))
        slow = [line for line in log.splitlines() if "Potential Performance Loss" in line]
        registers = re.findall(r"Used (\d+) registers", log)
        bad = done.returncode or spills > 64 or slow
        failed += bool(bad)
        print(f"{name}: {'FAILED' if bad else 'built'}, registers {registers}, spilled bytes "
              f"{spills}", *slow, *([log] if done.returncode else []), sep="\n  " if bad else " ")
    return failed


# ---- run


class Tensor(ctypes.Structure):  # tl_tensor of tl_host.h
    _fields_ = [("data", ctypes.c_void_p), ("code", ctypes.c_ubyte), ("bits", ctypes.c_ubyte),
                ("rank", ctypes.c_int), ("shape", ctypes.c_longlong * 8),
                ("strides", ctypes.c_longlong * 8)]


def argument(t):
    code = {"int": 0, "uint8": 1, "bfloa": 4, "float8": 7}.get(re.match(r"torch\.(float8|bfloa|int|uint8)?", str(t.dtype))[1], 2)
    return Tensor(t.data_ptr(), code, 8 * t.element_size(), t.dim(), (ctypes.c_longlong * 8)(*t.shape),
                  (ctypes.c_longlong * 8)(*t.stride()))


def launcher(library, function, tensors):
    call = getattr(ctypes.CDLL(os.path.abspath(library)), function + "_host")
    call.restype = ctypes.c_char_p
    import torch
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    described = [argument(t) for t in tensors]
    pointers = [ctypes.byref(d) for d in described]

    def launch(keep=described):
        if problem := call(*pointers, stream):
            raise RuntimeError(problem.decode())
    return launch


def timed(functions, rounds):
    """Median milliseconds of each, one after the other, with cold caches; launches are asynchronous."""
    import torch
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    result = {}
    for name, function in functions.items():
        torch.cuda.synchronize()
        time.sleep(0.05)
        events = []
        for _ in range(rounds + 2):
            flush.zero_()
            torch.cuda._sleep(300000)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            function()
            end.record()
            events.append((begin, end))
        torch.cuda.synchronize()
        times = sorted(b.elapsed_time(e) for b, e in events[2:])
        result[name] = times[len(times) // 2]
    return result


def error(got, want):
    return ((got.float() - want).norm() / want.norm()).item()


def run_attention(library, c, torch, causal, function=None):
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
    shape = (c["B"], c["S"], c["H"], 128)
    q, k, v = (torch.randn(shape, device="cuda").half() for _ in range(3))
    out = torch.full_like(q, float("nan"))
    launch = launcher(library, function or ("attention_causal" if causal else "attention"), [q, k, v, out])
    heads = [x.transpose(1, 2).contiguous() for x in (q, k, v)]

    def library_call():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return F.scaled_dot_product_attention(*heads, is_causal=causal)

    launch()
    torch.cuda.synchronize()
    few = [x[:1, :2].float() for x in heads]
    scores = few[0] @ few[1].transpose(-1, -2) / 128 ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, float("-inf"))
    want = scores.softmax(-1) @ few[2]
    e = error(out[:1, :, :2].transpose(1, 2), want)
    e = max(e, error(out.transpose(1, 2), library_call().float()) / 2)
    flops = (2.0 if causal else 4.0) * c["B"] * c["H"] * c["S"] ** 2 * 128
    return e, flops, {"ours": launch, "cuDNN": library_call}


def run_gemm(library, c, torch):
    m = c.get("M", 4096)
    a = torch.randn(m, c["K"], device="cuda").half()
    transposed = "M" in c  # the sm_90a text takes B as [N, K]
    b = torch.randn(*((c["N"], c["K"]) if transposed else (c["K"], c["N"])), device="cuda").half()
    out = torch.full((m, c["N"]), float("nan"), device="cuda", dtype=torch.half)
    launch = launcher(library, "matmul", [a, b, out])
    right = b.t() if transposed else b
    other = torch.empty_like(out)
    launch()
    torch.cuda.synchronize()
    e = error(out, a.float() @ right.float())
    return e, 2.0 * m * c["N"] * c["K"], {"ours": launch,
                                          "cuBLAS": lambda: torch.matmul(a, right, out=other)}


def run_source(library, kernel, c, torch):
    left, right = ((c["K"], c["M"]) if c.get("ta") else (c["M"], c["K"])), ((c["N"], c["K"]) if c.get("tb") else (c["K"], c["N"]))
    dtype, kind = (getattr(torch, c.get(name, "float16")) for name in ("dtype", "out"))
    spread = 40 if dtype in (torch.int8, torch.uint8) else 1
    a, b = (torch.randn(*shape, device="cuda").mul(spread) for shape in (left, right))
    a, b = ((t.abs() if dtype == torch.uint8 else t).to(dtype) for t in (a, b))
    out = torch.full((c["M"], c["N"]), float("nan") if kind.is_floating_point else -1, device="cuda", dtype=kind)
    launch = launcher(library, kernel.split(":")[1], [a, b, out])
    a, b = a.t() if c.get("ta") else a, b.t() if c.get("tb") else b
    other = torch.empty_like(out)
    one = torch.ones((), device="cuda")
    theirs = {torch.int8: lambda: torch._int_mm(a, b),
              torch.float8_e4m3fn: lambda: torch._scaled_mm(a, b, one, one, out_dtype=kind, use_fast_accum=True)}
    launch()
    torch.cuda.synchronize()
    e = error(out, a.float() @ b.float())
    # bf16 keeps 8 bits, and products of fp8 are summed in 14.
    return e / (8 if kind == torch.bfloat16 else 1), 2.0 * c["M"] * c["N"] * c["K"], {
        "ours": launch, "cuBLAS": theirs.get(dtype, lambda: torch.matmul(a, b, out=other))}


def run_product(library, torch):
    """C = 0.5 + op(A) op(B) of one block; shapes are in the text next to the library."""
    text = pathlib.Path(library).with_suffix(".tile").read_text()
    shape = {n: tuple(map(int, s.split(", ")))
             for n, s in re.findall(r"(\w): tensor\(\w+, \[([\d, ]+)\]\)", text)}
    a, b = (torch.randn(shape[n], device="cuda").half() for n in "AB")
    out = torch.full(shape["C"], float("nan"), device="cuda")
    launcher(library, "product", [a, b, out])()
    torch.cuda.synchronize()
    left = a.t() if "tA=True" in text else a
    right = b.t() if "tB=True" in text else b
    return error(out, (0.5 + left.double() @ right.double()).float()), 0, {}


def run_case(library, kernel, constants, torch):
    """(relative error, operations, functions to time) of a case."""
    if kernel == "product":
        return run_product(library, torch)
    if kernel.startswith("sources/attention"):
        return run_attention(library, constants, torch, bool(constants["causal"]), "attention")
    if kernel.startswith("sources/"):
        return run_source(library, kernel, constants, torch)
    if kernel.startswith("attention"):
        return run_attention(library, constants, torch, "causal" in kernel)
    return run_gemm(library, constants, torch)


def run(args):
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    print(torch.cuda.get_device_name(), torch.__version__)
    wrong, table = 0, {}
    for name, (kernel, constants, measure) in cases(args.directory, "so").items():
        library = os.path.join(args.directory, f"{name}.so")
        if (args.only and name not in args.only) or not os.path.exists(library):
            continue
        e, flops, functions = run_case(library, kernel, constants, torch)
        good = e < 6e-4
        wrong += not good
        line = f"{name}: {'right' if good else 'WRONG'}, relative error {e:.1e}"
        if measure and good:
            theirs = next(n for n in functions if n != "ours")
            ms = timed({theirs: functions[theirs], "ours": functions["ours"],
                        theirs + " again": functions[theirs]}, args.rounds)
            rate = {n: flops / t / 1e9 for n, t in ms.items()}
            best = max(r for n, r in rate.items() if n != "ours")
            line += "; " + ", ".join(f"{n} {r:.0f}" for n, r in rate.items())
            line += f" TFLOP/s; ratio {rate['ours'] / best:.3f}"
            table[name] = rate
            # Check again after the timing, for failures that only occur under load.
            functions["ours"]()
        torch.cuda.synchronize()
        print(line, flush=True)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(table, indent=1))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["build", "run"])
    parser.add_argument("directory")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json")
    built = [ROOT / preset / "bin/tilelab" for preset in ("build", "build-dev")]
    parser.add_argument("--tilelab", default=str(next((p for p in built if p.exists()), built[0])))
    parser.add_argument("--emit", nargs="*", default=["compile", "--emit=c"])
    args = parser.parse_args()
    sys.exit(1 if (build if args.what == "build" else run)(args) else 0)


if __name__ == "__main__":
    main()
