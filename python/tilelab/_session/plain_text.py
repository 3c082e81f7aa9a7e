# SPDX-License-Identifier: Apache-2.0
"""text/plain of values: repr() with truncated containers and floats in the format of %precision."""

import sys

import _tilelab_host as host

from .pristine import __builtins__  # unaffected by user code

_CONTAINERS = (dict, list, tuple, set, frozenset)
LONGEST = 1000  # shown elements of a container

float_format = ""  # "%.3f": %precision


class _Verbatim:
    """A placeholder whose repr() is `text`."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text

    def __lt__(self, other):  # pprint sorts the elements of sets
        return False


def _cut(values):
    out = []
    for value in values:
        if len(out) == LONGEST:
            return out + [_Verbatim("...")]
        out.append(value)
    return out


def _needs_copy(value, depth):
    if type(value) is float:
        return bool(float_format)
    if type(value) not in _CONTAINERS or depth == 0:
        return False
    if len(value) > LONGEST:
        return True
    inside = value.values() if type(value) is dict else value
    return any(_needs_copy(v, depth - 1) for v in inside)


def _shown(value, depth=4):
    """The value, or a truncated copy."""
    if not _needs_copy(value, depth):
        return value
    kind = type(value)
    if kind is float:
        return _Verbatim(float_format % value)
    if kind is dict:
        keys = _cut(value)
        return {key: _Verbatim("...") if isinstance(key, _Verbatim) else _shown(value[key], depth - 1) for key in keys}
    copy = [_shown(v, depth - 1) for v in _cut(value)]
    return copy if kind is list else tuple(copy) if kind is tuple else _Set(copy, kind)


class _Set:
    """The shown elements of a set."""

    def __init__(self, elements, kind):
        self.elements, self.kind = elements, kind

    def __repr__(self):
        inside = "{" + ", ".join(map(repr, self.elements)) + "}"
        return inside if self.kind is set else f"frozenset({inside})"


def plain_text(value):
    """repr(), wrapped if a container is too wide for the page or terminal."""
    width = min(80, host.width() or 80)
    numpy = sys.modules.get("numpy") if width < 80 else None
    try:
        narrow = numpy is not None and numpy.get_printoptions()["linewidth"] > width
    except Exception:  # numpy may be a user's module
        narrow = False
    if not narrow:
        return _text_in(value, width)
    keys = 8 if type(value) in _CONTAINERS else 0  # room for text before a nested array
    with numpy.printoptions(linewidth=width - keys):
        return _text_in(value, width)


def _text_in(value, width):
    kind = type(value)
    formatters = sys.modules.get("tilelab._session.formatters")
    registered = formatters and formatters.function_for("text/plain", value)
    own = getattr(kind, "_repr_pretty_", None)
    if registered or (own is not None and not isinstance(value, type)):
        from .formatters import pretty

        return pretty(registered or own, value, plain_text)
    if kind is float and float_format:
        return float_format % value
    if kind not in _CONTAINERS:
        return repr(value)
    shown = _shown(value)
    text = repr(shown)
    if len(text) > width or "\n" in text:
        import pprint

        text = pprint.pformat(shown, width=width, compact=True, sort_dicts=False)
    return f"{text}\n# {len(value)} elements" if len(value) > LONGEST else text


def set_precision(text):
    """%precision: digits after the point, a format such as %.3e, or nothing for repr()."""
    global float_format
    digits = int(text) if text.isdigit() else None
    if text and digits is None:
        text % 1.0  # raises if it is not a format of one number
    float_format = f"%.{digits}f" if digits is not None else text
    numpy = sys.modules.get("numpy")
    if numpy is not None and (digits is not None or not text):
        numpy.set_printoptions(precision=8 if digits is None else digits)
    return float_format or "%r"
