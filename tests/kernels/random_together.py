# SPDX-License-Identifier: Apache-2.0
"""A T.Parallel of several statements: names for values, stores into one to three tiles, some under conditions or in loops,
sums in variables. Of the tiles that they store, statements read the same element."""
import numpy as np

import random_expressions as ex
from random_expressions import pick
from random_values import of_names


def indented(lines):
    return ["    " + line for line in lines]


class Name:
    def __init__(self, body):
        rng = body.kernel.rng
        self.name = body.kernel.fresh("x")
        self.value = ex.expression(rng, body.leaf, 2, pick(rng, ("int32", "float32", "float16", "int8", "uint8", "int64")))
        body.names[self.name] = self.value.dtype

    def run(self, own, shape):
        own[self.name] = np.broadcast_to(self.value.value(own), shape)

    def lines(self, index):
        return [f"{self.name} = {self.value.text}"]


class Sum:
    """A variable, and a loop that adds to it."""
    def __init__(self, body):
        rng = body.kernel.rng
        self.name, self.iteration, self.iterations = body.kernel.fresh("v"), body.kernel.fresh("k"), int(rng.integers(1, 4))
        self.start = ex.expression(rng, body.leaf, 1, "int32")
        self.more = ex.expression(rng, of_names(body.leaf, {self.iteration: "int32"}), 1, "int32")
        body.names[self.name] = "int32"

    def run(self, own, shape):
        own[self.name] = np.broadcast_to(self.start.value(own), shape)
        for own[self.iteration] in map(np.int32, range(self.iterations)):
            own[self.name] = (own[self.name] + self.more.value(own)).astype(np.int32)

    def lines(self, index):
        return [f'{self.name} = T.alloc_var("int32")', f"{self.name} = {self.start.text}",
                f"for {self.iteration} in T.serial({self.iterations}):", f"    {self.name} = {self.name} + {self.more.text}"]


class Store:
    """Under a condition or not, with another value where it does not hold, or without."""
    def __init__(self, body, leaf=None):
        rng, leaf = body.kernel.rng, leaf or body.leaf
        self.tile = pick(rng, body.tiles)
        self.test = ex.condition(rng, leaf, 2) if rng.random() < 0.5 else None
        count = 2 if self.test and rng.random() < 0.5 else 1
        self.values = [ex.expression(rng, leaf, 2, self.tile.dtype) for _ in range(count)]

    def run(self, own, shape):
        where = self.test.value(own) if self.test else True
        made = [value.value(own) for value in self.values] + [own[self.tile.name]]
        own[self.tile.name] = np.where(np.broadcast_to(where, shape), made[0], made[1])

    def lines(self, index):
        stores = [f"{self.tile.name}[{index}] = {value.text}" for value in self.values]
        if not self.test:
            return stores
        return [f"if {self.test.text}:", *indented(stores[:1]), *(["else:", *indented(stores[1:])] if stores[1:] else [])]


class Loop:
    """A store in each iteration."""
    def __init__(self, body):
        self.iteration, self.iterations = body.kernel.fresh("k"), int(body.kernel.rng.integers(1, 4))
        self.store = Store(body, of_names(body.leaf, {self.iteration: "int32"}))

    def run(self, own, shape):
        for own[self.iteration] in map(np.int32, range(self.iterations)):
            self.store.run(own, shape)

    def lines(self, index):
        return [f"for {self.iteration} in T.serial({self.iterations}):", *indented(self.store.lines(index))]


class Body:
    def __init__(self, kernel, tiles):
        self.kernel, self.tiles, self.names = kernel, tiles, {}
        self.axes = tiles[0].axes
        self.index = ", ".join(self.axes)
        self.outer = kernel.leaf(self.axes, lambda t: t not in tiles)
        kinds = (Name, Name, Sum, Loop, Store, Store)
        self.statements = [pick(kernel.rng, kinds)(self) for _ in range(int(kernel.rng.integers(2, 6)))]

    def leaf(self, rng):
        kind = rng.random()
        if kind < 0.3:
            tile = pick(rng, self.tiles)
            return ex.Expr(f"{tile.name}[{self.index}]", lambda env: env[tile.name], tile.dtype)
        if kind < 0.6 and self.names:
            name = pick(rng, list(self.names))
            return ex.Expr(name, lambda env: env[name], self.names[name])
        return self.outer(rng)


def together(kernel):
    first = kernel.need(("ij", "i", "j"))
    others = [kernel.need((first.axes,)) for _ in range(2)] if first else []
    tiles = list({t.name: t for t in (first, *others) if t}.values())
    if not tiles:
        return None
    body, bounds = Body(kernel, tiles), [kernel.bounded(tile) for tile in tiles]

    def run(env):
        grids, shape = kernel.grid(env, body.axes)
        own = {**env, **grids}
        for statement in body.statements:
            statement.run(own, shape)
        for tile, (_, clamp) in zip(tiles, bounds):
            env[tile.name][...] = own[tile.name]
            clamp(env)
    return kernel.step(lambda: [
        f"for {body.index} in T.Parallel({kernel.extents(body.axes)}):",
        *indented(line for statement in body.statements for line in statement.lines(body.index)),
        *(line for bound, _ in bounds for line in bound)], run)


MAKERS = (together,)
