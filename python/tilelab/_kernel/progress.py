# SPDX-License-Identifier: Apache-2.0
"""How far long work is: one line that is written over and goes away at the end, on a terminal and in a
notebook. Output that is piped stays clean."""

import sys
import time

launches = 0  # of the simulator in this process, for those who tell what a time is worth
WAIT, STEP = 0.5, 0.1  # seconds before the first line, and between two
took = {}  # seconds that a phase took last, such as "compiled by NVRTC"


def _where():
    """The stream for the line; None where nobody looks."""
    err = sys.stderr
    try:
        if err is not None and (err.isatty() or getattr(err, "redraws", False)):
            return err
    except ValueError:  # closed
        pass
    return None


class Progress:
    """`with Progress("kernel add") as step: ... step(done, all)`; `step` is called as often as one likes. `of`: what is
    counted."""

    def __init__(self, what, how="simulated", of="blocks"):
        self.what, self.how, self.of, self.start = what, how, of, time.monotonic()
        self.shown, self.last, self.stream = 0, 0.0, None
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
        self.stream = self.stream or _where()
        if self.stream is None:
            return
        text = self.text(done, all, now)
        self.stream.write("\r" + text.ljust(self.shown))
        self.stream.flush()
        self.shown = len(text)

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
        if self.shown:
            self.stream.write("\r" + " " * self.shown + "\r")
            self.stream.flush()
        return False
