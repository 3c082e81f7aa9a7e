# SPDX-License-Identifier: Apache-2.0
"""Checks a call's arguments against the kernel's signature: one clear error each, before anything runs."""

from .._compiler.errors import ArgumentError, raise_if_ended
from .._compiler.messages import message, of_span
from .arrays import empty, library, view as as_view

def _shape_text(shape):
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _plural(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def declared_dtype(param):
    """The dtype that the kernel's author declared."""
    return param["pairs"] or param["dtype"]


def _refuse(name, *arguments, param=None, mark="", note=(), help=()):
    """Raises the message at the call, with the declaration of the parameter."""
    declared = of_span(param["span"]) if param else None
    raise ArgumentError(message(name, *arguments, mark=mark, note=note, help=help, labels=[(declared, "declared here")]))


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


def _refuse_tensor(kernel, param, view, shape, what, dim, wanted, given):
    """Raises ArgumentError for the problem that core found in a tensor."""
    name, declared = param["name"], param["dtype"]
    copy = f"pass a copy: {name}.{'clone' if view.kind == 'torch' else 'copy'}()"

    def refuse_stride(expected, given=None, help=copy):
        _refuse("argument-stride", kernel, name, view.strides[dim] if given is None else given, dim, expected, param=param, help=help)

    if what == "rank":
        _refuse("argument-rank", kernel, name, _plural(wanted, "dimension"), _shape_text(view.shape), param=param,
                help=f"pass a tensor of shape {_shape_text(param['shape'])}")
    if what == "dtype" and param["pairs"]:
        one_each = view.dtype == param["pairs"]  # of ml_dtypes
        bytes_ = "uint8, int8 or torch.float4_e2m1fn_x2" if param["pairs"] == "float4_e2m1fn" else "uint8 or int8"
        _refuse("argument-dtype", kernel, name, f"{param['pairs']}, two in a byte", view.dtype, param=param,
                note="each byte of this array holds one element" if one_each else (),
                help=f"pack them: codes = {name}.view(\"uint8\"); codes[..., ::2] | codes[..., 1::2] << 4" if one_each else
                f"pass {bytes_}, with the element of the even index in the lower half of each byte")
    if what == "dtype":
        _refuse("argument-dtype", kernel, name, declared, view.dtype, param=param,
                help=f"convert it: {name}.astype(\"{declared}\") of NumPy, {name}.to(torch.{declared})")
    if what == "extent":
        entry = param["shape"][dim]
        because = str(wanted) if isinstance(entry, int) else f"{wanted} ({entry} = {wanted})"
        known = [entry if extent is None else extent for entry, extent in zip(param["shape"], shape)]
        _refuse("argument-shape", kernel, name, dim, given, because, param=param, mark=f"{name} has shape {_shape_text(view.shape)}",
                help=f"pass a tensor of shape {_shape_text(known)}")
    if what == "stride":
        refuse_stride(wanted, help="make the tensor contiguous, or declare T.StridedTensor")
    if what == "fractional stride":
        refuse_stride(f"a multiple of its element size, {_plural(view.item, 'byte')}", _plural(view.steps[dim] * view.unit, "byte"))
    if what == "negative stride":
        refuse_stride("at least 0")
    if what == "large stride":
        refuse_stride("an offset that fits an address")
    if what == "shared elements":
        refuse_stride("separate memory for each element, because the kernel writes the tensor")
    if what == "misaligned":
        _refuse("argument-alignment", kernel, name, _plural(view.item, "byte"), param=param, help=copy)
    if what == "no memory":
        _refuse("argument-unreadable", type(view.keep).__name__, "it has no memory", param=param)
    _refuse("argument-read-only", kernel, name, param=param, help=f"pass a writable copy: {name}.copy()")


def _number(kernel, param, value):
    """The number that a parameter gets."""
    several = getattr(value, "size", 1) if not callable(getattr(value, "size", 1)) else value.numel()
    if several != 1 or not isinstance(value, (bool, int, float)) \
            and not hasattr(value, "__index__") and not hasattr(value, "__float__"):
        _refuse("argument-kind", kernel, param["name"], "a number", type(value).__name__, param=param,
                help=f"pass one number of type {param['dtype']}")
    return number_of(kernel, param, value)


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
        error = ArgumentError(message("argument-refused", name, result["error"], labels=[(of_span(result["error_span"]), "checked here")],
                                      help="use T.ceildiv(n, block) to round the number of blocks up" if no_block else
                                      "pass arguments that match, or change the assumptions of the kernel"))
        error.no_block = no_block
        raise error


def _outputs(kernel, params, outputs, shapes, kind, gpu):
    """New arrays for the outputs: {position: array}."""
    made = {}
    for i in outputs:
        if None in shapes[i]:
            _refuse("argument-extent", kernel, f"the output {params[i]['name']}", param=params[i],
                    help=f"call it with {params[i]['name']} as an argument as well")
        made[i] = empty(shapes[i], declared_dtype(params[i]), kind, gpu)
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


def describe(kernel, values, gpu=None):
    """(arguments for the simulator, all arrays, views) of a call of a kernel or of a Func with its inputs, or inputs and outputs. `gpu`:
    replaces the simulator."""
    func, name = getattr(kernel, "_func", kernel), kernel.name
    params, outputs = getattr(kernel, "_raw_params", None) or func.params, list(func.outputs)
    inputs = [i for i in range(len(params)) if i not in outputs]
    if len(values) == len(params) and outputs:
        inputs, outputs = list(range(len(params))), []
    check_count(name, [params[i]["name"] for i in inputs], len(values), [params[i]["name"] for i in outputs])
    arrays, views, given = ([None] * len(params) for _ in range(3))
    for i, value in zip(inputs, values):
        arrays[i] = value
        if params[i]["shape"] is None:
            given[i] = _number(name, params[i], value)
        elif (view := _tensor(name, params[i], value)) is not None:
            views[i] = view
            given[i] = view.dtype, view.item, view.address, view.shape, view.steps, view.unit, view.writable
    if gpu is not None:
        gpu = gpu_of(views, gpu)
    for param, view in zip(params, views):
        if view is not None:
            _check_device(name, param, view, gpu)
    shapes, problem = func.check_arguments(given)
    if problem is not None:
        what, i, *rest = problem
        if what == "missing":
            _refuse("argument-extent", name, rest[0], param=params[i],
                    help="at least one non-null buffer is needed among the arguments that have it")
        _refuse_tensor(name, params[i], views[i], shapes[i], what, *rest)
    kind = library([v for v in views if v is not None])
    for i in inputs:
        if views[i] is None and params[i]["shape"] is not None:  # not accessed
            views[i] = as_view(empty([extent or 0 for extent in shapes[i]], params[i]["dtype"], kind, gpu))
    for i, array in _outputs(name, params, outputs, shapes, kind, gpu).items():
        arrays[i], views[i] = array, as_view(array)
    described = [(param["dtype"], number) if view is None else (param["dtype"], view.address, list(view.shape), list(view.strides),
                 view.nbytes(param["bytes"]), i in outputs, view.device == "cpu")
                 for i, (param, number, view) in enumerate(zip(params, given, views))]
    return described, arrays, views
