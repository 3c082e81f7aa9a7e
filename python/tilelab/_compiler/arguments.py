# SPDX-License-Identifier: Apache-2.0
"""Arguments of a call against the kernel's signature: one clear error each, before anything runs."""

from .arrays import empty, library
from .arrays import view as as_view
from .errors import ArgumentError

_SAME = [{"bool", "int8", "uint8"}, {"float8_e4m3", "float8_e4m3fn", "float8_e4m3fnuz"},
         {"float8_e5m2", "float8_e5m2fnuz"}]


def _shape_text(shape):
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _plural(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _outputs_note(params, outputs):
    made = ", ".join(params[i]["name"] for i in outputs)
    return f" The call makes and returns {made}." if made else ""


def _same_dtype(a, b):
    return a == b or any(a in group and b in group for group in _SAME)


def extent_of(entry, dims):
    """The number behind a shape's entry; None while a name in it is not known."""
    if isinstance(entry, int):
        return entry
    if entry in dims:
        return dims[entry]
    try:
        return eval(entry, {"__builtins__": {}, "ceildiv": lambda a, b: -(-a // b)}, dims)
    except NameError:
        return None


def bind_dims(params, given, dims):
    """Extents of run time, as the host section reads them; an output has them from another tensor."""
    present = [(param, view) for param, view in zip(params, given) if view is not None and param["shape"] is not None]
    for param, view in present:
        for name, i, is_stride, times, plus, _ in param["binds"]:
            sizes = view.strides if is_stride else view.shape
            if i < len(sizes):
                dims[name] = (sizes[i] - plus) // times
    for param, view in present:
        for entry, extent in zip(param["shape"], view.shape):
            if isinstance(entry, str) and entry.isidentifier():
                dims.setdefault(entry, extent)


def bind_absent(kernel, params, dims):
    """Extents that only tensors given as None could tell are 0, as long as no kernel needs them."""
    for param in params:
        for name, *_, used in param["binds"]:
            if name not in dims and used:
                raise ArgumentError(f"kernel {kernel}: nothing tells how large {name} is; at least one non-null "
                                    f"buffer is needed among the arguments that have it")
            dims.setdefault(name, 0)


def check_tensor(kernel, param, view, dims):
    """Raises ArgumentError where `view` does not fit the parameter."""
    name = param["name"]
    where = f"kernel {kernel}, argument {name}"
    if view.device != "cpu":
        raise ArgumentError(f"{where}: the tensor is on {view.device}; the simulator takes CPU memory")
    wanted = [extent_of(e, dims) for e in param["shape"]]
    if len(view.shape) != len(wanted):
        raise ArgumentError(f"{where}: {_plural(len(wanted), 'dimension')} expected, "
                            f"the tensor has shape {_shape_text(view.shape)}")
    if not _same_dtype(view.dtype, param["dtype"]):
        raise ArgumentError(f"{where}: dtype {param['dtype']} expected, got {view.dtype}; "
                            f"convert it, as in {name}.astype(\"{param['dtype']}\") of NumPy")
    for i, (want, got) in enumerate(zip(wanted, view.shape)):
        if want is not None and want != got:
            entry = param["shape"][i]
            because = "" if isinstance(entry, int) else f" ({entry} = {want})"
            raise ArgumentError(f"{where}: shape[{i}] is {got}, expected {want}{because}; "
                                f"the tensor has shape {_shape_text(view.shape)}")
    strides, step = [], 1
    for extent in reversed(view.shape):
        strides.insert(0, step)
        step *= extent
    if param["strides"]:
        strides = [extent_of(e, dims) for e in param["strides"]]
    for i, (want, got) in enumerate(zip(strides, view.strides)):
        if want is not None and want != got and view.shape[i] > 1 and 0 not in view.shape:
            raise ArgumentError(f"{where}: stride {got} of dimension {i}, expected {want}; "
                                "make the tensor contiguous, or declare T.StridedTensor")


def number_of(kernel, param, value):
    """The number that a parameter gets; never another one than was given."""
    name, dtype = param["name"], param["dtype"]
    where = f"kernel {kernel}, argument {name}"
    if dtype.startswith(("float", "bfloat")):
        return float(value)
    try:
        number = int(value)
    except (ValueError, OverflowError):  # of NaN and infinity
        raise ArgumentError(f"{where}: {value} is no {dtype}") from None
    if number != value:
        raise ArgumentError(f"{where}: {value} has a fraction, which {dtype} can't hold; pass int({value}), or "
                            f"declare the parameter as a float")
    bits = int("".join(filter(str.isdigit, dtype)) or 1)  # "bool" has one
    low, high = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if dtype.startswith("int") else (0, 2**bits - 1)
    if not low <= number <= high:
        raise ArgumentError(f"{where}: {number} does not fit {dtype}, which holds {low} to {high}")
    return number


def describe(kernel, params, outputs, values):
    """(arguments for the simulator, all arrays in parameter order, dims) of a call with `values`,
    which are those that are no outputs; or, without outputs among them, all."""
    inputs = [i for i in range(len(params)) if i not in outputs]
    if len(values) == len(params) and outputs:
        inputs, outputs = list(range(len(params))), []
    if len(values) != len(inputs):
        raise ArgumentError(f"Kernel {kernel} expected {len(inputs)} inputs "
                            f"({', '.join(params[i]['name'] for i in inputs)}), but {len(values)} are provided."
                            + _outputs_note(params, outputs))
    arrays, views, dims = [None] * len(params), [None] * len(params), {}
    for i, value in zip(inputs, values):
        arrays[i] = value
        if params[i]["shape"] is None:
            several = getattr(value, "size", 1) if not callable(getattr(value, "size", 1)) else value.numel()
            if several != 1 or not isinstance(value, (bool, int, float)) \
                    and not hasattr(value, "__index__") and not hasattr(value, "__float__"):
                raise ArgumentError(f"kernel {kernel}, argument {params[i]['name']}: a number expected, "
                                    f"got {type(value).__name__}")
            dims[params[i]["name"]] = value
            continue
        if value is None and not params[i]["used"]:
            continue
        views[i] = as_view(value)
        if views[i] is None:
            because = ", which the kernel reads or writes" if value is None else ""
            raise ArgumentError(f"kernel {kernel}, argument {params[i]['name']}: a tensor expected{because}, "
                                f"got {type(value).__name__}; a NumPy array or torch tensor is one")
    bind_dims(params, views, dims)
    bind_absent(kernel, params, dims)
    for i in inputs:
        if views[i] is not None:
            check_tensor(kernel, params[i], views[i], dims)
    kind = library([v for v in views if v is not None])
    absent = [i for i in inputs if views[i] is None and params[i]["shape"] is not None]
    for i in absent:  # memory that nobody touches
        shape = [extent_of(e, dims) or 0 for e in params[i]["shape"]]
        views[i] = as_view(empty(shape, params[i]["dtype"], kind))
    for i in outputs:
        shape = [extent_of(e, dims) for e in params[i]["shape"]]
        if None in shape:
            raise ArgumentError(f"kernel {kernel}: no argument tells the shape of the output {params[i]['name']}")
        arrays[i] = empty(shape, params[i]["dtype"], kind)
        views[i] = as_view(arrays[i])
    described = []
    for param, array, seen in zip(params, arrays, views):
        if seen is None:
            described.append((param["dtype"], number_of(kernel, param, array)))
        else:
            described.append((param["dtype"], seen.address, list(seen.shape), list(seen.strides),
                              seen.nbytes(param["bytes"]), len(described) in outputs))
    return described, arrays, views
