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
# Tiles of their products on sm_90, with the nanoseconds that a processor takes for one of K. These numbers and the following ones were fitted to
# 34 shapes (M 128 to 4096) in all tiles and parts, measured on an H200; the chosen ones take 0.8 % longer than the best.
MEASURED = ((11.2, dict(BM=128, BN=256, BK=64, stages=4, threads=256)), (8.9, dict(BM=128, BN=192, BK=64, stages=4, threads=256)),
            (6.4, dict(BM=128, BN=128, BK=64, stages=4, threads=256)), (2.7, dict(BM=128, BN=64, BK=64, stages=6, threads=256)),
            (1.9, dict(BM=64, BN=64, BK=64, stages=6, threads=128)))
PROCESSORS = 132  # of an H100 or H200
LATENCY = 900  # nanoseconds until a tile has arrived
BANDWIDTH = 108, 10000  # bytes in a nanosecond: from the L2 cache to a processor, and of parts
ENDS = 0.16  # nanoseconds for an element of a tile, before and after its loop
LAUNCH = 500  # nanoseconds of a second kernel
FEW = 64  # rows
STEP = 128  # of K in a product of few rows
MOST_PARTS = 4


@per_target
def tile_of(dtype, M, N, Z=1):
    """The largest tiles that give enough blocks for Z products (M, N), or else the smallest. Tiles of both operands for each stage are in
    shared memory."""
    tiles = choose(CONFIGURATIONS)
    tile = next((tile for tile in tiles if Z * -(-M // tile["BM"]) * -(-N // tile["BN"]) >= ENOUGH), tiles[-1])
    return fitted({"": tile}, lambda tile: (tile["BM"] + tile["BN"]) * tile["BK"] * tile["stages"] * arrays.bytes_of(dtype))


def time_of(nanoseconds, tile, M, N, K, Z, parts):
    """An estimate in nanoseconds: rounds of blocks, each limited by the matrix unit, or by the operands' tiles on their way to a processor.
    With one block on a processor the tiles in flight are those of its stages."""
    blocks = Z * -(-M // tile["BM"]) * -(-N // tile["BN"]) * parts
    column = 2 * (tile["BM"] + tile["BN"])  # bytes
    rate = BANDWIDTH[0] if blocks > PROCESSORS else min(BANDWIDTH[0], column * tile["BK"] * tile["stages"] / LATENCY)
    each = -(-K // parts) * max(nanoseconds, column / rate) + ENDS * tile["BM"] * tile["BN"]
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


def takes_few_rows(dtype, M):
    """Whether a product of M rows is best computed as its transpose."""
    return M <= FEW and dtype in HALVES and current_target().startswith("sm_90")


@per_target
def few_rows_plan_of(M, N, K, blocks=PROCESSORS):
    """(tile, parts of K) of a product of few rows, with about so many blocks. A part has at least four steps."""
    tile = dict(BM=max(8, 1 << (M - 1).bit_length()), BN=64, BK=STEP, stages=4)
    return tile, max(1, min(round(blocks / -(-N // tile["BN"])), K // (4 * STEP)))
