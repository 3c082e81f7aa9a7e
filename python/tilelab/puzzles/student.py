# SPDX-License-Identifier: Apache-2.0
"""python3 -m tilelab.puzzles.student: runs a notebook in a process that has no rights, and writes its kernels' IR to standard output.
Reads {"cells": [...], "puzzle": N, "seconds": S, "folder": writable, "user": number or null} from standard input, as JSON."""

import contextlib
import json
import os
import sys

from . import confine, sandbox


def _streams():
    """The descriptor of the answer; the streams themselves become /dev/null."""
    answer = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    return answer


def main():
    request = json.loads(sys.stdin.buffer.read())
    answer, own = _streams(), os.getpid()
    try:
        confine.limit_resources(request["seconds"], request["user"])  # counts processes, which are out of sight then
        sandbox.enter(request["folder"], request["user"])
        with contextlib.suppress(OSError):  # a TMPDIR that only root can enter
            os.chdir(request["folder"])
        os.environ["TMPDIR"] = request["folder"]
        confine.end_with_parent()
        confine.hide_this_process()
        from . import graded

        said = json.dumps(graded.made_of(request["cells"], request["puzzle"]))
    except BaseException as error:
        said = json.dumps({"": {"error": f"the notebook ended with {type(error).__name__}: {error}"}})
    if os.getpid() == own:  # a child of the notebook may come here, too
        with os.fdopen(answer, "w") as out:
            out.write(said + "\n")
    os._exit(0)


if __name__ == "__main__":
    main()
