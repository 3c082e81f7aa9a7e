# SPDX-License-Identifier: Apache-2.0
"""%trace KERNEL(ARGUMENTS)."""

from .._compiler.arguments import describe
from .._gpu.array import in_host_memory
from .._kernel.trace import Recording, Trace
from .._kernel.trace_view import MomentView, TraceView
from .._session.view import CommandError
from .arguments import asking, view, written_svg
from .looking import called

_last = None  # the Recording that --at goes on with


def numbers(text, option, most):
    """The numbers of an option: --block 1,0."""
    parts = text.split(",") if text else []
    if len(parts) > most or not all(part.strip().isdigit() for part in parts):
        raise CommandError(f"{option} takes {'up to ' if most > 1 else ''}{most} number{'s' * (most > 1)}, not {text}")
    return tuple(int(part) for part in parts)


def steps_of(call):
    """(from, to) of --steps 10:20, where one may be missing."""
    text = call.options.get("--steps", "")
    if not text:
        return None
    first, colon, end = text.partition(":")
    if not colon or not all(part == "" or part.isdigit() for part in (first, end)):
        raise CommandError(f"--steps takes FROM:TO, not {text}")
    return int(first or 0), int(end) if end else 2**63 - 1


def recording_of(command, shell, call):
    """The block that a command's call and options name."""
    entry, values = called(command, call.args[0], shell.ns)
    kernel = entry.kernel
    described, arrays, _ = describe(kernel.name, kernel._raw_params, kernel._outputs, [in_host_memory(v) for v in values])
    return asking(Recording, kernel, described, (arrays, values), numbers(call.options.get("--block", ""), "--block", 3),
                  call.options.get("--level", ""), entry.full_name, call.options.get("--after", ""),
                  *numbers(call.options.get("--kernel", ""), "--kernel", 1))


def command_trace(shell, call):
    global _last
    if len(call.args) > 1 or not call.args and _last is None:
        raise CommandError("%trace takes a call: %trace add(a, b); then %trace --at N shows the values behind event N")
    steps, at = steps_of(call), numbers(call.options.get("--at", ""), "--at", 1)
    recording = recording_of("trace", shell, call) if call.args else _last
    made = asking(MomentView, recording, at[0]) if at else \
        TraceView(asking(Trace, recording, steps, call.options.get("--buffer", "")))
    _last = recording
    if call.has("--svg"):
        if at:
            raise CommandError("--at shows values, which are text; without it --svg draws the events, with --buffer the buffer")
        return written_svg(made.svg, call.options["--svg"])
    return view(made)
