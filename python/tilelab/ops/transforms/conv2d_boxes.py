# SPDX-License-Identifier: Apache-2.0
"""The convolution of conv2d.py with stride 1 and many channels. A tile has TB x TH x TW neighbouring positions of the result, so that for one place
of the filter its operand is a box of the image, which one copy brings to shared memory:

    x (batch, height, width, channels) --box, shifted by the place--> shared (TB, TH, TW, BK), seen as (BM, BK) --gemm--> y

Elements of a box outside the image are read as 0, which is the padding, and are not written. The shape of the boxes depends on the image:
box_of() takes the one that leaves the fewest places empty."""

from ... import language as T
from .. import arrays
from ..launch import fitted, jit, per_target

CONFIGURATIONS = {"sm_90": dict(BM=128, BN=128, BK=64, stages=3, threads=256), "": dict(BM=64, BN=64, BK=32, stages=2, threads=128)}
RESIDENT = 2  # blocks of a processor: one stores its result, or waits for its first tiles, while the other one multiplies
ENOUGH = {"sm_90": 264, "mp_31": 64, "": 8}  # blocks


def takes_boxes(stride, padding, channels, KH, KW):
    """Whether boxes are the better operand: a tile has the channels of one place of the filter only. Each result depends on the image."""
    return stride == 1 and padding < min(KH, KW) and channels >= 32


@per_target
def configuration_of(dtype, outputs):
    """For a result of so many columns."""
    size = arrays.bytes_of(dtype)
    tile = fitted(CONFIGURATIONS, lambda tile: size * tile["BK"] * tile["stages"] * (tile["BM"] + tile["BN"]))
    return tile | dict(BN=min(tile["BN"], 64) if outputs <= 64 else tile["BN"])


def resident(dtype):
    return RESIDENT if arrays.bytes_of(dtype) == 2 else 1


def store_box(tile, Y, corner, box):
    """Stores the rows of a tile, which are the places of a box, at the box of Y that begins at `corner`, but for those beyond the end."""
    TB, TH, TW = box
    b, h, w, n = corner
    for i, j in T.Parallel(*tile.shape):
        place = b + i // (TH * TW), h + i // TW % TH, w + i % TW, n + j
        if (place[0] < Y.shape[0]) & (place[1] < Y.shape[1]) & (place[2] < Y.shape[2]) & (place[3] < Y.shape[3]):
            Y[place] = tile[i, j]


@per_target
def box_of(B, H, W, places):
    """The box (TB, TH, TW) of so many places, a power of two, of which the fewest cover B images of (H, W) positions."""
    widths = [1 << i for i in range(places.bit_length())]
    boxes = [(places // (th * tw), th, tw) for tw in widths for th in widths if th * tw <= places]
    return min(boxes, key=lambda box: (boxes_in(B, H, W, *box), box[0], abs(box[1] - box[2])))


def boxes_in(B, H, W, TB, TH, TW):
    return -(-B // TB) * -(-H // TH) * -(-W // TW)


@jit
def conv2d_boxes_kernel(H, W, C, N, KH, KW, padding, dtype, backward, TB, TH, TW, BN, BK, stages, threads):
    """Y from X; `backward`: dX from dY, whose boxes are shifted the other way, and whose channels are the rows of the filter."""
    B, OH, OW = T.dynamic("B"), H + 2 * padding - KH + 1, W + 2 * padding - KW + 1
    source, made = ((OH, OW, N), (H, W, C)) if backward else ((H, W, C), (OH, OW, N))
    BM, rows, columns, across, chunks = TB * TH * TW, -(-made[0] // TH), -(-made[1] // TW), -(-made[2] // BN), -(-source[2] // BK)

    @T.prim_func
    def conv2d_boxes(X: T.Tensor((B, *source), dtype), F: T.Tensor((N, KH * KW, C), dtype), Y: T.Tensor((B, *made), dtype)):
        with T.Kernel(across * rows * columns * T.ceildiv(B, TB), threads=threads) as block:
            T.annotate_min_blocks_per_sm(resident(dtype))
            box = T.alloc_shared((TB, TH, TW, BK), dtype)
            f = T.alloc_shared((BK, BN) if backward else (BN, BK), dtype)
            y = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            place, n = block // across, block % across * BN
            b, h, w = place // (rows * columns) * TB, place // columns % rows * TH, place % columns * TW
            T.clear(y)
            for t in T.Pipelined(KH * KW * chunks, num_stages=stages):
                k, c = t // chunks, t % chunks * BK
                top, left = (h + padding - k // KW, w + padding - k % KW) if backward else (h + k // KW - padding, w + k % KW - padding)
                T.copy(X[b:b + TB, top:top + TH, left:left + TW, c:c + BK], box)
                if backward:
                    T.copy(F[c:c + BK, k, n:n + BN], f)
                else:
                    T.copy(F[n:n + BN, k, c:c + BK], f)
                T.gemm(T.view(box, (BM, BK)), f, y, transpose_B=not backward)
            store_box(y, Y, (b, h, w, n), (TB, TH, TW))

    return conv2d_boxes


@jit
def conv2d_boxes_weight_kernel(H, W, C, N, KH, KW, padding, dtype, parts, TB, TH, TW, BM, BN, stages, threads):
    """Adds to dF: a block computes (BM, BN) of it at one place of the filter, for one of `parts` of the boxes of positions."""
    B, OH, OW = T.dynamic("B"), H + 2 * padding - KH + 1, W + 2 * padding - KW + 1
    BK, rows, columns, chunks = TB * TH * TW, -(-OH // TH), -(-OW // TW), -(-C // BN)

    @T.prim_func
    def conv2d_boxes_weight(X: T.Tensor((B, H, W, C), dtype), dY: T.Tensor((B, OH, OW, N), dtype), dF: T.Tensor((N, KH * KW, C), arrays.wide(dtype))):
        with T.Kernel(KH * KW * chunks, T.ceildiv(N, BM), parts, threads=threads) as (bk, bn, part):
            dy = T.alloc_shared((TB, TH, TW, BM), dtype)
            box = T.alloc_shared((TB, TH, TW, BN), dtype)
            df = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            k, c, n = bk // chunks, bk % chunks * BN, bn * BM
            boxes = T.ceildiv(B, TB) * rows * columns
            steps = T.ceildiv(boxes, parts)
            T.clear(df)
            for t in T.Pipelined(T.max(T.min(steps, boxes - part * steps), 0), num_stages=stages):
                place = part * steps + t
                b, h, w = place // (rows * columns) * TB, place // columns % rows * TH, place % columns * TW
                top, left = h + k // KW - padding, w + k % KW - padding
                T.copy(dY[b:b + TB, h:h + TH, w:w + TW, n:n + BM], dy)
                T.copy(X[b:b + TB, top:top + TH, left:left + TW, c:c + BN], box)
                T.gemm(T.view(dy, (BK, BM)), T.view(box, (BK, BN)), df, transpose_A=True)
            for i, j in T.Parallel(BM, BN):
                if (n + i < N) & (c + j < C):
                    T.atomic_add(dF[n + i, k, c + j], df[i, j])

    return conv2d_boxes_weight
