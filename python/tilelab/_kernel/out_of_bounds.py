# SPDX-License-Identifier: Apache-2.0
"""What a plain run says of accesses outside of a tensor that can't be meant: once for the shapes of a call, as a warning."""
from .._compiler.messages import message, of_span

MOST = 3  # are reported


def is_first_call(kernel, func, described):
    """Whether a run of `func` is to look: the first of the kernel with these shapes, at tile level."""
    if func.level != "tile":
        return False
    shapes = tuple(tuple(one[2]) for one in described if len(one) > 4)
    first = shapes not in kernel._checked_shapes
    kernel._checked_shapes.add(shapes)
    return first


def messages_of(result):
    """A warning for each access."""
    return [_message_of(found) for found in result["outside"][:MOST]]


def _message_of(found):
    access, *users = found["where"]
    times = f", {found['count']} times" if found["count"] > 1 else ""
    actor = f", {access['actor']}" if access["actor"] else ""
    block = ", ".join(map(str, found["block"]))
    what = "reads 0" if access["verb"] == "reads" else "writes nothing"
    here = "".join(f"; {user['verb']}" for user in users if user["span"] == access["span"])
    return message("access-outside", found["buffer"] + found["element"], found["detail"], at=of_span(access["span"]),
                   mark=f"{what}{times}; first in block ({block}){actor}{here}",
                   labels=[(of_span(user["span"]), user["verb"]) for user in users if user["span"] != access["span"]],
                   help="correct the index; where zeros are meant write them: T.if_then_else(inside, value, 0)"
                   if access["verb"] == "reads" else "correct the index, or the number of blocks")
