# SPDX-License-Identifier: Apache-2.0
"""Checks the first call of a kernel with new sizes: some blocks run with all watchers on. At tile level these are blocks of the call
itself. For other devices a sample of blocks runs on the simulator, with the sizes of the call and made-up tensors."""

from .. import _core
from .._compiler.kernel_warnings import enabled, show_warnings


def _is_new(kernel, described):
    """Whether no call with these sizes was checked yet; calls with tensors that share memory count separately."""
    sizes = tuple(tuple(one[2]) if len(one) > 4 else one[1] for one in described)
    ranges = sorted((one[1], one[1] + one[4]) for one in described if len(one) > 4 and one[4])
    shared = any(next_begin < end for (_, end), (next_begin, _) in zip(ranges, ranges[1:]))
    if (shared, sizes) in kernel._watched:
        return False
    kernel._watched.add((shared, sizes))
    return True


def begins(kernel, runner, described):
    """Whether a run is to watch its own blocks, as at the simulator's tile level."""
    if runner is kernel._func and runner.level == "tile":
        return _is_new(kernel, described)
    check(kernel, described)
    return False


def check(kernel, described):
    """Checks a sample of blocks, once per sizes."""
    if kernel._func.level == "tile" and _is_new(kernel, described):
        show_warnings(kernel._func.check(described)["warnings"], kernel._identity, kernel._func)


def check_without_call(kernel):
    """Checks with chosen values for dynamic extents, without findings that a call would report as errors."""
    show_warnings([d for d in kernel._func.check()["warnings"] if d["name"] != "sample-finding"], kernel._identity, kernel._func)


def report(kernel, name):
    """The view of a check without a call."""
    import html  # not at the import of tilelab, which is measured
    import json

    made = kernel._func.check()
    found, unchecked = enabled(made["warnings"], kernel._func), made["unchecked"]
    count = f"{len(found)} warning{'s' * (len(found) != 1)}" if found else "no warnings"
    last = _core.views.hanging(f"{name}: {count} in a sample of its blocks on generated tensors" +
                               (f"; not fully checked: {unchecked}" if unchecked else "") + "\n")
    data = {"kernel": name, "unchecked": unchecked, "warnings": [
        {"name": d["name"], "message": d["message"], "line": d["span"]["line"]} for d in found]}
    return {**{form: "".join(d[form].rstrip("\n") + "\n\n" for d in found) + last for form in ("text", "ansi")},
            "html": "".join(d["html"] for d in found) + f"<p>{html.escape(last)}</p>", "json": json.dumps(data)}
