# SPDX-License-Identifier: Apache-2.0
"""How far long work is: one line that is written over and goes away at the end, on a terminal and in a
notebook, where it is a separate display. Piped output stays clean."""

import sys
import time

launches = 0  # of the simulator in this process, for reports of times
WAIT, STEP = 0.5, 0.1  # seconds before the first line, and between two
took = {}  # seconds that a phase took last, such as "compiled by NVRTC"


class _Line:
    """Of a terminal."""

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
    """Where the line is shown on a terminal; None where there is no terminal."""
    try:
        if sys.stderr is not None and sys.stderr.isatty():
            return _Line()
    except ValueError:  # closed
        pass
    return None


new_line = terminal_line  # what makes the line; a session in a notebook sets its own


class Progress:
    """`with Progress("kernel add") as step: ... step(done, all)`; `step` is called as often as one likes. `of`: what is
    counted."""

    def __init__(self, what, how="simulated", of="blocks"):
        self.what, self.how, self.of, self.start = what, how, of, time.monotonic()
        self.last, self.place = 0.0, None
        self.phase, self.since = None, 0.0  # what is done first, and from when on

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
        return False
