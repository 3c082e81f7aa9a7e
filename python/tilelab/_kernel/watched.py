# SPDX-License-Identifier: Apache-2.0
"""The check of a kernel's first call with new sizes: some of its blocks run with all watchers on. At tile level these are
the call's own blocks; for other devices a sample of blocks runs on the simulator, with the sizes of the call and tensors
that are made up."""

import html
import json

from .._compiler.kernel_warnings import enabled, show_warnings


def _is_new(kernel, described):
    """Whether no call with these sizes was checked."""
    sizes = tuple(tuple(one[2]) if len(one) > 4 else one[1] for one in described)
    if sizes in kernel._watched:
        return False
    kernel._watched.add(sizes)
    return True


def begins(kernel, runner, described):
    """Whether a run is to watch its own blocks: those of the simulator's tile level."""
    if runner is kernel._func and runner.level == "tile":
        return _is_new(kernel, described)
    check(kernel, described)
    return False


def check(kernel, described):
    """Checks a sample of blocks, once for the sizes of a call."""
    if kernel._func.level == "tile" and _is_new(kernel, described):
        show_warnings(kernel._func.check(described)["warnings"], kernel._identity, kernel._func)


def check_without_call(kernel):
    """The same with extents that are chosen where the kernel leaves them open, without what a call reports as an error."""
    show_warnings([d for d in kernel._func.check()["warnings"] if d["name"] != "sample-finding"], kernel._identity, kernel._func)


def report(kernel, name):
    """What a check without a call says, as a view."""
    made = kernel._func.check()
    found, unchecked = enabled(made["warnings"], kernel._func), made["unchecked"]
    last = f"{name}: " + (f"{len(found)} warning{'s' * (len(found) != 1)}" if found else "no warnings") + \
        " of a sample of its blocks on made-up tensors" + (f"; not checked in full: {unchecked}" if unchecked else "") + "\n"
    data = {"kernel": name, "unchecked": unchecked, "warnings": [
        {"name": d["name"], "message": d["message"], "line": d["span"]["line"]} for d in found]}
    return {**{form: "".join(d[form].rstrip("\n") + "\n\n" for d in found) + last for form in ("text", "ansi")},
            "html": "".join(d["html"] for d in found) + f"<p>{html.escape(last)}</p>", "json": json.dumps(data)}
