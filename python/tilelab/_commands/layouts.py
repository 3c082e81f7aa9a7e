# SPDX-License-Identifier: Apache-2.0
"""%layout of a kernel's buffer, of a layout expression, of a slice, or a comparison of two."""

import re

from .. import _core
from .._kernel.shown import Shown
from .._session.view import CommandError, View, reject_if
from ..layout import Layout
from .arguments import asking, constants, target, view, written_svg
from .kernels import kernel_of, value_of

_SLICED = re.compile(r"(.*[\w)\]])\s*\[([\d\s,:.-]*)\]", re.S)


def _numbers(text, option):
    try:
        return [int(part) for part in text.strip("[]()").split(",") if part.strip()]
    except ValueError:
        raise CommandError(f"{option} takes integers, such as 17,40; not {text}") from None


def _window(text, part):
    """[(lo, hi)] of "0:16, 3, :"; hi is -1 where the slice is open."""
    out = []
    for piece in part.split(","):
        lo, colon, hi = (word.strip() for word in piece.partition(":"))
        if ":" in hi or "-" in piece or "." in piece or not (lo or colon):
            raise CommandError(f"{text}: write a slice as FROM:TO, without steps and negative numbers")
        out.append((int(lo or 0), (int(hi) if hi else -1) if colon else int(lo) + 1))
    return out


def _asked(shell, call, text):
    """(text without its index, layout query)."""
    query = {"banks": call.has("--banks"), "offsets": call.has("--offsets")}
    if call.has("--element"):
        query["element"] = _numbers(call.options["--element"], "--element")
    for option in ("--thread", "--address"):
        if call.has(option):
            numbers = _numbers(call.options[option], option)
            if len(numbers) != 1:
                raise CommandError(f"{option} takes one integer, not {call.options[option]}")
            (query[option[2:]],) = numbers
    match = _SLICED.fullmatch(text)
    if not match or isinstance(value_of(match[1], shell.ns, CommandError), (list, tuple, dict)):
        return text, query
    if ":" in match[2] or "." in match[2]:
        return match[1], {**query, "window": _window(text, match[2])}
    return match[1], {**query, "element": _numbers(match[2], "[...]")}


class _Subject:
    """Resolved argument: `show(**query)` makes its view, `whole()` the layout for a comparison."""

    def __init__(self, show, whole):
        self.show, self.whole = show, whole


def _made(layout, text):
    """A layout without a kernel; messages call an unnamed expression "layout"."""
    shown = layout.named(text if text.replace(".", "").isidentifier() else "layout")
    return _Subject(shown.view, lambda: layout.named(text))


def _subject(text, shell, values, call):
    dtype = call.options.get("--dtype")
    if text.startswith(("frag(", "addr(")):
        return _made(asking(_core.views.layout_of_text, text, dtype=dtype or "float32"), text)
    value = value_of(text, shell.ns, CommandError)
    if isinstance(value, Layout):
        return _made(asking(value.picture, dtype=dtype), text)
    reject_if(call.has("--dtype"), f"--dtype is for layouts made at the prompt; {text} has an element type")
    if isinstance(value, Shown):
        return _Subject(lambda **query: value, None)
    kernel, dot, buffer = text.rpartition(".")
    if not dot:
        entry = kernel_of(text, shell.ns, values, CommandError)
        names = ", ".join(f"{text}.{name}" for name in asking(lambda: entry.pipeline().buffers))
        raise CommandError(f"which buffer of {text}? {names or 'it has none with a layout'}")
    pipeline = asking(kernel_of(kernel, shell.ns, values, CommandError).pipeline, target(call))
    after = call.options.get("--after", "")
    return _Subject(lambda **query: pipeline.layout(buffer, after, **query), lambda: pipeline.layout_object(buffer, after).named(text))


def command_layout(shell, call):
    values, rest = constants(call.args, shell)
    if len(rest) == 2 and re.fullmatch(r"\[[\d\s,:.-]*\]", rest[1]):
        rest = ["".join(rest)]  # k.x [3, 5]
    if call.has("--element") and any(word.strip("(),").isdigit() for word in rest):
        raise CommandError("--element takes numbers separated by commas: --element 17,40")
    if len(rest) == 2:
        reject_if(call.has("--svg"), "a comparison has no picture: use --svg with %layout of one buffer")
        whole = [_subject(text, shell, values, call).whole for text in rest]
        reject_if(None in whole, "compare two buffers or layouts: %layout k.A_shared k2.A_shared")
        a, b = (asking(make) for make in whole)
        return view(asking(a.compare, b))
    reject_if(len(rest) != 1, "%layout KERNEL.BUFFER, or a layout expression; or two of them, to compare")
    text, query = _asked(shell, call, rest[0])
    made = asking(_subject(text, shell, values, call).show, **query)
    if call.has("--svg"):
        return written_svg((made._made if isinstance(made, Shown) else made)["svg"](), call.options["--svg"])
    if call.has("--latex"):
        latex = (made._made if isinstance(made, Shown) else made)["latex"]
        return View(latex, None, {"latex": latex})
    return view(made)
