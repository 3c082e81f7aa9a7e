# SPDX-License-Identifier: Apache-2.0
"""Commands that trace a result to its cause: %bisect, %why, %report, %shrink; and %versus, which compares two kernels."""

import re

from .._kernel import last_failure
from .._session.view import CommandError, reject_if
from .._tools.bisect import Bisect
from .._tools.why import Why
from .._tools.why_line import WhyLine
from .arguments import asking, view
from .calls import arguments_of, call_parts, called, joined, kernel_or_call, reference
from .kernels import kernel_of


def command_bisect(shell, call):
    words = joined(call.args)
    reject_if(not 1 <= len(words) <= 2, "%bisect takes a call, or a kernel and a call: %bisect add(a, b), %bisect add#1 add#2(a, b)")
    # Resolve the first name first: a name means the latest kernel, and the second word may compile a newer one.
    beside, own = kernel_or_call("bisect", words[0], shell.ns) if len(words) == 2 else (None, None)
    if own is not None and arguments_of(words[0]) != arguments_of(words[1]):
        raise CommandError(f"%bisect passes the arguments of the second kernel to both: %bisect {call_parts(words[0])[0]} {words[1]}")
    entry, values = called("bisect", words[-1], shell.ns)
    first, other = (beside.kernel, entry.kernel) if beside else (entry.kernel, None)
    if beside is entry:
        raise CommandError(f"both names refer to {entry.full_name}; add a target or version: "
                           f"%bisect {entry.name}@mp_31 {entry.name}@sm_80(a, b)")
    return view(asking(Bisect, first, other, values, call.options.get("--from", ""), call.options.get("--to", "")))


_ELEMENT = re.compile(r"(.+)\.(\w+)\[([^\]]*)\]\s*(\(.*\))?", re.S)


def command_why(shell, call):
    words = joined(call.args)
    if len(words) == 2 and words[1].isdigit():
        return view(asking(WhyLine, kernel_of(words[0], shell.ns, {}, CommandError).kernel, int(words[1])))
    match = _ELEMENT.fullmatch(words[0]) if len(words) == 1 else None
    reject_if(not match, "%why takes an element and a call, or a kernel and a line: %why k.C[3, 5](a, b), %why k 7")
    kernel, tensor, index, arguments = match.groups()
    if not arguments:
        raise CommandError(f"the values come from a call: %why {words[0]}(a, b)")
    depth = call.number("--depth", 8)
    entry, values = called("why", kernel + arguments, shell.ns)
    try:
        place = [int(i) for i in eval(f"[{index}]", shell.ns)]
    except Exception as error:
        raise CommandError(f"[{index}]: {error}") from None
    return view(asking(Why, entry.kernel, tensor, place, values, depth))


def command_report(shell, call):
    words = joined(call.args)
    reject_if(len(words) > 1, "%report takes one call: %report add(a, b); without one it takes the last that failed")
    if words:
        entry, values = called("report", words[0], shell.ns)
        kernel = entry.kernel
    elif last_failure.call:
        kernel, values = last_failure.call
    else:
        raise CommandError("no call has failed yet; %report add(a, b) runs one with all checks on")
    try:
        return view(asking(kernel.report, *values, to=call.options.get("--to", "")))
    except OSError as error:
        raise CommandError(str(error)) from None


def command_shrink(shell, call):
    words = joined(call.args)
    reject_if(len(words) != 1, "%shrink takes a call that fails: %shrink add(a, b)")
    entry, values = called("shrink", words[0], shell.ns)
    name, against = call.options.get("--as", f"{entry.name}_small"), reference(shell, call)
    reject_if(not name.isidentifier(), f"{name} is not a valid name for a kernel")
    made = asking(entry.kernel.shrink, *values, against=against)
    shell.ns[name], shell.ns[f"{name}_arguments"] = made.kernel, tuple(made.values)
    shown = view(made)
    shown.text += f"{name} is that kernel: %check {name}(*{name}_arguments)\n"
    return shown


def command_versus(shell, call):
    words = joined(call.args)
    reject_if(len(words) != 2, "%versus takes two kernels, the second one with arguments or without: %versus add#1 add#2(a, b)")
    first, own = kernel_or_call("versus", words[0], shell.ns)
    second, values = kernel_or_call("versus", words[1], shell.ns)
    if own is not None and (values is None or arguments_of(words[0]) != arguments_of(words[1])):
        raise CommandError(f"%versus passes the arguments of the second kernel to both: %versus {call_parts(words[0])[0]} KERNEL(...)")
    return view(asking(first.kernel.versus, second.kernel, *values or ()))
