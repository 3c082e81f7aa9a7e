# SPDX-License-Identifier: Apache-2.0
"""Random functions whose kernels exchange tiles within clusters of blocks."""
import numpy as np

from random_function import FunctionKernel
from random_launch import Launch, Tensor, ceildiv, indented, small_text, small_value
from random_launches import MAKERS


class ClusterLaunch(Launch):
    """The blocks of a cluster add up tiles of columns, each every P-th, exchange their sums, and add the whole sum to their tiles."""
    CHOICES = {"dims": ((2, 1), (4, 1), (1, 2), (2, 2), (1, 4), (3, 1), (8, 1)), "BM": (16, 32, 1), "BN": (32, 64, 16, 24), "threads": (128, 64, 32, 256),
               "loop": ("T.serial", "T.Pipelined"), "stages": (0, 1, 2, 3), "scope": ("fragment", "shared"),
               "way": ("all", "scatter", "ring", "tensor"), "peers": ("T.serial", "T.unroll"), "sync": ("whole", "halves"), "rounds": (1, 2, 3)}

    def drawn(self, rng):
        self.parts = self.dims[0] * self.dims[1]
        self.h = Tensor(f"H{self.number}", (self.row_tiles(), self.parts, self.BM, self.BN), (ceildiv(self.x.extents[0], self.BM), self.parts, self.BM, self.BN), "int32")

    def row_tiles(self):
        return -(-self.x.shape[0] // self.BM)

    def shape_of_y(self):
        return self.x.shape, self.x.extents

    def way_taken(self):
        return "all" if self.way == "scatter" and self.BN % (self.dims[0] * self.dims[1]) else self.way

    def outputs(self):
        return [self.h, self.y] if self.way_taken() == "tensor" else [self.y]

    def barrier(self):
        return ["T.cluster_sync()"] if self.sync == "whole" else ["T.cluster_arrive()", "T.cluster_wait()"]

    def loads(self, body):
        """A loop over this block's tiles of columns."""
        stages = f", num_stages={self.stages}" if self.loop == "T.Pipelined" else ""
        count = f"T.ceildiv({ceildiv(self.x.extents[1], self.BN)} - part, {self.parts})"
        load = f"T.copy({self.x.name}[b * {self.BM}, (part + s * {self.parts}) * {self.BN}], {self.name('t')})"
        return [f"for s in {self.loop}({count}{stages}):", *indented([load, *body])]

    def to_all(self, source, target):
        return [f"for peer in {self.peers}({self.parts}):", f"    T.copy_cluster({source}, {target}, dst_block=peer)", *self.barrier()]

    def exchanged(self):
        """Lines that make `f` the sum of the `a` of all blocks of the cluster; the memory may be used again after them."""
        n, P, whole, loop = self.name, self.parts, f"{self.BM}, {self.BN}", f"for i, j in T.Parallel({self.BM}, {self.BN}):"
        box, of_all = f"0:{self.BM}, 0:{self.BN}", lambda text: " + ".join(text.format(p) for p in range(P))
        if self.way_taken() == "all":
            return [*self.to_all(n("a"), f"{n('r')}[part, {box}]"), loop, f"    {n('f')}[i, j] = {of_all(n('r') + '[{}, i, j]')}", *self.barrier()]
        if self.way_taken() == "tensor":
            h = self.h.name
            return [loop, f"    {h}[b, part, i, j] = {n('a')}[i, j]", *self.barrier(), loop,
                    f"    {n('f')}[i, j] = {of_all(h + '[b, {}, i, j]')}", *self.barrier()]
        if self.way_taken() == "ring":
            return [f"T.copy({n('a')}, {n('f')})", f"for step in T.serial({P - 1}):",
                    f"    T.copy_cluster({n('a')}, {n('r')}[step % 2, {box}], dst_block=(part + 1) % {P})", *indented(self.barrier()),
                    f"    {loop}", f"        {n('a')}[i, j] = {n('r')}[step % 2, i, j]", f"    {loop}", f"        {n('f')}[i, j] += {n('a')}[i, j]",
                    *self.barrier()]
        w = self.BN // P
        return [f"for peer in T.unroll({P}):", f"    T.copy_cluster({n('a')}[0:{self.BM}, peer * {w}:(peer + 1) * {w}], {n('r')}[part, 0:{self.BM}, 0:{w}], dst_block=peer)",
                *self.barrier(), f"for i, j in T.Parallel({self.BM}, {w}):", f"    {n('p')}[i, j] = {of_all(n('r') + '[{}, i, j]')}",
                *self.to_all(n("p"), f"{n('g')}[0:{self.BM}, part * {w}:(part + 1) * {w}]"), f"T.copy({n('g')}, {n('f')})", *self.barrier()]

    def lines(self):
        x, y, n, P = self.x, self.y, self.name, self.parts
        whole, w = f"{self.BM}, {self.BN}", self.BN // P
        slots = {"all": f"{P}, {whole}", "ring": f"2, {whole}", "scatter": f"{P}, {self.BM}, {w}"}.get(self.way_taken())
        body = ["part = T.block_rank_in_cluster()", f'{n("t")} = T.alloc_{self.scope}(({whole}), "{x.dtype}")',
                f'{n("a")} = T.alloc_{self.scope}(({whole}), "int32")', f'{n("f")} = T.alloc_fragment(({whole}), "int32")',
                f'{n("o")} = T.alloc_fragment(({whole}), "{y.dtype}")']
        body += [f'{n("r")} = T.alloc_shared(({slots}), "int32")'] if slots else []
        body += [f'{n("g")} = T.alloc_shared(({whole}), "int32")', f'{n("p")} = T.alloc_fragment(({self.BM}, {w}), "int32")'] if self.way_taken() == "scatter" else []
        loop, t = f"for i, j in T.Parallel({whole}):", f"T.cast({n('t')}[i, j], 'int32')"
        each = [f"T.clear({n('a')})", *self.loads([loop, f"    {n('a')}[i, j] += {t} * (1 + (s + step_of) % 2)"]), *self.exchanged()]
        each = [line.replace("step_of", "round") for line in each]
        body += [f"for round in T.serial({self.rounds}):", *indented(each)]
        total = small_text(f"{n('f')}[i, j] + {t}", y.dtype)
        body += self.loads([loop, f"    {n('o')}[i, j] = {total}",
                            f"T.copy({n('o')}, {y.name}[b * {self.BM}, (part + s * {P}) * {self.BN}])"])
        tiles = ceildiv(x.extents[0], self.BM)
        return [f"with T.Kernel({self.dims[0]}, {self.dims[1]}, {tiles}, cluster_dims=({self.dims[0]}, {self.dims[1]}, 1), threads={self.threads}) as (q, r_, b):",
                *indented(body)]

    def run(self, env):
        x = env[self.x.name]
        P, rows = self.parts, self.row_tiles() * self.BM
        tiles = -(-x.shape[1] // self.BN)
        padded = np.pad(x, [(0, rows - x.shape[0]), (0, tiles * self.BN - x.shape[1])]).reshape(self.row_tiles(), self.BM, tiles, self.BN)
        k = np.arange(tiles)
        weight = 1 + (k // P + self.rounds - 1) % 2
        parts = np.stack([(padded * weight[:, None] * (k % P == p)[:, None]).sum(2) for p in range(P)], 1)
        if self.way_taken() == "tensor":
            env[self.h.name] = parts
        whole = parts.sum(1).reshape(rows, self.BN)
        full = np.tile(whole, (1, tiles))[:x.shape[0], :x.shape[1]]
        env[self.y.name] = small_value(full + x, self.y.dtype)


class ClusterKernel(FunctionKernel):
    """Half of the kernels in clusters."""
    makers = (ClusterLaunch,) * len(MAKERS) + MAKERS
