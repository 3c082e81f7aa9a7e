# SPDX-License-Identifier: Apache-2.0
"""Grades the notebooks of a class in parallel, each in separate processes; one table."""

import concurrent.futures
import contextlib
import csv
import importlib.util
import io
import json
import os
import re
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time

from .._tools import helper_process
from . import confine, graded, sandbox
from .task import numbers

COLUMNS = ("notebook", "puzzle", "state", "score", "seconds", "why")
# Replaced in tables: control characters, marks that reorder or hide text, surrogates.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
ENGINES = ("dask", "ray", "processes")
STATES = ("within the budget", "solved", "wrong", "unsolved", "error", "time", "crashed")
_MOST = 1 << 16  # bytes of a message of a warden
_stopped = threading.Event()  # the command was interrupted


class _Crashed(Exception):
    """The processes of a notebook ended without a row."""


def _line(process, end):
    """The next message of a warden, as JSON. Raises TimeoutError at `end`, and _Crashed where none comes that has the form of one."""
    said = b""
    while not said.endswith(b"\n"):
        if _stopped.is_set() or time.monotonic() >= end:
            raise TimeoutError
        if select.select([process.stdout], [], [], max(0.0, min(0.2, end - time.monotonic())))[0]:
            some = os.read(process.stdout.fileno(), 1 << 16)
            said += some
            if not some or len(said) > _MOST:
                raise _Crashed
    try:
        message = json.loads(said)
    except (ValueError, RecursionError):
        raise _Crashed from None
    if not isinstance(message, dict):
        raise _Crashed
    return message


def _send(process, message):
    try:
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
    except BrokenPipeError:
        raise _Crashed from None


def _is_row(row):
    return (isinstance(row, dict) and row.keys() == {"state", "score", "why"} and row["state"] in STATES and isinstance(row["why"], str)
            and type(row["score"]) is int and 0 <= row["score"] <= 100)


def _row(process, request, end, groups):
    """The warden's row. It gives it with a nonce that it is sent when nothing of the notebook runs. `groups`: receives the notebook's
    process group while that runs."""
    _send(process, request)
    while "ended" not in (message := _line(process, end)):
        groups.append(message.get("group"))
    groups.clear()
    _send(process, {"nonce": (nonce := secrets.token_hex(16))})
    message = _line(process, end)
    process.stdin.close()
    if process.wait(max(0.0, end - time.monotonic())) or message.get("nonce") != nonce or not _is_row(message.get("row")):
        raise _Crashed
    return message["row"]


def _end(process, groups):
    """Kills a warden and its notebook."""
    for group in [process.pid, *groups]:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with contextlib.suppress(OSError):
        process.stdin.close()


