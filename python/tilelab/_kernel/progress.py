# SPDX-License-Identifier: Apache-2.0
"""Progress of long work: one line that is overwritten, and removed at the end. Piped output stays clean."""

import sys
import time

launches = 0  # on the simulator in this process, for timing reports
WAIT, STEP = 0.5, 0.1  # seconds before the first line, and between updates
took = {}  # last duration in seconds of each phase, such as "compiled by NVRTC"


def time_text(seconds):
    """Three digits and a unit."""
    unit, scale = next(((u, s) for u, s in (("s", 1), ("ms", 1e-3), ("us", 1e-6)) if seconds >= s), ("ns", 1e-9))
    return f"{seconds / scale:.3g} {unit}"


class _Line:
    """The line on a terminal."""

    def __init__(self):
        self.stream, self.columns = sys.stderr, 0

    def show(self, text):
        self.stream.write("\r" + text.ljust(self.columns))
        self.stream.flush()
        self.columns = len(text)

    def remove(self):
        self.show("")
        self.show("")  # the cursor goes back


def terminal_line():
    """The line on the terminal; None if stderr is not a terminal."""
    try:
        if sys.stderr is not None and sys.stderr.isatty():
            return _Line()
    except ValueError:  # closed
        pass
    return None


new_line = terminal_line  # the factory; a session in a notebook replaces it


class Progress:
    """`with Progress("kernel add") as step: ... step(done, all)`; `step` may be called often. `of`: the counted unit."""

    def __init__(self, what, how="simulated", of="blocks"):
        self.what, self.how, self.of, self.start = what, how, of, time.monotonic()
        self.last, self.place = 0.0, None
        self.phase, self.since = None, 0.0  # the current phase and its start

    def __enter__(self):
        return self

    def __call__(self, done, all, phase=None):
        now = time.monotonic() - self.start
        if phase != self.phase:
            self._enter(phase, now)
        if now < WAIT or now - self.last < STEP:
            return
        self.last = now
        self.place = self.place or new_line()
        if self.place is not None:
            self.place.show(self.text(done, all, now))

    def _enter(self, phase, now):
        if self.phase:
            took[self.phase] = now - self.since
        self.phase, self.since = phase, now

    def text(self, done, all, seconds):
        if self.phase:
            seconds -= self.since
            left = took.get(self.phase, 0) - seconds
            return f"{self.what}, {self.phase}: {seconds:.0f} s" + (f", about {left:.0f} s more" if left >= 0.5 else "")
        far = f"{done} of {all} {self.of}, {seconds:.0f} s" if all else f"{seconds:.0f} s"
        left = f", about {seconds / done * (all - done):.0f} s more" if 0 < done < all else ""
        return f"{self.what}, {self.how}: {far}{left}"

    def __exit__(self, *error):
        if not error[0]:
            self._enter(None, time.monotonic() - self.start)
        if self.place is not None:
            self.place.remove()
