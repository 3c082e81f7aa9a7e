# SPDX-License-Identifier: Apache-2.0
"""Random choices of the kernels of a function, and the tensors that they pass to each other."""
import dataclasses

import numpy as np

from random_expressions import numpy_dtype, pick


@dataclasses.dataclass
class Tensor:
    """A parameter of the function. `extents`: as its declaration writes them, numbers or names."""
    name: str
    shape: tuple
    extents: tuple
    dtype: str
    values: object = None    # (rng, shape) -> integers; None: an output

    def declared(self):
        return f'{self.name}: T.Tensor(({", ".join(map(str, self.extents))},), "{self.dtype}")'


def small(rng, shape, dtype):
    """Values of all tensors: 0 to 4 if unsigned, else -2 to 2."""
    return rng.integers(0, 5, shape) - 2 * (dtype[0] != "u")


def stored(values, dtype):
    """Integers as an array of the dtype; those that NumPy lacks as their bits."""
    if dtype == "bfloat16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(numpy_dtype(dtype))


def read(array, dtype):
    if dtype == "bfloat16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.int64)


def small_text(value, dtype):
    """The remainder by five as what a tensor of the dtype holds."""
    return f"T.cast(T.cast({value}, 'int32') % 5{'' if dtype[0] == 'u' else ' - 2'}, '{dtype}')"


def ceildiv(extent, n):
    return f"T.ceildiv({extent}, {n})"


def indented(lines):
    return ["    " + line for line in lines]


def small_value(values, dtype):
    return values % 5 - 2 * (dtype[0] != "u")


class Launch:
    """One `with T.Kernel`, or several: reads the tensor x and further ones, writes y."""
    CHOICES = {}  # field -> values of it, the simplest first

    def __init__(self, function, number, source):
        self.function, self.number = function, number
        self.source = source          # the launch whose y is our x; None: a tensor of the function
        rng = function.rng
        for field, values in self.CHOICES.items():
            simplest = rng.random() < 0.3
            setattr(self, field, values[0] if simplest else pick(rng, values))
        x = source.y if source else Tensor(f"X{number}", *function.first_shape(), pick(rng, function.FORMATS))
        self.x = Tensor(x.name, x.shape, x.extents, x.dtype, lambda r, s: small(r, s, x.dtype))
        self.drawn(rng)
        self.y = Tensor(f"Y{number}", *self.shape_of_y(), pick(rng, function.FORMATS))

    def drawn(self, rng):
        """Further random draws, after the choices."""

    def name(self, letter):
        """A local name: the same in all launches, or not."""
        return letter if self.function.same_names else f"{letter}_{self.number}"

    def own_inputs(self):
        return []

    def outputs(self):
        return [self.y]

    def macros(self):
        """Lines before the function."""
        return []

    def simpler(self):
        """(field, its value now, a simpler one) for what may be drawn more simply."""
        for field, values in self.CHOICES.items():
            now = getattr(self, field)
            for value in values[:values.index(now)]:
                yield field, now, value
