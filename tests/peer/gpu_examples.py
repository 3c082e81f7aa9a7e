#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TileLang's examples at their own sizes on this machine's GPU, on tilelab and on TileLang's package beside it.

usage: gpu_examples.py CHECKOUT TILELAB PEER [FILTER ...]
CHECKOUT: a copy of TileLang's repository.  PEER: a folder for PYTHONPATH that holds TileLang's package, or `-`.
Each example checks itself against its reference; then its kernels are timed the same way for both (median of runs with
cold caches). A line per example: whether it agrees, the milliseconds of its kernels and their ratio.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 100  # seconds for one example

EXAMPLES = """
gemm/example_gemm.py                                    main()
gemm/example_gemm_persistent.py                         main(8192, 8192, 8192)
gemm_splitk/example_tilelang_gemm_splitk.py             main()
gemm_fp8/example_tilelang_gemm_fp8.py                   main()
gemv/example_gemv.py                                    main(do_bench=False)
flash_attention/example_mha_fwd_bshd.py                 main(8, 32, 4096, 128, False)
flash_attention/example_mha_fwd_bshd.py                 main(8, 32, 4096, 128, True)
flash_attention/example_gqa_fwd_bshd.py                 main(1, 64, 4096, 128, False)
flash_attention/example_mha_bwd_bshd.py                 main()
flash_decoding/example_gqa_decode.py                    main()
attention_sink/example_mha_sink_fwd_bhsd.py             main(batch=1, heads=32, seq_q=4096, seq_kv=4096, dim=128)
deepseek_mla/example_mla_decode.py                      main(batch=132, heads=128, kv_heads=1, kv_ctx=8192, dim=512, pe_dim=64)
deepseek_nsa/example_tilelang_nsa_fwd.py                main()
blocksparse_attention/example_tilelang_block_sparse_attn.py main()
convolution/example_convolution.py                      main([])
dequantize_gemm/example_dequant_gemm_w4a8.py            main(m=512, n=512, k=512)
dequantize_gemm/example_dequant_gemm_bf16_fp4_hopper.py main(m=4096, n=4096, k=4096, fast_dequant=False)
elementwise/example_elementwise_add.py                  main(4096, 4096)
norm/rms_norm.py                                        test_rms_norm(8192, 8192, 1)
topk/example_topk.py                                    main(argv=[])
online_softmax/online_softmax.py                        None
"""


def rows(filters):
    for line in EXAMPLES.strip().splitlines():
        if not filters or any(f in line for f in filters):
            yield line.split(None, 1)


def run(python, more, checkout, path, call):
    """({kernel: [calls, first ms, median ms]}, last words) of one example."""
    command = [python, str(HERE / "one_timed_example.py"), str(pathlib.Path(checkout, "examples", path)), call]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=checkout, env={**os.environ, **more})
    except subprocess.TimeoutExpired:
        return None, f"over {LIMIT} s"
    found = re.search(r"^timed: (.*)$", done.stdout, re.M)
    lines = (done.stdout + done.stderr).strip().splitlines()
    errors = [line for line in lines if "Error" in line or "error[" in line] or lines
    return (json.loads(found[1]), "") if found else (None, " ".join(errors[-1:])[:200])


def main():
    checkout, tilelab, peer, filters = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve()), sys.argv[3], sys.argv[4:]
    agreed = count = 0
    for path, call in rows(filters):
        begin = time.monotonic()
        ours, said = run(tilelab, {}, checkout, path, call)
        theirs, theirs_said = run(sys.executable, {"PYTHONPATH": peer}, checkout, path, call) if peer != "-" else (None, "")
        count, agreed = count + 1, agreed + (ours is not None)
        print(f"{'agrees' if ours is not None else 'FAILED'}  {path} {call}  {time.monotonic() - begin:.0f} s  {said}", flush=True)
        for who, table, words in (("tilelab", ours, ""), ("TileLang", theirs, theirs_said)):
            for name, (calls, first, median) in (table or {}).items():
                print(f"    {who:8} {name:40} first call {first:8.1f} ms, a run {median:8.4f} ms ({calls} calls)")
            if table is None and words:
                print(f"    {who:8} {words}")
        if ours and theirs:
            sums = [sum(median for _, _, median in table.values()) for table in (theirs, ours)]
            print(f"    TileLang / tilelab {sums[0] / sums[1]:.2f}", flush=True)
    print(f"{count} examples, {agreed} agree")
    return 0 if agreed == count else 1


if __name__ == "__main__":
    sys.exit(main())
