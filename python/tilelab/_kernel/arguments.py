# SPDX-License-Identifier: Apache-2.0
"""Checks a call's arguments against the kernel's signature: one clear error each, before anything runs."""

from .._compiler.errors import ArgumentError, raise_if_ended
from .._compiler.layouts import row_major
from .._compiler.messages import message, of_span
from .arrays import empty, library, view as as_view

_SAME = [{"bool", "int8", "uint8"}, {"float8_e4m3", "float8_e4m3fn"}]
_PAIRS = ("int8", "uint8", "float4_e2m1fn_x2")  # bytes with two elements of float4_e2m1fn


def _shape_text(shape):
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _plural(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _same_dtype(a, b):
    return a == b or any(a in group and b in group for group in _SAME)


def declared_dtype(param):
    """The dtype that the kernel's author declared."""
    return "float4_e2m1fn" if param["pairs"] else param["dtype"]


def _fits(view, param):
    return view.dtype in _PAIRS if param["pairs"] else _same_dtype(view.dtype, param["dtype"])


def extent_of(entry, dims):
    """The value of a shape's entry; None while one of its names is unbound."""
    if isinstance(entry, int):
        return entry
    if entry in dims:
        return dims[entry]
    try:
        return eval(entry, {"__builtins__": {}, "ceildiv": lambda a, b: -(-a // b)}, dims)
    except NameError:
        return None


def bind_dims(params, given, dims):
    """Binds dynamic extents as the host section does; an output takes them from another tensor."""
    present = [(param, view) for param, view in zip(params, given) if view is not None and param["shape"] is not None]
    for param, view in present:
        for name, i, is_stride, times, plus, per, _ in param["binds"]:
            sizes = view.strides if is_stride else view.shape
            if i < len(sizes):
                dims[name] = (sizes[i] * per - plus) // times
    for param, view in present:
        for entry, extent in zip(param["shape"], view.shape):
            if isinstance(entry, str) and entry.isidentifier():
                dims.setdefault(entry, extent)


def _refuse(name, *arguments, param=None, mark="", note=(), help=()):
    """Raises the message at the call, with the declaration of the parameter."""
    declared = of_span(param["span"]) if param else None
    raise ArgumentError(message(name, *arguments, mark=mark, note=note, help=help, labels=[(declared, "declared here")]))


def bind_absent(kernel, params, dims):
    """Extents that only tensors given as None have are 0, unless the kernel needs them."""
    for param in params:
        for name, *_, used in param["binds"]:
            if name not in dims and used:
                _refuse("argument-extent", kernel, name, param=param,
                        help="at least one non-null buffer is needed among the arguments that have it")
            dims.setdefault(name, 0)


def _check_device(kernel, param, view, gpu):
    """The simulator and the CPU need host memory. A GPU needs its own or NumPy's, which is copied; a torch tensor must be on the GPU. A
    worker process copies all, since it can't access torch's."""
    name, device = param["name"], view.device.partition(":")[0]
    copy = f"{name}.{'numpy' if view.kind == 'device' else 'cpu'}()"
    if gpu is None and device != "cpu":
        _refuse("argument-device", kernel, name, device, param=param, help=f"pass a copy: {copy}")
    if gpu is not None and gpu.in_worker and device != "cpu" and view.device != str(gpu):
        _refuse("argument-device", kernel, name, view.device, param=param,
                note=f"the kernel runs on {gpu}, in a worker process without access to the memory of this one",
                help=f"pass a copy in host memory, {copy}, or a copy on the GPU, tilelab.to_device({copy}); or use %device cuda")
    elif gpu is not None and not gpu.in_worker and view.device != str(gpu) and (device != "cpu" or view.kind == "torch"):
        _refuse("argument-device", kernel, name, view.device, param=param,
                note=f"the kernel runs on {gpu}", help=f"pass a copy: {name}.to('{gpu}'); or use %device sim")


def check_tensor(kernel, param, view, dims, gpu=None):
    """Raises ArgumentError if `view` does not fit the parameter."""
    name = param["name"]
    _check_device(kernel, param, view, gpu)
    wanted = [extent_of(e, dims) for e in param["shape"]]
    if len(view.shape) != len(wanted):
        _refuse("argument-rank", kernel, name, _plural(len(wanted), "dimension"), _shape_text(view.shape), param=param,
                help=f"pass a tensor of shape {_shape_text(param['shape'])}")
    if param["pairs"] and not _fits(view, param):
        one_each = view.dtype == "float4_e2m1fn"  # of ml_dtypes
        _refuse("argument-dtype", kernel, name, "float4_e2m1fn, two in a byte", view.dtype, param=param,
                note="each byte of this array holds one element" if one_each else (),
                help=f"pack them: codes = {name}.view(\"uint8\"); codes[..., ::2] | codes[..., 1::2] << 4" if one_each else
                "pass uint8, int8 or torch.float4_e2m1fn_x2, with the element of the even index in the lower half of each byte")
    if not _fits(view, param):
        _refuse("argument-dtype", kernel, name, param["dtype"], view.dtype, param=param,
                help=f"convert it: {name}.astype(\"{param['dtype']}\") of NumPy, {name}.to(torch.{param['dtype']})")
    for i, (want, got) in enumerate(zip(wanted, view.shape)):
        if want is not None and want != got:
            entry = param["shape"][i]
            because = str(want) if isinstance(entry, int) else f"{want} ({entry} = {want})"
            _refuse("argument-shape", kernel, name, i, got, because, param=param, mark=f"{name} has shape {_shape_text(view.shape)}",
                    help=f"pass a tensor of shape {_shape_text(_known(param, wanted))}")
    _check_layout(kernel, param, view, dims)
    if param["written"] and not view.writable:
        _refuse("argument-read-only", kernel, name, param=param, help=f"pass a writable copy: {name}.copy()")


def _known(param, extents):
    """The shape, with names for unknown extents."""
    return tuple(entry if extent is None else extent for entry, extent in zip(param["shape"], extents))


def _check_layout(kernel, param, view, dims):
    problem, dim = view.problem(param["written"])
    copy = f"pass a copy: {param['name']}.{'clone' if view.kind == 'torch' else 'copy'}()"

    def refuse_stride(expected, got=None, at=dim, help=copy):
        _refuse("argument-stride", kernel, param["name"], view.strides[dim] if got is None else got, at, expected, param=param, help=help)

    if problem == "no memory":
        _refuse("argument-unreadable", type(view.keep).__name__, "it has no memory", param=param)
    if problem == "fractional stride":
        refuse_stride(f"a multiple of its element size, {_plural(view.item, 'byte')}", _plural(view.steps[dim] * view.unit, "byte"))
    strides = [extent_of(e, dims) for e in param["strides"]] if param["strides"] else row_major(view.shape)
    for i, (want, got) in enumerate(zip(strides, view.strides)):
        if want is not None and want != got and view.shape[i] > 1 and 0 not in view.shape:
            refuse_stride(want, got, i, "make the tensor contiguous, or declare T.StridedTensor")
    if problem == "negative stride":
        refuse_stride("at least 0")
    if problem == "large stride":
        refuse_stride("an offset that fits an address")
    if problem == "shared elements":
        refuse_stride("separate memory for each element, because the kernel writes the tensor")
    if problem == "misaligned":
        _refuse("argument-alignment", kernel, param["name"], _plural(view.item, "byte"), param=param, help=copy)


def _number(kernel, param, value):
    """A scalar argument as the kernel gets it."""
    several = getattr(value, "size", 1) if not callable(getattr(value, "size", 1)) else value.numel()
    if several != 1 or not isinstance(value, (bool, int, float)) \
            and not hasattr(value, "__index__") and not hasattr(value, "__float__"):
        _refuse("argument-kind", kernel, param["name"], "a number", type(value).__name__, param=param,
                help=f"pass one number of type {param['dtype']}")
    return value


def _tensor(kernel, param, value):
    """The View of a tensor argument; None if the kernel does not use it."""
    if value is None and not param["used"]:
        return None
    if (seen := as_view(value)) is None:
        _refuse("argument-kind", kernel, param["name"], "a tensor", type(value).__name__, param=param,
                note="the kernel reads or writes it" if value is None else (), help="pass a NumPy array or torch tensor")
    return seen


def check_count(kernel, names, given, made=()):
    """Raises ArgumentError unless a call has one value for each of the names."""
    if given != len(names):
        note = f"the call makes and returns {', '.join(made)}" if made else ()
        help = [f"call it as {kernel}({', '.join(names)})"]
        if not made and 0 < given < len(names):
            last = ", ".join(str(i - len(names)) for i in range(given, len(names)))
            help.append(f"out_idx=[{last}] of tilelang.jit or compile makes the last one in each call, and returns it")
        raise ArgumentError(message("argument-count", kernel, len(names), ", ".join(names), given, note=note, help=help))


def raise_if_failed(name, result):
    """Raises the error that ended a run of the simulator, or rejected its arguments."""
    raise_if_ended(name, result)
    raise_if_refused(name, result)


def raise_if_refused(name, result):
    """Raises ArgumentError if the host section rejected the arguments."""
    if result["status"] == "refused":
        no_block = "at least one block" in result["error"]
        raise ArgumentError(message("argument-refused", name, result["error"], labels=[(of_span(result["error_span"]), "checked here")],
                                    help="use T.ceildiv(n, block) to round the number of blocks up" if no_block else
                                    "pass arguments that match, or change the assumptions of the kernel"))


def _outputs(kernel, params, outputs, dims, kind, gpu):
    """New arrays for the outputs: {position: array}."""
    made = {}
    for i in outputs:
        shape = [extent_of(e, dims) for e in params[i]["shape"]]
        if None in shape:
            _refuse("argument-extent", kernel, f"the output {params[i]['name']}", param=params[i],
                    help=f"call it with {params[i]['name']} as an argument as well")
        made[i] = empty(shape, declared_dtype(params[i]), kind, gpu)
    return made


def number_of(kernel, param, value):
    """The number that a parameter gets; raises instead of changing its value."""
    name, dtype = param["name"], param["dtype"]

    def refuse(why, help):
        _refuse("argument-value", kernel, name, why, param=param, help=help)

    if dtype.startswith(("float", "bfloat")):
        return float(value)
    try:
        number = int(value)
    except (ValueError, OverflowError):  # NaN and infinity
        refuse(f"{value} is not {dtype}", "pass a finite number")
    if number != value:
        refuse(f"{value} has a fraction, which {dtype} cannot represent", f"pass int({value}), or declare the parameter as a float")
    bits = int("".join(filter(str.isdigit, dtype)) or 1)  # "bool" has one
    low, high = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if dtype.startswith("int") else (0, 2**bits - 1)
    if not low <= number <= high:
        refuse(f"{number} does not fit {dtype}, which represents {low} to {high}",
               "pass a smaller number, or declare the parameter with a wider type")
    return number


def gpu_of(views, gpu):
    """The GPU of the tensors, if it is of the chosen vendor; otherwise the chosen one."""
    from .._gpu import devices

    where = (devices.gpu(v.device) for v in views if v is not None)
    return next((found for found in where if found is not None and found.vendor == gpu.vendor), gpu)


def describe(kernel, params, outputs, values, gpu=None):
    """(arguments for the simulator, all arrays, views) of a call with its inputs, or inputs and outputs. `gpu`: replaces the simulator."""
    inputs = [i for i in range(len(params)) if i not in outputs]
    if len(values) == len(params) and outputs:
        inputs, outputs = list(range(len(params))), []
    check_count(kernel, [params[i]["name"] for i in inputs], len(values), [params[i]["name"] for i in outputs])
    arrays, views, dims = [None] * len(params), [None] * len(params), {}
    for i, value in zip(inputs, values):
        arrays[i] = value
        if params[i]["shape"] is None:
            dims[params[i]["name"]] = _number(kernel, params[i], value)
        else:
            views[i] = _tensor(kernel, params[i], value)
    if gpu is not None:
        gpu = gpu_of(views, gpu)
    bind_dims(params, views, dims)
    bind_absent(kernel, params, dims)
    for i in inputs:
        if views[i] is not None:
            check_tensor(kernel, params[i], views[i], dims, gpu)
    kind = library([v for v in views if v is not None])
    for i in inputs:
        if views[i] is None and params[i]["shape"] is not None:  # not accessed
            shape = [extent_of(e, dims) or 0 for e in params[i]["shape"]]
            views[i] = as_view(empty(shape, params[i]["dtype"], kind, gpu))
    for i, array in _outputs(kernel, params, outputs, dims, kind, gpu).items():
        arrays[i], views[i] = array, as_view(array)
    described = [_described(kernel, param, array, view, i in outputs) for i, (param, array, view) in enumerate(zip(params, arrays, views))]
    return described, arrays, views


def _described(kernel, param, array, view, fresh):
    """One argument for Func.run."""
    if view is None:
        return param["dtype"], number_of(kernel, param, array)
    return (param["dtype"], view.address, list(view.shape), list(view.strides), view.nbytes(param["bytes"]), fresh, view.device == "cpu")
