# SPDX-License-Identifier: Apache-2.0
"""Kernels of the corpus at sizes that models have, against NumPy in float64: `suite.py --only full`.

An element may be off by what case.py allows. At these sizes that is much beside the results of long sums that cancel, so that
the distance of a row from its reference has a separate bound."""
import itertools
import time

import case
import numpy as np
import tilelab
from counts import Counts, accumulator_of, guarded
from tilelab._gpu import devices

DISTANCE = 2e-3  # relative, of rows: f16 between two products has 5e-4
OF_FP8 = 1e-2  # whose sums have 14 bits on Hopper

TYPES = ("float16", "bfloat16", "tfloat32", "int8", "float8_e4m3fn")
TILES = ((128, 128, 256), (128, 64, 128))


def products():
    """4096 in all forms and types; stages and roles alternating, every second one with tails that copy engines handle."""
    for i, (form, dtype) in enumerate(itertools.product(("nn", "nt", "tn", "tt"), TYPES)):
        m, n, k = ((4096, 4096, 4096), (3984, 4080, 4064))[i % 2]
        yield "products_of_all_forms", dict(M=m, N=n, K=k, form=form, dtype=dtype, stages=1 + i % 4, roles=i // 2 % 2 == 0,
                                            tails="none", tile=TILES[i // 4 % 2], begin=("cleared", "first iteration")[i // 3 % 2])


# Kernel, its size.
FULL = [
    *products(),
    ("products_of_wide_tf32", dict(M=2048, N=2048, K=2048, ta=False, tb=True)),
    ("products_of_rounded_tf32", dict(M=2048, N=2048, K=2048, tb=True, tile=(64, 32, 16, 128))),
    ("units_gemm_of_bytes", dict(M=4096, N=4096, K=4096, dtype="uint8")),
    ("units_gemm_of_bytes", dict(M=4096, N=4096, K=4096, dtype="float8_e5m2")),
    ("units_gemm_of_doubles", dict(M=2048, N=2048, K=2048, tb=True)),
    ("units_gemm_of_a_fragment", dict(M=4096, N=4096, K=4096, dtype="float16", tb=True)),
    ("units_blocks_that_stay", dict(M=4096, N=4096, K=4096, panel=8)),
    ("gemm_fragments", dict(M=1024, N=1024, K=1024, BM=32, BN=32, BK=32)),
    ("gemv", dict(N=16384, K=8192, BN=16, BK=256)),
    ("worked_batched_gemm", dict(B=32, M=512, N=1024, K=1024)),
    ("worked_split_k_gemm", dict(M=128, N=4096, K=8192, parts=8)),
    ("worked_stream_k_gemm", dict(M=2048, N=2016, K=4096, blocks=132)),
    ("models_persistent_gemm", dict(M=4096, N=4096, K=4096, tile=(128, 128, 64), blocks=132, threads=256)),
    ("models_persistent_gemm", dict(M=8192, N=4000, K=1032, tile=(128, 128, 32), blocks=264, threads=128, stages=4)),
    ("persistent_gemm", dict(M=1024, N=1024, K=1024)),
    ("worked_dequantised_gemm", dict(M=2048, N=4096, K=4096, kind="int4")),
    ("worked_dequantised_gemm", dict(M=16, N=8192, K=8192, kind="nf4")),
    ("narrow_dequantised_gemm", dict(M=2048, N=4096, K=4096)),
    ("narrow_quantised", dict(M=4096, N=4096)),
    ("narrow_through_memory", dict(M=4096, N=4096)),
    ("worked_convolution", dict(N=16, H=56, W=56, C=64, F=128, size=3, stride=1, pad=1)),
    ("worked_convolution", dict(N=8, H=57, W=57, C=128, F=256, size=3, stride=2, pad=1)),
    ("conv1d_of_patches", dict(N=64, L=4096, KL=32, F=32)),
    ("attention_online", dict(L=2048, D=64)),
    ("attention_of_wide_heads", dict(S=4096, R=4096, D=128, policy="FullRow")),
    ("units_attention", dict(S=2048, R=4096, D=64)),
    ("units_tiles_of_unequal_length", dict(H=16, S=2048, D=128, BN=128, first=0)),
    ("attention_of_grouped_heads", dict(B=1, S=2048, H=16, G=4, D=128)),
    ("attention_of_sequences", dict(lengths=(2048, 1111, 64, 777, 1), D=128)),
    ("models_attention_of_sequences", dict(lengths=((2048, 2048), (513, 1025), (1, 3000), (100, 100)), H=8, G=2, D=128)),
    ("attention_backward", dict(S=2048, D=128)),
    ("attention_backward_of_sequences", dict(lengths=(1024, 700, 324), H=8, G=2, D=64, causal=True)),
    ("attention_of_latent_keys", dict(H=128, S=4096, D=512, P=64, threads=256)),
    ("models_latent_decode", dict(B=8, H=128, S=4096, D=512, P=64, parts=8, threads=256)),
    ("attention_without_softmax", dict(S=4096, D=64, E=128)),
    ("models_linear_attention", dict(B=2, S=2048, H=8, D=64, E=128)),
    ("row_softmax", dict(M=4096, N=4096, threads=256)),
    ("models_softmax_of_long_rows", dict(M=1024, N=32000, BN=2048, threads=256)),
    ("rms_norm", dict(M=4096, N=2048)),
    ("models_rms_norm_of_long_rows", dict(M=4096, N=8192, BM=2, BN=512)),
    ("largest_of_rows", dict(M=1024, N=4096, k=8, rows=1, threads=256)),
    ("worked_block_sparse_gemm", dict(M=2048, N=2048, K=2048)),
    ("worked_grouped_gemm", dict(rows=(1024, 513, 77, 0, 2048, 300, 640, 1500), N=2048, K=1024)),
]


def poisoned(array):
    """In place: what no kernel computes."""
    array.fill(np.nan if array.dtype.kind == "f" else 0x5a)
    return array


def distant(got, expected, allowed):
    """The problem of the distance of output rows, or None."""
    for number, (g, e) in enumerate(zip(got, expected)):
        if g.dtype.kind != "f":
            continue
        wide = np.asarray(e, np.float64)
        length = np.linalg.norm(wide, axis=-1)
        usual = np.sqrt((length**2).mean())  # rows that cancel to nothing are held against it
        far = (np.linalg.norm(g - wide, axis=-1) / np.maximum(length + usual, 1e-30)).max()
        if not far < allowed:
            return f"output {number}: a row is {far:.1e} from its reference"
    return None


def named(args):
    for name in case.MODULES:
        __import__(name)
    by_name = {one.name: one for one in case.CASES}
    return [(by_name[name], size) for name, size in args.share(FULL) if not args.cases or name in args.cases]


def full(args):
    import run as corpus

    counts = Counts("full")
    for one, size in named(args):
        if time.time() - counts.start > args.stop:
            break
        func = one.factory(**size).func
        values, outputs, expected = corpus.arrays_of(one, size, func, np.random.default_rng([args.seed, *one.name.encode()]))
        got = [values[i] for i in outputs]

        def work(target):
            kernel = tilelab.compile(one.factory(**size), target=target)
            eps = accumulator_of(kernel)  # what is refused, is so here and not counted as run
            for array in got:
                poisoned(array)
            counts.runs += 1
            kernel(*corpus.declared(values, func.params))
            said = case.check(one, size, got, expected, eps) or distant(got, expected, OF_FP8 if eps else DISTANCE)
            if said:
                counts.fail(f"{one.name} {size} {target}", said)

        for target in dict.fromkeys([devices.target(), "sm_80"]):
            guarded(counts, f"{one.name} {size} {target}", lambda: work(target))
    return counts
