# SPDX-License-Identifier: Apache-2.0
"""Python's debugger, for code in cells as well."""

from .source import source_of


def debugger():
    import pdb

    class Debugger(pdb.Pdb):
        def canonic(self, filename):
            return filename if source_of(filename) else super().canonic(filename)

    return Debugger(nosigint=True)


def post_mortem(trace):
    """The debugger in the frame that failed."""
    made = debugger()
    made.reset()
    made.interaction(None, trace)


def release_interrupts(pdb):
    """Ends what `continue` of the debugger installs: an interrupt, from then on, enters the debugger again."""
    previous, pdb.Pdb._previous_sigint_handler = pdb.Pdb._previous_sigint_handler, None
    if previous is not None:
        import signal

        signal.signal(signal.SIGINT, previous)
