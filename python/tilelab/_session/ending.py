# SPDX-License-Identifier: Apache-2.0
"""How a session or a program ends."""

import sys


class ExitSession(SystemExit):
    """exit() was called: the session ends, whatever a plain sys.exit() in a cell means."""


def exit_status(error):
    """The process status that a SystemExit asks for."""
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1
