# SPDX-License-Identifier: Apache-2.0
"""Tiles of which only the first `count` rows belong to a sequence or a group. The other rows are those of the next one, which may be infinite or
NaN."""

from .. import language as T


def keep_rows(count, *tiles):
    """Sets tiles of shared memory or fragments, of equally many rows, to 0 after their first `count` rows. Under one condition: a full tile then
    needs no barrier."""
    if count < tiles[0].shape[0]:
        for tile in tiles:
            for i, j in T.Parallel(*tile.shape):
                tile[i, j] = T.if_then_else(i < count, tile[i, j], 0)


def store_rows(tile, staged, X, place, count, columns):
    """Stores the first `count` rows and `columns` columns of a fragment at X[place(i, j)], through shared memory `staged`, from which threads
    store adjacent elements."""
    T.copy(tile, staged)
    for i, j in T.Parallel(*staged.shape):
        if (i < count) & (j < columns):
            X[place(i, j)] = staged[i, j]
