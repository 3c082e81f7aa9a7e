# SPDX-License-Identifier: Apache-2.0
"""The line in a notebook that says how far a run of a kernel is."""

import _tilelab_host as host

from .._kernel import progress
from .display import DisplayHandle, is_captured


class ProgressLine:
    """A separate display. A stream would leave an empty red line, and overwrite what a cell has printed."""

    def __init__(self):
        self.handle, self.shown = DisplayHandle(), False

    def show(self, text):
        (self.handle.update if self.shown else self.handle.display)({"text/plain": text}, raw=True)
        self.shown = True

    def remove(self):
        self.handle.update({"text/plain": "", "text/html": ""}, raw=True)  # without any, nbconvert warns


def new_line():
    """A line for the front end that shows the cell; None where the output of the cell is captured."""
    if not host.captures():
        return progress.terminal_line()
    return None if is_captured() else ProgressLine()
