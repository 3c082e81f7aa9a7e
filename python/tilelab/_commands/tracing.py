# SPDX-License-Identifier: Apache-2.0
"""%trace KERNEL(ARGUMENTS)."""

from .._session.view import CommandError, reject_if
from .._tools.access_counts import AccessCounts
from .._tools.trace import Trace
from .._tools.trace_view import MomentView, TraceView
from .arguments import asking, view, written_svg
from .calls import called

_last = None  # the Recording that --at continues with
_cursor = -1  # the event that was shown last


def event_of(text):
    """The event number of --at; +N and -N count from the last one shown; None without."""
    if text[:1] in ("+", "-") and text[1:].isdigit():
        reject_if(_last is None, f"--at {text} continues from an inspected event: %trace add(a, b) --at 3 first")
        return _cursor + int(text)
    at = numbers(text, "--at", 1)
    return at[0] if at else None


def numbers(text, option, most):
    """The integers of an option: --block 1,0."""
    parts = text.split(",") if text else []
    if len(parts) > most or not all(part.strip().isdigit() for part in parts):
        raise CommandError(f"{option} takes {'up to ' if most > 1 else ''}{most} number{'s' * (most > 1)}, not {text}")
    return tuple(int(part) for part in parts)


def steps_of(call):
    """(from, to) of --steps 10:20; either may be missing."""
    if not (text := call.options.get("--steps", "")):
        return None
    first, colon, end = text.partition(":")
    reject_if(not colon or not all(part == "" or part.isdigit() for part in (first, end)), f"--steps takes FROM:TO, not {text}")
    return int(first or 0), int(end) if end else 2**63 - 1


def recording_of(command, shell, call):
    """The Recording of the block that the call and its options name."""
    entry, values = called(command, call.args[0], shell.ns)
    block, launch, seed = (numbers(call.options.get(o, ""), o, most) for o, most in (("--block", 3), ("--kernel", 1), ("--seed", 1)))
    return asking(entry.kernel._recording, values, block, call.options.get("--level", ""), call.options.get("--after", ""),
                  *(launch or (0,)), *seed)


def command_trace(shell, call):
    global _last, _cursor
    if len(call.args) > 1 or not call.args and _last is None:
        raise CommandError("%trace takes a call: %trace add(a, b); then %trace --at N shows the values after event N")
    steps, at = steps_of(call), event_of(call.options.get("--at", ""))
    if call.has("--all"):
        if not call.args or not call.has("--buffer"):
            raise CommandError("--all counts the blocks that access a tensor: %trace add(a, b) --buffer C --all")
        return view(asking(AccessCounts, recording_of("trace", shell, call), call.options["--buffer"]))
    recording = recording_of("trace", shell, call) if call.args else _last
    made = TraceView(asking(Trace, recording, steps, call.options.get("--buffer", ""))) if at is None else \
        asking(MomentView, recording, at)
    _last, _cursor = recording, -1 if at is None else at
    if call.has("--svg"):
        reject_if(at is not None, "--at only shows text; use --svg without it to draw the events, or with --buffer the buffer")
        return written_svg(made.svg, call.options["--svg"])
    return view(made)
