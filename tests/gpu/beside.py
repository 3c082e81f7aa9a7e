# SPDX-License-Identifier: Apache-2.0
"""Kernels other than matmul and forward attention, timed beside torch: `suite.py --only beside`."""
import importlib.util
import pathlib

from counts import Counts

HERE = pathlib.Path(__file__).resolve().parent


def loaded(path):
    """A file of this folder as a module."""
    spec = importlib.util.spec_from_file_location(path.replace("/", "_").removesuffix(".py"), HERE / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def of_rows(torch, M, N, rows, threads, norm):
    """Softmax or RMSNorm of f16 rows: (bytes, ours, {whose: function}, pairs of tensors that must agree)."""
    source = loaded("sources/rows.py")
    x, w = torch.randn(M, N, device="cuda").half(), torch.randn(N, device="cuda").half()
    out = torch.full_like(x, float("nan"))
    given = [x, w, out] if norm else [x, out]
    kernel = (source.rms_norm if norm else source.softmax)(M, N, rows, threads)
    wide = x.float()
    want = wide * (wide.square().mean(1, keepdim=True) + 1e-6).rsqrt() * w.float() if norm else wide.softmax(1)
    theirs = ((lambda: torch.nn.functional.rms_norm(x, (N,), w, 1e-6)) if norm else (lambda: torch.softmax(x, 1)))
    return 2 * x.nbytes, lambda: kernel(*given), {"torch": theirs}, [(out, want)]


def of_bits(torch, M, N, K, tile, stages, threads):
    """f16 times weights of 4 bits; torch's product has the weights as f16 already."""
    kernel = loaded("sources/dequantised.py").dequantised(M, N, K, *tile, stages, threads)
    a, codes = torch.randn(M, K, device="cuda").half(), torch.randint(0, 256, (N, K // 2), device="cuda", dtype=torch.uint8)
    scales = (torch.rand(N, K // 64, device="cuda") * 0.02).half()
    values = torch.stack([codes & 15, codes >> 4], -1).reshape(N, K).half() - 8
    w = values * scales.repeat_interleave(64, 1)
    out = torch.full((N, M), float("nan"), device="cuda", dtype=torch.half)
    return 2.0 * M * N * K, lambda: kernel(a, codes, scales, out), {"cuBLAS, weights as f16": lambda: torch.mm(w, a.t())}, [
        (out, w.float() @ a.float().t())]


def of_gradients(torch, B, S, H, D, causal, tile, stages, threads):
    """Attention backward beside cuDNN's and FlashAttention's."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    attend = torch.nn.functional.scaled_dot_product_attention
    kernel = loaded("sources/backward.py").backward(B, S, H, D, *tile, stages, threads, causal)
    q, k, v, grad = (torch.randn(B, S, H, D, device="cuda").half() for _ in range(4))
    heads = [x.transpose(1, 2).contiguous().requires_grad_() for x in (q, k, v)]
    turned, functions, wanted = grad.transpose(1, 2).contiguous(), {}, None
    for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("FlashAttention", SDPBackend.FLASH_ATTENTION)):
        with sdpa_kernel(backend):
            made = attend(*heads, is_causal=bool(causal))
        functions[name] = lambda made=made: torch.autograd.grad(made, heads, turned, retain_graph=True)
        wanted = [x.transpose(1, 2) for x in functions[name]()]
        out = made.detach().transpose(1, 2).contiguous()
    sums = torch.empty(B, H, S, device="cuda")
    for b in range(B):
        for h in range(H):
            scores = q[b, :, h].float() @ k[b, :, h].float().t() / D**0.5
            if causal:
                scores = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, float("-inf"))
            sums[b, h] = scores.logsumexp(1) * 1.44269504
    delta, summed = torch.empty_like(sums), torch.empty(B, S, H, D, device="cuda")
    made = [torch.full_like(q, float("nan")) for _ in range(3)]
    return (5.0 if causal else 10.0) * B * H * S * S * D, lambda: kernel(q, k, v, out, grad, sums, delta, summed, *made), functions, [
        *zip(made, wanted)]


CASES = {
    "softmax 8192 x 4096": (of_rows, (8192, 4096, 1, 128, False), "GB/s"),
    "softmax 32768 x 1024": (of_rows, (32768, 1024, 4, 128, False), "GB/s"),
    "RMSNorm 8192 x 8192": (of_rows, (8192, 8192, 1, 256, True), "GB/s"),
    "RMSNorm 32768 x 2048": (of_rows, (32768, 2048, 2, 128, True), "GB/s"),
    "4 bits, 16 x 8192 x 8192": (of_bits, (16, 8192, 8192, (16, 64, 64), 6, 128), "TFLOP/s"),
    "4 bits, 128 x 8192 x 8192": (of_bits, (128, 8192, 8192, (128, 128, 64), 4, 256), "TFLOP/s"),
    "4 bits, 4096 x 4096 x 4096": (of_bits, (4096, 4096, 4096, (256, 128, 64), 4, 256), "TFLOP/s"),
    "backward B8 H32 S1024 D64": (of_gradients, (8, 1024, 32, 64, 0, (128, 64), 2, 256), "TFLOP/s"),
    "backward B8 H32 S2048 D128": (of_gradients, (8, 2048, 32, 128, 0, (128, 64), 2, 256), "TFLOP/s"),
    "backward causal B8 H32 S2048 D128": (of_gradients, (8, 2048, 32, 128, 1, (128, 64), 2, 256), "TFLOP/s"),
}


def beside(args):
    import torch

    counts, run = Counts("beside"), loaded("run.py")
    torch.manual_seed(args.seed)
    for name, (maker, given, unit) in CASES.items():
        if args.cases and not any(part in name for part in args.cases):
            continue
        try:
            work, ours, theirs, pairs = maker(torch, *given)
            ours()
            torch.cuda.synchronize()
            error = max(run.error(got, want.float()) for got, want in pairs)
            counts.runs += 1
            if not error < 2e-3:
                counts.fail(name, f"relative error {error:.1e}")
                continue
            ms = run.timed({"ours": ours, **theirs}, 15)
        except Exception as problem:  # one kernel that is refused does not end the table
            counts.fail(name, str(problem))
            continue
        rate = work / 1e6 if unit == "GB/s" else work / 1e9
        best = min(t for n, t in ms.items() if n != "ours")
        print(f"  {name}: " + ", ".join(f"{n} {rate / t:.0f}" for n, t in ms.items())
              + f" {unit}; ratio {best / ms['ours']:.3f}, error {error:.1e}", flush=True)
    return counts
