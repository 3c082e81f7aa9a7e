#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TileLang's examples at small sizes on tilelab, each against its own reference.

usage: examples.py CHECKOUT TILELAB [FILTER ...]      CHECKOUT: a copy of TileLang's repository
Prints a line per example: agrees, or what went wrong and its class, and a count at the end.
Exit status 1 if fewer than EXPECTED agree and no FILTER was given.
"""
import pathlib
import subprocess
import sys
import time
from collections import Counter

import outcomes

EXPECTED = 57
LIMIT = 300  # seconds for one example
HERE = pathlib.Path(__file__).resolve().parent

EXAMPLES = """
attention_sink/example_mha_sink_fwd_bhsd.py                main(batch=1, heads=1, seq_q=128, seq_kv=128, dim=64)
attention_sink/example_mha_sink_fwd_bhsd.py                main(batch=1, heads=1, seq_q=256, seq_kv=256, dim=64, window_size=128)
attention_sink/example_mha_sink_bwd_bhsd.py                main(BATCH=1, H=64, N_CTX=128, D_HEAD=64)
attention_sink/example_mha_sink_bwd_bhsd.py                main(BATCH=1, H=64, N_CTX=128, D_HEAD=64, window_size=64)
attention_sink/example_gqa_sink_bwd_bhsd.py                main(BATCH=1, H=64, N_CTX=128, D_HEAD=64, groups=16)
attention_sink/example_gqa_sink_bwd_bhsd.py                main(BATCH=1, H=64, N_CTX=128, D_HEAD=64, groups=16, window_size=64)
block_causal_attention/block_causal_attention.py           main()
block_causal_attention/block_causal_attention_varlen.py    main()
blocksparse_attention/example_tilelang_block_sparse_attn.py main()
blocksparse_gemm/example_blocksparse_gemm.py               main()
cast/example_group_per_split_token_cast_to_fp8.py          main(M=256, N=256, BG=2, blk_m=4, batch_sizes=[96, 160])
cast/example_per_token_cast_to_fp8.py                      main(M=256, N=256, blk_m=8)
convolution/example_convolution.py                         main(["--n", "1", "--c", "32", "--h", "8", "--w", "8", "--f", "64"])
deepseek_mhc/example_mhc_post.py                           main()
deepseek_mhc/example_mhc_pre.py                            main()
deepseek_mhc/example_mhc_bwd.py                            main.__globals__.update(seqlen=64, iters=20, repeat=2) or main()
deepseek_mla/example_mla_decode.py                         main(batch=1, heads=64, kv_ctx=4096)
deepseek_mla/example_mla_decode_persistent.py              __import__("sys").argv.extend(["--batch", "2", "--heads", "64", "--kv_ctx", "512"]) or main()
deepseek_nsa/example_tilelang_nsa_fwd.py                   main()
deepseek_nsa/example_tilelang_nsa_decode.py                main()
deepseek_v32/sparse_mla_fwd.py                             test_sparse_mla_fwd(S=64, SKV=128, H=64, topk=64)
deepseek_v4/act_quant.py                                   test_round_trip_error()
deepseek_v4/sparse_attn_fwd_sm90.py                        main(BATCH=1, H=8, N_CTX=64, N_KV=128, D_HEAD=64, TOPK=64)
dequantize_gemm/example_dequant_gemv_fp16xint4.py          main()
dequantize_gemm/example_dequant_gemm_fp4_hopper.py         main(m=128, n=128, k=128)
dequantize_gemm/example_dequant_gemm_bf16_fp4_hopper.py    main(m=128, n=128, k=128, fast_dequant=False)
dequantize_gemm/example_dequant_gemm_bf16_fp4_hopper.py    main(m=128, n=128, k=128)
dequantize_gemm/example_dequant_gemm_bf16_mxfp4_hopper.py  main(m=128, n=128, k=128, fast_dequant=False)
dequantize_gemm/example_dequant_gemm_bf16_mxfp4_hopper.py  main(m=128, n=128, k=128)
dequantize_gemm/example_dequant_gemm_w4a8.py               main(m=128, n=128, k=128)
dsa_hisa/clean_and_maintain_logits.py                      test_clean_and_maintain_logits(64, 128, 2)
dsa_sparse_finetune/indexer_topk_reducesum.py              test_kernel(S=128, H=16, D=64, topk=64)
dynamic_shape/example_dynamic.py                           main(M=256, N=256, K=256)
elementwise/example_elementwise_add.py                     main(M=256, N=256)
flash_attention/example_gqa_bwd.py                         main(BATCH=1, H=4, N_CTX=128, D_HEAD_QK=64, D_HEAD_V=64, groups=2)
flash_attention/example_gqa_bwd_tma_reduce.py              main(BATCH=1, H=4, N_CTX=128, D_HEAD_QK=64, D_HEAD_V=64, groups=2)
flash_attention/example_gqa_bwd_tma_reduce_varlen.py       main(BATCH=1, H=4, N_CTX=128, D_HEAD_QK=64, D_HEAD_V=64, groups=2)
flash_attention/example_gqa_fwd_bshd.py                    main(batch=1, heads=4, seq_len=128, dim=64, groups=2)
flash_attention/example_gqa_fwd_bshd.py                    main(batch=1, heads=4, seq_len=128, dim=64, groups=2, is_causal=True)
flash_attention/example_mha_fwd_bhsd.py                    main(seq_q=128, seq_kv=128)
flash_attention/example_mha_fwd_bhsd.py                    main(seq_q=128, seq_kv=128, is_causal=True)
flash_attention/example_mha_fwd_bshd.py                    main(batch=1, heads=2, seq_len=128, dim=64)
flash_attention/example_mha_fwd_bshd.py                    main(batch=1, heads=2, seq_len=128, dim=64, is_causal=True)
flash_attention/example_mha_bwd_bhsd.py                    main(BATCH=1, H=1, N_CTX=128, D_HEAD=64)
flash_attention/example_mha_bwd_bshd.py                    main(BATCH=1, H=1, N_CTX=128, D_HEAD=64)
flash_decoding/example_gqa_decode.py                       main(batch=1, heads=16, groups=4, kv_seqlen=1024)
flash_decoding/example_mha_inference.py                    main(BATCH=1, H=2, Q_CTX=128, KV_CTX=256, D_HEAD=64)
fusedmoe/example_fusedmoe_tilelang.py                      main(d_hidden=128, d_expert=128, n_routed_experts=4, n_experts_per_token=2, seq_len=128)
gdn/example_cumsum.py                                      run_test(B=1, S=256, H=2, chunk_size=64, reverse=True, head_first=False, input_dtype="float32", output_dtype="float32", threads=128, use_fragment=False)
gemm/example_gemm.py                                       main()
gemm/example_gemm_autotune.py                              main(M=256, N=256, K=256)
gemm/example_gemm_persistent.py                            main(M=512, N=512, K=256)
gemm_fp8/example_tilelang_gemm_fp8.py                      test_gemm_fp8(256, 256, 256, "float8_e4m3fn")
gemm_splitk/example_tilelang_gemm_splitk.py                main()
gemm_splitk/example_tilelang_gemm_splitk_vectorize_atomicadd.py main()
gemm_streamk/example_tilelang_gemm_streamk.py              main()
gemv/example_gemv.py                                       main(do_bench=False)
grouped_gemm/example_grouped_gemm_fwd.py                   run_tilelang_grouped_gemm([64, 96], 128, 128, 64, 64, 64, False)
grouped_gemm/example_grouped_gemm_bwd.py                   run_tilelang_grouped_gemm([64, 128], 128, 128, 64, 64, 64, False)
linear_attention/example_linear_attn_fwd.py                main(B=1, S=128, H=2, D=64)
linear_attention/example_linear_attn_bwd.py                main(B=1, S=128, H=2, D=64)
norm/rms_norm.py                                           test_rms_norm(256, 256, 1)
seer_attention/block_sparse_attn_tilelang.py               main()
topk/example_topk.py                                       main(argv=[])
warp_specialize/example_warp_specialize_gemm_barrierpipe_stage2.py main(M=256, N=256, K=256)
warp_specialize/example_warp_specialize_gemm_copy_0_gemm_1.py      main(M=256, N=256, K=256)
warp_specialize/example_warp_specialize_gemm_copy_1_gemm_0.py      main(M=256, N=256, K=256)
warp_specialize/example_warp_specialize_gemm_copy_gemm_0_1.py      main()
warp_specialize/example_warp_specialize_gemm_softpipe_stage2.py    main(M=256, N=256, K=256)
"""

def rows(filters):
    for line in EXAMPLES.strip().splitlines():
        path, call = line.split(None, 1)
        if not filters or any(f in line for f in filters):
            yield path, call


def run(checkout, tilelab, path, call):
    """(class, last words) of one example."""
    command = [tilelab, str(HERE / "one_example.py"), str(pathlib.Path(checkout, "examples", path)), call]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=checkout)
    except subprocess.TimeoutExpired:
        return "too slow", f"over {LIMIT} s"
    text = done.stdout + done.stderr
    if done.returncode == 0 and "example: agreed" in done.stdout:
        return "agrees", ""
    lines = [line for line in text.splitlines() if "Error" in line or "error[" in line] or text.splitlines()[-1:]
    words = " ".join(lines[-1:])
    return outcomes.class_of(words), words[:outcomes.REASON]


def main():
    checkout, tilelab, filters = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve()), sys.argv[3:]
    count = Counter()
    for path, call in rows(filters):
        start = time.monotonic()
        kind, words = run(checkout, tilelab, path, call)
        count[kind] += 1
        print(f"{kind:28} {path} {call}  {time.monotonic() - start:.0f} s  {words}", flush=True)
    print(f"{sum(count.values())} examples: " + ", ".join(f"{number} {kind}" for kind, number in count.most_common()))
    return 1 if not filters and count["agrees"] < EXPECTED else 0


if __name__ == "__main__":
    sys.exit(main())
