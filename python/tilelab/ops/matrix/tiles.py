# SPDX-License-Identifier: Apache-2.0
"""The tiles of products."""

from .. import arrays
from ..launch import choose, current_target, fitted, per_target

CONFIGURATIONS = {
    "sm_90": (dict(BM=128, BN=256, BK=64, stages=4, threads=256), dict(BM=128, BN=128, BK=64, stages=4, threads=256),
              dict(BM=64, BN=64, BK=64, stages=4, threads=128), dict(BM=64, BN=32, BK=128, stages=4, threads=128)),
    "mp_31": (dict(BM=128, BN=128, BK=32, stages=2, threads=128),),
    "": (dict(BM=64, BN=64, BK=32, stages=2, threads=128),),
}
ENOUGH = 120  # blocks that occupy most processors of a GPU

HALVES = "float16", "bfloat16"
# Tiles of their products on sm_90, with the nanoseconds that a processor takes for one of K. Their stages fill shared memory: with four of them
# 128 x 128 took 13 % longer. These numbers and the following ones were fitted to 35 shapes (M 128 to 2048) in all tiles and 1, 2 or 4 parts,
# measured on an H200 with an empty L2 cache; the chosen ones take 0.2 % longer than the best.
MEASURED = ((11, dict(BM=128, BN=256, BK=64, stages=4, threads=256)), (8.5, dict(BM=128, BN=192, BK=64, stages=5, threads=256)),
            (6.1, dict(BM=128, BN=128, BK=64, stages=6, threads=256)), (3.1, dict(BM=128, BN=64, BK=64, stages=8, threads=256)),
            (1.2, dict(BM=64, BN=64, BK=128, stages=6, threads=128)), (1.2, dict(BM=64, BN=32, BK=128, stages=8, threads=128)))
PROCESSORS = 132  # of an H100 or H200
BANDWIDTH = 92, 4600  # bytes in a nanosecond: of the operands' tiles to a processor, and of parts
ENDS = 0.11  # nanoseconds for an element of a tile, before and after its loop
LAUNCH = 4800  # nanoseconds of a second kernel
FEW = 64  # rows
STEP = 128  # of K in a product of few rows
MOST_PARTS = 4
ONCE = 2  # tiles of rows that read B at about the same time


@per_target
def tile_of(dtype, M, N, Z=1):
    """The largest tiles that give enough blocks for Z products (M, N), or else the smallest. Tiles of both operands for each stage are in
    shared memory."""
    tiles = choose(CONFIGURATIONS)
    tile = next((tile for tile in tiles if Z * -(-M // tile["BM"]) * -(-N // tile["BN"]) >= ENOUGH), tiles[-1])
    return fitted({"": tile}, lambda tile: (tile["BM"] + tile["BN"]) * tile["BK"] * tile["stages"] * arrays.bytes_of(dtype))


def time_of(nanoseconds, tile, M, N, K, Z, parts):
    """An estimate in nanoseconds: rounds of blocks, each limited by the matrix unit, or by the operands' tiles on their way to a processor."""
    blocks = Z * -(-M // tile["BM"]) * -(-N // tile["BN"]) * parts
    column = 2 * (tile["BM"] + tile["BN"])  # bytes
    each = -(-K // parts) * max(nanoseconds, column / BANDWIDTH[0]) + ENDS * tile["BM"] * tile["BN"]
    return -(-blocks // PROCESSORS) * each + (LAUNCH + 8 * parts * M * N / BANDWIDTH[1] if parts > 1 else 0)  # parts are written and read


@per_target
def plan_of(dtype, M, N, K, Z=1, most=MOST_PARTS):
    """(tile, parts of K, at most `most`) of the least estimated time for Z products (M, K) by (K, N). A part has at least four steps."""
    if not current_target().startswith("sm_90") or dtype not in HALVES:
        return tile_of(dtype, M, N, Z), 1
    plans = [(time_of(nanoseconds, tile, M, N, K, Z, parts), i, parts) for i, (nanoseconds, tile) in enumerate(MEASURED)
             for parts in range(1, most + 1) if parts == 1 or K >= 4 * parts * tile["BK"]]
    _, i, parts = min(plans)
    return MEASURED[i][1], parts


def policy_of(M, tile):
    """The eviction policy of B in a product of M rows. One or two tiles of rows read it at about the same time: it need not stay in the L2 cache,
    and what other kernels have written can (on an H200 whose cache was full of it, 4 to 14 % faster). With more tiles B is read again later."""
    return "evict_first" if -(-M // tile["BM"]) <= ONCE else "evict_normal"


def takes_few_rows(dtype, M):
    """Whether a product of M rows is best computed as its transpose."""
    return M <= FEW and dtype in HALVES and current_target().startswith("sm_90")


@per_target
def few_rows_plan_of(M, N, K, blocks=PROCESSORS, step=STEP):
    """(tile, parts of K) of a product of few rows, with about so many blocks and such a step of K. A part has at least four steps."""
    tile = dict(BM=max(8, 1 << (M - 1).bit_length()), BN=64, BK=step, stages=4)
    return tile, max(1, min(round(blocks / -(-N // tile["BN"])), K // (4 * step)))
