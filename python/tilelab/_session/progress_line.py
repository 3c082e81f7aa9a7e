# SPDX-License-Identifier: Apache-2.0
"""The progress line of kernel runs in a notebook."""

import _tilelab_host as host

from .._kernel import progress
from .display import DisplayHandle, is_captured


class ProgressLine:
    """A separate display: a stream would leave an empty red line and overwrite the cell's output."""

    def __init__(self):
        self.handle, self.shown = DisplayHandle(), False

    def show(self, text):
        (self.handle.update if self.shown else self.handle.display)({"text/plain": text}, raw=True)
        self.shown = True

    def remove(self):
        self.handle.update({"text/plain": "", "text/html": ""}, raw=True)  # nbconvert warns of an empty bundle


def new_line():
    """A line for the front end; None if the cell's output is captured."""
    if not host.captures():
        return progress.terminal_line()
    return None if is_captured() else ProgressLine()
