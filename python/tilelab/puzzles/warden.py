# SPDX-License-Identifier: Apache-2.0
"""python3 -m tilelab.puzzles.warden NOTEBOOK PUZZLE SECONDS: one row of a class's table, as JSON. A child process runs the notebook and
returns its kernels' IR; this process, which runs none of its code, judges the IR on inputs that the child can't know."""

import contextlib
import ctypes
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time

_MOST = 64 << 20  # bytes of IR


def _adopt_orphans():
    """Makes this process the parent of orphans that the notebook leaves behind (Linux only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def _end_children():
    for _ in range(20):
        try:
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                left = [int(word) for word in file.read().split()]
        except OSError:
            return
        if not left:
            return
        for child in left:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _run_notebook(path, number, seconds, pipe, folder):
    """Runs in the child."""
    from . import graded

    try:
        graded.limit_this_process(seconds, folder)
        answer = json.dumps(graded.made_of(path, number))
    except BaseException as error:
        answer = json.dumps({"": {"error": f"the notebook ended with {type(error).__name__}: {error}"}})
    with os.fdopen(pipe, "w") as out:
        out.write(answer + "\n")
    os._exit(0)


def _answer(pipe, child, end):
    """The child's answer, up to the end of its line; or its exit status."""
    said = b""
    while not said.endswith(b"\n"):
        ready, _, _ = select.select([pipe], [], [], max(0, min(0.2, end - time.monotonic())))
        if ready:
            some = os.read(pipe, 1 << 16)
            said += some
            if not some or len(said) > _MOST:
                break
        elif time.monotonic() >= end:
            raise TimeoutError
        elif os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) and not said:
            break
    with contextlib.suppress(OSError):
        os.kill(child, signal.SIGKILL)
    return said, os.waitpid(child, 0)[1]


def _why_silent(status):
    if os.WIFSIGNALED(status):
        return f"the notebook was killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"the notebook exited with status {os.WEXITSTATUS(status)}"


def _kernels(path, number, seconds):
    """({kernel: ...} of the child, "") or (None, what happened)."""
    folder = tempfile.mkdtemp(prefix="tilelab-notebook-")
    reader, writer = os.pipe()
    try:
        child = os.fork()
        if child == 0:
            os.close(reader)
            _run_notebook(path, number, seconds, writer, folder)
        os.close(writer)
        said, status = _answer(reader, child, time.monotonic() + seconds)
    finally:
        os.close(reader)
        _end_children()
        shutil.rmtree(folder, ignore_errors=True)
    try:
        return dict(json.loads(said)), ""
    except ValueError:
        return None, _why_silent(status)


def _judged(part, texts, salt):
    from ..jit import kernel_of_ir
    from .judge import judge

    sizes_list = [*part.cases, part.full]

    def compiled(sizes):
        return kernel_of_ir(str(texts[sizes_list.index(sizes)]), part.kernel, kernel_name=part.kernel)

    return judge(part, compiled, salt)


def _row(number, made, salt):
    from .judge import Failure, Result
    from .page import verdict
    from .task import task

    results = []
    for part in task(number).parts:
        entry = made.get(part.kernel) or made.get("") or {"error": f"no cell defines {part.kernel}"}
        if "texts" in entry:
            results.append(_judged(part, list(entry["texts"]), salt))
        else:
            results.append(Result(part.kernel, failure=Failure("error", part.cases[0], str(entry["error"]))))
    shown = verdict(number, results)
    failure = next((r.failure for r in results if r.failure), None)
    state = ("within the budget" if shown.within else "solved") if shown.solved else (
        failure.kind if failure.kind in ("unsolved", "error") else "wrong")
    points = min(r.points for r in results) if shown.solved else 0
    return {"state": state, "score": points, "why": failure.line if failure else ""}


def main(path, number, seconds):
    import tilelab  # loaded once for both processes
    import tilelab.language  # noqa: F401

    from .. import _core  # noqa: F401
    from ..jit import JITImpl  # noqa: F401
    from .task import numbers

    path, number, seconds = os.path.abspath(path), int(number), float(seconds)
    if number not in numbers():
        return {"state": "error", "score": 0, "why": f"unknown puzzle {number}"}
    _adopt_orphans()
    try:
        made, problem = _kernels(path, number, seconds)
    except TimeoutError:
        return {"state": "time", "score": 0, "why": f"the notebook ran for {seconds:g} s"}
    if problem:
        return {"state": "crashed", "score": 0, "why": problem}
    return _row(number, made, random.SystemRandom().getrandbits(30))


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
