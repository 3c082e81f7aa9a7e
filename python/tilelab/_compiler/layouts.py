# SPDX-License-Identifier: Apache-2.0
"""Layout and Fragment as Python objects: tables of the forward function over all elements. Inside a kernel the compiler builds the same
maps; `describe` passes it a layout made outside. The core computes digits, its own form of layouts."""

import functools
import itertools
import math


def row_major(shape):
    """Strides in elements."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return strides


def _ints(value, what):
    """The coordinates as integers: one, or several in a sequence."""
    items = value if isinstance(value, (tuple, list)) else (value,)
    out = []
    for item in items:
        if isinstance(item, (tuple, list)):
            out += _ints(item, what)
        elif hasattr(item, "__index__"):
            out.append(item.__index__())
        else:
            raise TypeError(f"{what} must return integers, not {type(item).__name__}")
    return tuple(out)


def _shape(shape, what="shape"):
    items = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    for number, extent in enumerate(items):
        if not hasattr(extent, "__index__"):
            raise TypeError(f"{what}[{number}] is an integer, not {type(extent).__name__}")
        if extent.__index__() <= 0:
            raise ValueError(f"{what}[{number}] must be > 0, got {extent}")
    return tuple(e.__index__() for e in items)


def row_major_number(indices, shape):
    return functools.reduce(lambda number, pair: number * pair[1] + pair[0], zip(indices, shape), 0)


def _points(shape):
    return itertools.product(*map(range, shape))


_WHOLE = 1 << 15  # elements of the largest complete picture


class LayoutPicture:
    """The drawing of a layout, which a notebook shows: `.svg` is its text; str() is the text of %layout."""

    def __init__(self, made):
        self._made = made

    @property
    def svg(self):
        return self._made["svg"]()

    def __repr__(self):
        return self._made["text"].rstrip("\n")

    def _repr_mimebundle_(self, include=None, exclude=None):
        import base64

        image = base64.b64encode(self.svg.encode()).decode()  # JupyterLab prefers LaTeX to SVG, and HTML to both
        return {"text/plain": repr(self), "text/html": f'<img src="data:image/svg+xml;base64,{image}">', "image/svg+xml": self.svg,
                "text/latex": self._made["latex"]}


class Layout:
    """The location of each element of a shared buffer: `forward_fn` maps indices to coordinates, row-major in `get_output_shape()`."""

    dtype = "float32"  # of the elements of a picture, which has bytes and banks

    def __init__(self, shape, forward_fn):
        self.shape = _shape(shape)
        self.places = [_ints(forward_fn(*point), "forward_fn") for point in _points(self.shape)]
        self.forward = forward_fn

    forward = None  # the function of `places`; None for derived layouts

    @classmethod
    def _of(cls, shape, places):
        made = cls.__new__(cls)
        made.shape, made.places = tuple(shape), list(places)
        return made

    @classmethod
    def bank_swizzled(cls, rows, columns, element_bits, panel_bytes):
        """Panels of 128, 64 or 32 bytes, in which chunks of 16 bytes are permuted by row."""
        from .. import _core

        if element_bits not in (8, 16, 32, 64):
            raise ValueError(f"element_bits is 8, 16, 32 or 64, not {element_bits}")
        shape = _shape((rows, columns))
        places = _core.bank_swizzled(shape, element_bits // 8, panel_bytes)
        if places is None:
            raise ValueError(f"a swizzle of {panel_bytes} bytes needs a multiple of 8 rows of a multiple of {panel_bytes} bytes, not "
                             f"{rows} rows of {columns * element_bits // 8} bytes")
        made = cls._of(shape, map(tuple, places))
        made.dtype = f"int{element_bits}" if element_bits == 8 else f"float{element_bits}"
        return made

    # --- questions -----------------------------------------------------------------------------------

    def get_input_shape(self):
        return list(self.shape)

    def get_output_shape(self):
        """One past the largest coordinate, per coordinate."""
        return [max(column) + 1 for column in zip(*self.places)]

    def _number(self, indices):
        if len(indices) != len(self.shape):
            raise IndexError(f"a layout of {len(self.shape)} dimensions is indexed with {len(indices)}")
        for index, extent in zip(indices, self.shape):
            if not 0 <= index < extent:
                raise IndexError(f"index {index} is outside an extent of {extent}")
        return row_major_number(indices, self.shape)

    def map_forward_index(self, indices):
        """The coordinates of an element."""
        return list(self.places[self._number(tuple(indices))])

    def __call__(self, *indices):
        return self.map_forward_index(indices)

    def _linear(self):
        extents = self.get_output_shape()
        return [row_major_number(place, extents) for place in self.places]

    def get_linearized_forward_index(self):
        """The row-major number of the coordinates as a formula of the indices i0, i1, ...; ValueError without digits."""
        from .. import _core

        return _core.layout_formula(*self.describe()[1:], "r" if isinstance(self, Fragment) else "a")

    def is_equal(self, other):
        """Whether both map the same elements to the same places."""
        return type(self) is type(other) and self.describe() == other.describe()

    def __eq__(self, other):
        return self.is_equal(other) if isinstance(other, Layout) else NotImplemented

    def __hash__(self):
        return hash((self.shape, tuple(self.places)))

    def describe(self):
        """For the compiler: kind, shape, coordinates, replicas, threads."""
        return ("layout", self.shape, tuple(self.places), 0, ())

    def digits(self, element_bytes=None):
        """The layout in mixed-radix digits, and the swizzle of byte addresses (granule, line, mask) or None. ValueError without digits."""
        from .. import _core
        from . import dtypes

        return _core.layout_digits(*self.describe()[1:], element_bytes or dtypes.dtype(self.dtype).bits // 8)

    def picture(self, name="layout", dtype=None):
        """The picture of %layout; `dtype` gives the bytes of an element."""
        from .. import _core

        return _core.views.layout_of_map(*self.describe()[1:], name=name, dtype=str(dtype or self.dtype))

    def plot(self, name="layout", dtype=None, banks=False, view="input"):
        """The complete drawing (of more than 32768 elements the first rows and columns). Each cell is an element and shows its thread and
        register, or its offset; with `banks`, its bank. `view="output"`: each cell is a location and shows the number of its element."""
        if view not in ("input", "output"):
            raise ValueError(f'view is "input" or "output", not {view!r}')
        shown = self.inverse() if view == "output" else self
        window = [(0, extent) for extent in shown.shape] if len(shown.places) <= _WHOLE else []
        return LayoutPicture(shown.picture(name, dtype or self.dtype).view(window=window, offsets=not banks))

    @property
    def svg(self):
        """The text of the drawing of `plot()`."""
        return self.plot().svg

    def __repr__(self):
        try:
            text, swizzle = self.digits()
            return f"{text}, swz={swizzle}" if swizzle else text
        except ValueError:
            return f"{type(self).__name__}({list(self.shape)}, {len(self.places)} elements)"

    def _repr_mimebundle_(self, include=None, exclude=None):
        """A notebook shows the picture of %layout."""
        try:
            made = self.picture().view()
        except ValueError:  # a negative coordinate
            return {"text/plain": repr(self)}
        return {"text/plain": repr(self), "text/html": made["html"], "text/latex": made["latex"]}

    # --- new layouts ---------------------------------------------------------------------------------

    def repeat(self, dim, factor):
        """`factor` copies along `dim`; the index of the copy becomes the first coordinate."""
        if not isinstance(dim, int) or not isinstance(factor, int):
            raise TypeError("dim and factor are integers")
        if factor < 1:
            raise ValueError(f"factor must be >= 1, got {factor}")
        rank = len(self.shape)
        if not -rank <= dim < rank:
            raise ValueError(f"dim out of range: dim={dim}, ndim={rank}")
        if factor == 1:
            return self
        dim %= rank
        extent = self.shape[dim]
        shape = (*self.shape[:dim], extent * factor, *self.shape[dim + 1:])

        def place(point):
            inner = (*point[:dim], point[dim] % extent, *point[dim + 1:])
            return (point[dim] // extent, *self.places[self._number(inner)])

        return Layout._of(shape, map(place, _points(shape)))

    def expand(self, leading_shape):
        """Prepends dimensions; their indices come before the coordinates."""
        if isinstance(leading_shape, str):
            raise TypeError("leading_shape must be an int or a sequence of them")
        if not (leading := _shape(leading_shape, "leading_shape")):
            return self
        return Layout._of((*leading, *self.shape), ((*front, *place) for front in _points(leading) for place in self.places))

    def compose(self, inner):
        """Applies `inner` first, then this layout to its element: by the indices, or by row-major number if the ranks differ."""
        if type(inner) is not Layout:
            raise TypeError(f"compose takes a Layout that returns elements, not {type(inner).__name__}")
        numbers = inner._linear()
        if inner.places and len(inner.places[0]) == len(self.shape):
            numbers = [self._number(place) for place in inner.places]
        if numbers and max(numbers) >= len(self.places):
            raise ValueError(f"the inner layout returns element {max(numbers)}, but there are {len(self.places)}")
        return self._picked(inner.shape, numbers)

    def __matmul__(self, inner):
        return self.compose(inner) if isinstance(inner, Layout) else NotImplemented

    def _picked(self, shape, numbers):
        return Layout._of(shape, (self.places[n] for n in numbers))

    def inverse(self):
        """From coordinates back to indices; the layout must be a bijection."""
        extents = self.get_output_shape()
        if sorted(self._linear()) != list(range(math.prod(extents))):
            raise ValueError("only a layout that uses each location exactly once has an inverse")
        back = dict(zip(self.places, _points(self.shape)))
        return Layout._of(extents, (back[place] for place in _points(extents)))

    def reshape(self, shape, rescale_num=1, rescale_den=1):
        """The same memory under another shape, [*shape] -> coordinates. `rescale_num` and `rescale_den` are the bits of an element before
        and after: [64] of 32 bits is [128] of 16, whose last coordinate counts 16 bits."""
        shape = _shape(shape)
        return Layout._of(shape, self._reshaped(shape, rescale_num, rescale_den)[1])

    def _reshaped(self, shape, old_bits, new_bits):
        """(first element of this layout, coordinates) of each element of the new shape."""
        count = math.prod(shape)
        if count * new_bits != len(self.places) * old_bits:
            raise ValueError(f"{list(shape)} has {count} elements of {new_bits} bits, the layout {len(self.places)} "
                             f"of {old_bits}")
        wide, narrow = max(old_bits, new_bits), min(old_bits, new_bits)
        if wide % narrow:
            raise ValueError(f"elements of {old_bits} bits are not a whole number of elements of {new_bits} bits")
        parts = wide // narrow
        if old_bits >= new_bits:
            return [n // parts for n in range(count)], [
                (*front, last * parts + part) for *front, last in self.places for part in range(parts)]
        begins = range(0, len(self.places), parts)
        for n in begins:
            *front, last = self.places[n]
            if last % parts or self.places[n:n + parts] != [(*front, last + part) for part in range(parts)]:
                raise ValueError(f"elements {n} to {n + parts - 1} are not contiguous: they are not an element of "
                                 f"{new_bits} bits")
        return list(begins), [(*self.places[n][:-1], self.places[n][-1] // parts) for n in begins]


class Fragment(Layout):
    """Which thread and register hold each element of a fragment. The functions take the indices of an element, and the replica if
    `replicate` > 1; without an index function a thread numbers its elements in row-major order."""

    def __init__(self, shape, forward_fn=None, forward_thread_fn=None, replicate=1, forward_index_fn=None):
        if forward_fn is None and forward_thread_fn is None:
            raise TypeError("T.Fragment needs forward_thread_fn, or forward_fn for both")
        self.shape, self.replicas = _shape(shape), replicate
        self.places, self.threads = [], []
        for replica in range(replicate):
            for point in _points(self.shape):
                arguments = (*point, replica) if replicate > 1 else point
                if forward_fn is not None:
                    thread, *place = _ints(forward_fn(*arguments), "forward_fn")
                else:
                    (thread,) = _ints(forward_thread_fn(*arguments), "forward_thread_fn")
                    place = _ints(forward_index_fn(*point), "forward_index_fn") if forward_index_fn else None
                self.threads.append(thread)
                if replica == 0:
                    self.places.append(None if place is None else tuple(place))
        if None in self.places:
            self.places = list(self._numbered(self.threads[:len(self.places)]))

    @staticmethod
    def _numbered(threads):
        """The registers of elements in these threads, if each thread numbers its elements in their order."""
        held = {}
        for thread in threads:
            held[thread] = held.get(thread, -1) + 1
            yield (held[thread],)

    @classmethod
    def _made(cls, shape, places, replicas, threads):
        made = cls._of(shape, places)
        made.replicas, made.threads = replicas, list(threads)
        return made

    def _picked(self, shape, numbers):
        count = len(self.places)
        threads = [self.threads[r * count + n] for r in range(self.replicas) for n in numbers]
        return Fragment._made(shape, (self.places[n] for n in numbers), self.replicas, threads)

    def get_thread_size(self):
        """One past the largest thread."""
        return max(self.threads) + 1

    def map_forward_thread(self, indices, replica=0):
        """The thread that holds (a replica of) an element."""
        return self.threads[replica * len(self.places) + self._number(tuple(indices))]

    def describe(self):
        return ("layout", self.shape, tuple(self.places), self.replicas, tuple(self.threads))

    @property
    def thread(self):
        """The thread of an element as a formula of its indices i0, i1, ...; ValueError without digits."""
        from .. import _core

        return _core.layout_formula(*self.describe()[1:], "t")

    def repeat(self, repeats, repeat_on_thread=False, lower_dim_first=True):
        """Copies along each dimension, the last (`lower_dim_first`) or first one fastest, in further threads or registers."""
        shape = tuple(extent * times for extent, times in zip(self.shape, repeats, strict=True))
        registers, per_thread = self._linear(), math.prod(self.get_output_shape())
        step = self.get_thread_size() if repeat_on_thread else per_thread
        places, threads = [], []
        order = range(len(shape)) if lower_dim_first else range(len(shape))[::-1]
        for replica in range(self.replicas):
            for point in _points(shape):
                copy = 0
                for d in order:
                    copy = copy * repeats[d] + point[d] // self.shape[d]
                number = self._number([p % extent for p, extent in zip(point, self.shape)])
                threads.append(self.threads[replica * len(self.places) + number] + (copy * step if repeat_on_thread else 0))
                if replica == 0:
                    places.append((registers[number] + (0 if repeat_on_thread else copy * step),))
        return Fragment._made(shape, places, self.replicas, threads)

    def replicate(self, replicate):
        """Each element in `replicate` times as many threads, in whole consecutive copies."""
        size = self.get_thread_size()
        threads = [t + copy * size for copy in range(replicate) for t in self.threads]
        return Fragment._made(self.shape, self.places, self.replicas * replicate, threads)

    def condense_rep_var(self):
        """Merges replicas that are in the same thread."""
        count = len(self.places)
        rows = [tuple(self.threads[r * count:(r + 1) * count]) for r in range(self.replicas)]
        kept = list(dict.fromkeys(rows))
        return Fragment._made(self.shape, self.places, len(kept), itertools.chain.from_iterable(kept))

    def expand(self, leading_shape):
        """Prepends dimensions, [*leading, *shape]: each index has separate registers in the same threads."""
        whole = super().expand(leading_shape)
        if whole is self:
            return self
        copies, count = len(whole.places) // len(self.places), len(self.places)
        threads = (self.threads[r * count:(r + 1) * count] * copies for r in range(self.replicas))
        return Fragment._made(whole.shape, whole.places, self.replicas, itertools.chain.from_iterable(threads))

    def inverse(self):
        """The inverse as a Layout: [*registers, thread] -> [*indices, replica]. Each thread must hold an element in each register."""
        held = (((*self.places[n], self.threads[r * len(self.places) + n])) for n in range(len(self.places)) for r in range(self.replicas))
        return Layout._of((*self.shape, self.replicas), held).inverse()

    def reshape(self, shape, rescale_num=1, rescale_den=1):
        """The same registers under another shape, as `Layout.reshape`; a wider element must be in one thread."""
        shape, count = _shape(shape), len(self.places)
        begins, places = self._reshaped(shape, rescale_num, rescale_den)
        parts = max(1, count // len(places))
        for n in range(count):
            if self.threads[n::count] != self.threads[n - n % parts::count]:
                raise ValueError(f"elements {n - n % parts} and {n} are in different threads: they are not an element of "
                                 f"{rescale_den} bits")
        threads = [self.threads[r * count + n] for r in range(self.replicas) for n in begins]
        return Fragment._made(shape, places, self.replicas, threads)


def make_layout(shape, places, replicas, threads):
    """The object of a layout that the compiler describes as `describe` does; without places a thread numbers its elements."""
    if not replicas:
        return Layout._of(shape, places)
    return Fragment._made(shape, places or Fragment._numbered(threads[:len(threads) // replicas]), replicas, threads)
