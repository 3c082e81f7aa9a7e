# SPDX-License-Identifier: Apache-2.0
"""Tile schedulers: objects that a kernel makes (core/elaborate/objects.h), which give a block its next tile."""

from .._compiler.builtin import Builtin

_alloc_var, _ceildiv, _max, _min = (Builtin.table[name] for name in ("alloc_var", "ceildiv", "max", "min"))


def meta_class(cls):
    """Marks a class whose objects a kernel makes: attributes are values of the kernel, methods are inlined."""
    cls._made_in_kernels = True
    return cls


def processors():
    """The number of multiprocessors of the current device; without a GPU, of the simulated one."""
    from .._redirect import device_properties

    return device_properties(0).multi_processor_count


@meta_class
class BaseTileScheduler:
    """The state of a scheduler: variables for the current tile, its number and the number of tiles before it.

    A subclass sets `_total_tiles` and defines `update_current_idx`, which computes `_m_idx` and `_n_idx` from the number of a tile.
    """

    def __init__(self, stateful=True, name=None):
        self._stateful, self._total_tiles = stateful, 0
        if stateful:
            self._m_idx = _alloc_var("int32")
            self._n_idx = _alloc_var("int32")
            self._linear_idx = _alloc_var("int32")
            self._current_iter = _alloc_var("int32")

    @property
    def m_idx(self):
        """Row of the current tile."""
        return self._m_idx[0]

    @property
    def n_idx(self):
        """Column of the current tile."""
        return self._n_idx[0]

    @property
    def linear_idx(self):
        """Number of the current tile."""
        return self._linear_idx[0]

    @property
    def current_iter(self):
        """How many tiles the block has finished."""
        return self._current_iter[0]

    def update_current_idx(self, linear_idx):
        assert False, "a subclass of T.BaseTileScheduler must define update_current_idx"

    def init(self, linear_init):
        """Begins with the tile of that number."""
        self._current_iter[0] = 0
        self._linear_idx[0] = linear_init
        self.update_current_idx(self._linear_idx[0])

    def next_tile(self, step):
        """Moves on by `step` tiles."""
        self._current_iter[0] += 1
        self._linear_idx[0] += step
        self.update_current_idx(self._linear_idx[0])

    def valid(self):
        """Whether the current tile exists."""
        return self._linear_idx[0] < self._total_tiles


@meta_class
class PersistentTileScheduler(BaseTileScheduler):
    """All tiles of a grid for a fixed number of blocks: block w gets tiles w, w + num_workers and so on."""

    def __init__(self, num_m_tiles, num_n_tiles, num_workers=None, swizzle_size=1, column_major=True, cluster_size=1, stateful=True, name=None):
        super().__init__(stateful=stateful, name=name)
        rows = _ceildiv(num_m_tiles, cluster_size)  # of clusters
        self.cluster_size, self.swizzle_size, self._column_major = cluster_size, swizzle_size, column_major
        self.num_workers = processors() // cluster_size if num_workers is None else num_workers
        self._total_tiles = rows * num_n_tiles
        self._fast, self._slow = (rows, num_n_tiles) if column_major else (num_n_tiles, rows)

    def coord(self, tile_id):
        """(row, column) of the tile with that number. Panels of `swizzle_size` tiles of the slow axis follow each other; the last may be narrower."""
        in_panel = self._fast * self.swizzle_size
        first = tile_id // in_panel * self.swizzle_size
        # At least 1: a number past the last tile also has coordinates.
        width = 1 if self.swizzle_size == 1 else _max(_min(self._slow - first, self.swizzle_size), 1)
        fast, slow = tile_id % in_panel // width, first + tile_id % in_panel % width
        return (fast, slow) if self._column_major else (slow, fast)

    def update_current_idx(self, linear_idx):
        m, n = self.coord(linear_idx)
        self._m_idx[0] = m
        self._n_idx[0] = n

    def next_tile(self):
        """Moves on to the block's next tile."""
        super().next_tile(self.num_workers)


CLASSES = {"BaseTileScheduler": BaseTileScheduler, "PersistentTileScheduler": PersistentTileScheduler}
