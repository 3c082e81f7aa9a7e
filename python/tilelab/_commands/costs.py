# SPDX-License-Identifier: Apache-2.0
"""%banks and %roof: costs of a kernel's accesses and operations, per line."""

from .._gpu.array import in_host_memory
from .._session.view import CommandError, reject_if
from .._tools.banks import Banks
from .._tools.roofline import Roof
from ..jit import JITImpl
from .arguments import asking, constants, target, view
from .calls import call_parts, joined, kernel_or_call
from .kernels import kernel_of, value_of


def _values_for(impl, values):
    """(compile-time values, dynamic extents) of NAME=VALUE words."""
    if not isinstance(impl, JITImpl):
        return {}, values
    runtime = [n for n in values if n not in impl.signature.parameters and impl.mode != "eager"]
    return {n: v for n, v in values.items() if n not in runtime}, {n: values[n] for n in runtime}


def counted_kernel(command, shell, call):
    """(entry, arguments or None, extents, line, buffer) of KERNEL[.BUFFER][(ARGUMENTS)] [LINE] [NAME=VALUE...]."""
    given, rest = constants(joined(call.args), shell)
    line = int(rest.pop()) if len(rest) == 2 and rest[1].isdigit() else 0
    reject_if(len(rest) != 1, f"%{command} takes a kernel, with a line or arguments: %{command} k, %{command} k 7, %{command} k(a, b)")
    name, node = call_parts(rest[0])
    kernel, buffer = name, ""
    if "." in name and value_of(name, shell.ns, CommandError) is None:
        kernel, _, buffer = name.rpartition(".")
    if node is not None:
        if given:
            raise CommandError(f"{min(given)}= and arguments: the arguments already determine it")
        entry, values = kernel_or_call(command, kernel + rest[0][len(name):], shell.ns)
        values = values and [in_host_memory(value) for value in values]
    else:
        compiled, given = _values_for(value_of(kernel, shell.ns, CommandError), given)
        entry, values = kernel_of(kernel, shell.ns, compiled, CommandError), None
    if target(call):
        entry = asking(entry.for_target, target(call))
    return entry, values, given, line, buffer


def command_banks(shell, call):
    entry, values, extents, line, buffer = counted_kernel("banks", shell, call)
    return view(asking(Banks, entry.kernel, values, line, buffer, extents))


def command_roof(shell, call):
    entry, values, extents, line, buffer = counted_kernel("roof", shell, call)
    reject_if(buffer, f"%roof takes a kernel, not its buffer {buffer}; %banks takes one")
    return view(asking(Roof, entry.kernel, values, line, extents, call.has("--all")))
