# SPDX-License-Identifier: Apache-2.0
"""tilelang.print_options: which events of T.print and T.device_assert are shown, and how much of each."""

import dataclasses


@dataclasses.dataclass
class Options:
    """Filters (None: all) and limits."""

    block: tuple | None = None      # (x, y, z); missing ones match any
    thread: int | None = None
    message: str | None = None      # part of the message
    events: int = 1000              # per run
    rows: int = 16                  # per tile or slice
    columns: int = 32               # per tile, if the page is wide enough
    slices: int = 4                 # per tile of more than two dimensions

    def takes(self, record, message):
        """Whether an event passes the filters."""
        return (self.block is None or all(a == b for a, b in zip(self.block, record["block"]))) and \
            self.thread in (None, record["thread"]) and (self.message is None or self.message in message)

    def filtered(self):
        return (self.block, self.thread, self.message) != (None, None, None)


now = Options()


def _checked(name, value):
    if name == "message" or value is None and name in ("block", "thread"):
        return None if value is None else str(value)
    if name == "block":
        value = (value,) if isinstance(value, int) else tuple(value)
        if not 0 < len(value) <= 3 or not all(isinstance(v, int) and v >= 0 for v in value):
            raise ValueError(f"block is a number, or up to three: (x, y, z); not {value!r}")
        return value
    low = 0 if name == "thread" else 2
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ValueError(f"{name} is an integer of at least {low}; not {value!r}")
    return value


class print_options:
    """print_options(block=(1, 0), rows=64) sets them, for the body of a `with` if used there. Without arguments it resets all."""

    def __init__(self, **options):
        global now
        known = [field.name for field in dataclasses.fields(Options)]
        for name in options:
            if name not in known:
                raise TypeError(f"print_options has no {name}; it has {', '.join(known)}")
        self._before = now
        made = {name: _checked(name, value) for name, value in options.items()}
        now = dataclasses.replace(now, **made) if made else Options()

    def __enter__(self):
        return now

    def __exit__(self, *error):
        global now
        now = self._before

    def __repr__(self):
        return repr(now).replace("Options", "print_options")


print_options.__module__ = "tilelab"
