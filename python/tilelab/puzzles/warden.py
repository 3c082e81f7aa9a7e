# SPDX-License-Identifier: Apache-2.0
"""python3 -m tilelab.puzzles.warden: one row of a class's table. Another process, in a sandbox, runs the notebook and returns its
kernels' IR; when it and all that it started have ended, this process, which runs none of its code, judges the IR on inputs chosen then.

    grader -> warden   {"cells": [...], "puzzle": N, "seconds": S, "folder": the notebook's}
    warden -> grader   {"group": the notebook's process group}, when that runs
    warden -> grader   {"ended": true}, when nothing of the notebook runs
    grader -> warden   {"nonce": text}
    warden -> grader   {"nonce": text, "row": {...}}
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys

from .._tools import helper_process
from . import confine, sandbox


class _Grader:
    """The streams to the grader; the judge's own output goes nowhere."""

    def __init__(self):
        self.input = sys.stdin.buffer
        self.output = os.fdopen(os.dup(1), "w")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)

    def receive(self):
        return json.loads(self.input.readline())

    def send(self, **message):
        print(json.dumps(message), file=self.output, flush=True)


def _why_silent(status):
    number = -status if status < 0 else status - 128  # the second: of a program in Bubblewrap
    if number in set(signal.Signals):
        return f"the notebook was killed by {signal.Signals(number).name}"
    return f"the notebook exited with status {status}"


def _kernels(request, grader):
    """What the notebook's process made, as _checked. Raises Ended if that makes no answer."""
    folder, user = request["folder"], confine.own_user()
    if user is not None:
        os.chown(folder, user, user)
    words = [*sandbox.namespaces(folder), *helper_process.command("tilelab.puzzles.student")]
    together = sandbox.Together()
    process = helper_process.start(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   preexec_fn=together.enter)
    grader.send(group=process.pid)
    try:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps({**request, "user": user}).encode())
            process.stdin.close()
        said = sandbox.answer_of(process, folder, request["seconds"], grader.input)
        if not said:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1)
    finally:
        process.kill()
        status = process.wait()
        process.stdout.close()
        sandbox.end_all(process.pid, user)
        sandbox.remove(folder)
        together.end()
    if not said:
        raise sandbox.Ended("crashed", _why_silent(status))
    return _checked(said)


def _checked(said):
    """The answer, from data that may be anything: {kernel: the texts of its IR, or the reason why there are none}."""
    try:
        made = json.loads(said)
    except (ValueError, RecursionError):
        made = None
    if not isinstance(made, dict):
        raise sandbox.Ended("crashed", "the notebook's process gave an answer that is none")
    out = {}
    for kernel, entry in made.items():
        texts, error = (entry.get("texts"), entry.get("error")) if isinstance(entry, dict) else (None, None)
        is_made = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        out[kernel] = texts if is_made else error if isinstance(error, str) else []
    return out


def _failed(state, why):
    return {"state": state, "score": 0, "why": why[:400]}


def _judged(part, texts, salt):
    from ..jit import kernel_of_ir
    from .judge import judge

    sizes_list = [*part.cases, part.full]

    def compiled(sizes):
        return kernel_of_ir(texts[sizes_list.index(sizes)], part.kernel, kernel_name=part.kernel)

    return judge(part, compiled, salt)


def _lower_level(texts):
    """The level of the first text that is lowered, or ""; its operations can't be counted. Other faults are left to the judge."""
    from .. import _core

    functions = (_core.read_ir("report", text)[0] for text in texts)
    return next((function.level for function in functions if function is not None and function.level != "tile"), "")


def _row(number, made):
    """The row for what _kernels returned. A puzzle is as good as the first of its kernels that fails, or as the worst."""
    from .task import task

    salt, results = random.SystemRandom().getrandbits(30), []
    for part in task(number).parts:
        entry = made.get(part.kernel, made.get("", f"no cell defines {part.kernel}"))
        if isinstance(entry, str):
            return _failed("error", entry)
        if len(entry) != len(part.cases) + 1:
            return _failed("wrong", "the notebook's process gave something else than the kernel's IR")
        if level := _lower_level(entry):
            return _failed("wrong", f"the kernel is written at {level} level")
        results.append(_judged(part, entry, salt))
        if failure := results[-1].failure:
            if failure.kind == "refused" and "messages" not in failure.data:  # no message of the compiler; nothing else runs here
                return _failed("crashed", f"a bug in tilelab: {failure.line}")
            return _failed("unsolved" if failure.kind == "unsolved" else "wrong", failure.line)
    return {"state": "within the budget" if all(r.within for r in results) else "solved", "score": min(r.points for r in results), "why": ""}


def main():
    confine.hide_this_process()
    confine.adopt_orphans()
    grader = _Grader()
    request = grader.receive()
    row = None
    try:
        made = _kernels(request, grader)
    except sandbox.Ended as error:
        row = _failed(error.state, str(error))
    confine.end_with_parent()
    grader.send(ended=True)
    nonce = grader.receive()["nonce"]
    if row is None:
        # The IR is data of the notebook: an attack on the compiler by such data reaches no more than its own row.
        sandbox.enter(None, confine.own_user())
        confine.limit_memory(2 * confine.MEMORY)
        row = _row(request["puzzle"], made)
    grader.send(nonce=nonce, row=row)


if __name__ == "__main__":
    main()
