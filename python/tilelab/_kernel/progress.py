# SPDX-License-Identifier: Apache-2.0
"""How far long work is: one line that is written over and goes away at the end, on a terminal and in a
notebook. Output that is piped stays clean."""

import sys
import time

launches = 0  # of the simulator in this process, for those who tell what a time is worth
WAIT, STEP = 0.5, 0.1  # seconds before the first line, and between two


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

    def __enter__(self):
        return self

    def __call__(self, done, all):
        now = time.monotonic() - self.start
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

    def text(self, done, all, seconds):
        far = f"{done} of {all} {self.of}, {seconds:.0f} s" if all else f"{seconds:.0f} s"
        left = f", about {seconds / done * (all - done):.0f} s more" if 0 < done < all else ""
        return f"{self.what}, {self.how}: {far}{left}"

    def __exit__(self, *error):
        if self.shown:
            self.stream.write("\r" + " " * self.shown + "\r")
            self.stream.flush()
        return False