def grade_one(name, cells, number, seconds):
    """The table row of a notebook's puzzle, given the texts of the notebook's cells. An engine may run it anywhere."""
    start, groups = time.monotonic(), []
    folder = tempfile.mkdtemp(prefix="tilelab-notebook-")
    process = helper_process.start(helper_process.command("tilelab.puzzles.warden"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
    try:
        request = {"cells": cells, "puzzle": number, "seconds": seconds, "folder": folder}
        row = _row(process, request, start + 2 * seconds + 10, groups)
    except (TimeoutError, subprocess.TimeoutExpired):
        row = {"state": "time", "score": 0, "why": f"its kernel was simulated for more than {seconds:g} s"}
    except _Crashed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
        code = process.poll()
        why = "gave no row" if code is None else f"ended with {signal.Signals(-code).name if code < 0 else f'status {code}'}"
        row = {"state": "crashed", "score": 0, "why": f"its processes {why}"}
    finally:
        _end(process, groups)
        sandbox.remove(folder)
    return {"notebook": name, "puzzle": number, **row, "seconds": round(time.monotonic() - start, 2)}


def _unread(name, why, number=0, state="unread"):
    return {"notebook": name, "puzzle": number, "state": state, "score": 0, "why": why, "seconds": 0.0}


def work_of(directory):
    """([(name, cells, puzzle)], rows of what cannot be graded): everything is read here, before the first notebook runs."""
    work, rows = [], []
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        if not name.endswith(".ipynb") or os.path.isdir(path):
            continue
        try:
            cells = graded.code_cells(path, follow=False)
        except OSError as error:
            rows.append(_unread(name, error.strerror))
        except MemoryError:
            rows.append(_unread(name, "larger than the memory of this process"))
        except (ValueError, RecursionError) as error:
            rows.append(_unread(name, str(error).split("\n")[0]))
        else:
            found = graded.puzzles_of(cells)
            work += [(name, cells, number) for number in found if number in numbers()]
            unknown = [number for number in found if number not in numbers()]
            if unknown:
                rows.append(_unread(name, f"unknown puzzle {', '.join(map(str, unknown[:3]))}; use 1 to {numbers()[-1]}", unknown[0], "error"))
            elif not found:
                rows.append(_unread(name, "no cell starts with %%puzzle N"))
    return work, rows


def engine_named(name):
    """The engine by that name; ValueError if it is not installed."""
    if name == "auto":
        return next(e for e in ENGINES if e == "processes" or importlib.util.find_spec(e))
    if name != "processes" and importlib.util.find_spec(name) is None:
        raise ValueError(f"{name} is not installed: pip install {name}, or --engine processes")
    return name


# Each engine distributes work over cores, or over the machines of a cluster that see the same files; rows arrive in any order.


def _processes(work, seconds, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(grade_one, *item, seconds) for item in work]
        try:
            for done in concurrent.futures.as_completed(running):
                yield done.result()
        except BaseException:
            _stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _dask(work, seconds, jobs):
    import dask

    if os.environ.get("DASK_SCHEDULER_ADDRESS"):
        from dask.distributed import Client, as_completed

        with Client(os.environ["DASK_SCHEDULER_ADDRESS"]) as client:
            yield from (done.result() for done in as_completed(
                [client.submit(grade_one, *item, seconds, pure=False) for item in work]))
        return
    tasks = [dask.delayed(grade_one)(*item, seconds) for item in work]
    yield from dask.compute(*tasks, scheduler="threads", num_workers=jobs)


def _ray(work, seconds, jobs):
    import ray

    ray.init(num_cpus=None if os.environ.get("RAY_ADDRESS") else jobs, ignore_reinit_error=True, log_to_driver=False)
    remote = ray.remote(grade_one)
    waiting = [remote.remote(*item, seconds) for item in work]
    while waiting:
        done, waiting = ray.wait(waiting)
        yield ray.get(done[0])


def grade(directory, seconds=60, jobs=0, engine="auto", progress=lambda *_: None):
    """The rows of all notebooks of a directory, by name and puzzle. `progress(row, done, all)` is called for each as it comes. Raises
    OSError for an unreadable directory and ValueError for an engine that is not installed."""
    _stopped.clear()
    work, rows = work_of(directory)
    run = {"dask": _dask, "ray": _ray, "processes": _processes}[engine_named(engine)]
    jobs = jobs or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else jobs or os.cpu_count() or 1
    every, unread = len(work) + len(rows), len(rows)
    for done, row in enumerate(rows, 1):
        progress(row, done, every)
    for done, row in enumerate(run(work, seconds, jobs) if work else (), unread + 1):
        rows.append(row)
        progress(row, done, every)
    return _sorted(rows)


def _sorted(rows):
    return sorted(rows, key=lambda row: (row["notebook"], row["puzzle"]))


def _plain(value):
    """A spreadsheet cell: text that begins like a formula is quoted."""
    text = _CONTROL.sub("?", str(value))
    return "'" + text if text.startswith(("=", "+", "-", "@")) else text


def _csv_lines(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_plain(row[c]) for c in COLUMNS] for row in rows)
    return out.getvalue()


def as_csv(rows):
    return ",".join(COLUMNS) + "\n" + _csv_lines(rows)


def as_text(rows):
    from .. import _core

    cells = [[_CONTROL.sub("?", row["notebook"]), str(row["puzzle"] or ""), row["state"], str(row["score"]), f"{row['seconds']:.1f}",
              _CONTROL.sub("?", row["why"][:100])] for row in rows]
    table = _core.views.table(["notebook", ">puzzle", "state", ">score", ">seconds", "why"], cells)["text"]
    good = sum(row["state"] in ("solved", "within the budget") for row in rows)
    return table + f"{good} of {len(rows)} solved"


class _Table:
    """The CSV file: a line for each row as it comes, so that an interrupted command loses none; sorted at the end."""

    def __init__(self, name):
        self.file = sys.stdout if name == "-" else open(name, "w", encoding="utf-8") if name else None
        self.error = None  # a full disk, for example: the rows still come, and the table is shown
        self.rows, self.every = [], 0
        self.write(",".join(COLUMNS) + "\n")

    def write(self, text):
        if self.file and not self.error:
            try:
                self.file.write(text)
                self.file.flush()
            except OSError as error:
                self.error = OSError(error.errno, error.strerror, getattr(self.file, "name", ""))

    def add(self, row, done, every):
        self.rows.append(row)
        self.every = every
        self.write(_csv_lines([row]))
        if sys.stderr.isatty():
            end = "\r" if done < every else "\r" + " " * 40 + "\r"
            print(f"graded {done} of {every}", end=end, file=sys.stderr, flush=True)

    def close(self):
        self.rows = _sorted(self.rows)
        if self.file and self.file is not sys.stdout:
            if self.file.seekable() and not self.error:
                self.file.seek(0)  # the same lines, so the same size
                self.write(as_csv(self.rows))
            with contextlib.suppress(OSError):
                self.file.close()


def _warn(directory):
    """Names what the sandbox lacks here, and a class's folder that it does not hide."""
    place = os.path.realpath(directory) + os.sep
    if shown := [path for path in sandbox.readable() if place.startswith(os.path.realpath(path) + os.sep)]:
        print(f"tilelab puzzle: notebooks can read each other, because {_plain(directory)} is in {_plain(shown[0])}; grade a copy elsewhere",
              file=sys.stderr)
    if missing := sandbox.missing():
        print(f"tilelab puzzle: the sandbox of this machine lacks {', '.join(missing)}; see docs/puzzles.md", file=sys.stderr)


def main(given):
    """`tilelab puzzle --grade DIRECTORY`."""
    confine.hide_this_process()
    if not os.listdir(given.grade):
        raise ValueError(f"{given.grade} has no notebooks")
    _warn(given.grade)
    table, status = _Table(given.csv), 0
    try:
        grade(given.grade, given.seconds, given.jobs, given.engine, table.add)
    except KeyboardInterrupt:
        print(f"tilelab puzzle: interrupted after {len(table.rows)} of {table.every or 'all'} rows", file=sys.stderr)
        status = 130
    table.close()
    if not table.rows and not status:
        raise ValueError(f"{given.grade} has no notebooks")
    if given.csv != "-":
        print(json.dumps(table.rows) if given.json else as_text(table.rows))
    if table.error:
        raise table.error
    return status
