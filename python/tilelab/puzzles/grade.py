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
import signal
import subprocess
import sys
import time

from . import graded

COLUMNS = ("notebook", "puzzle", "state", "score", "seconds", "why")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # removed from file names in tables
ENGINES = ("dask", "ray", "processes")


def _environment(folder):
    """The package's path without the session's variables; the notebook gets no home directory."""
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")}
    return {**kept, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1", "HOME": "/nonexistent"}


def _ended(process):
    """Kills the remaining processes of a notebook."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


def grade_one(path, number, seconds):
    """The table row of a notebook's puzzle. An engine may run it anywhere."""
    start = time.monotonic()
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    process = subprocess.Popen(
        [sys.executable, "-m", "tilelab.puzzles.warden", path, str(number), str(seconds)], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(package), start_new_session=True)
    try:
        said, _ = process.communicate(timeout=2 * seconds + 5)
        row = json.loads(said)
    except subprocess.TimeoutExpired:
        row = {"state": "time", "score": 0, "why": f"its kernel was simulated for more than {seconds:g} s"}
    except ValueError:
        code = process.returncode
        why = signal.Signals(-code).name if code and code < 0 else f"status {code}"
        row = {"state": "crashed", "score": 0, "why": f"its processes ended with {why}"}
    finally:
        _ended(process)
    return {"notebook": os.path.basename(path), "puzzle": number, **row, "seconds": round(time.monotonic() - start, 2)}


def work_of(directory):
    """([(path, puzzle)], rows of unreadable notebooks)"""
    work, broken = [], []
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        if not name.endswith(".ipynb") or os.path.isdir(path):
            continue
        try:
            found = graded.puzzles_of(path)
            problem = "no cell starts with %%puzzle N"
        except OSError as error:
            found, problem = [], error.strerror
        except (ValueError, RecursionError) as error:
            found, problem = [], str(error).split("\n")[0]
        work += [(path, number) for number in found]
        if not found:
            broken.append({"notebook": name, "puzzle": 0, "state": "unread", "score": 0, "why": problem, "seconds": 0.0})
    return work, broken


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
        running = [pool.submit(grade_one, path, number, seconds) for path, number in work]
        try:
            for done in concurrent.futures.as_completed(running):
                yield done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _dask(work, seconds, jobs):
    import dask

    if os.environ.get("DASK_SCHEDULER_ADDRESS"):
        from dask.distributed import Client, as_completed

        with Client(os.environ["DASK_SCHEDULER_ADDRESS"]) as client:
            yield from (done.result() for done in as_completed(
                [client.submit(grade_one, path, number, seconds, pure=False) for path, number in work]))
        return
    tasks = [dask.delayed(grade_one)(path, number, seconds) for path, number in work]
    yield from dask.compute(*tasks, scheduler="threads", num_workers=jobs)


def _ray(work, seconds, jobs):
    import ray

    ray.init(num_cpus=None if os.environ.get("RAY_ADDRESS") else jobs, ignore_reinit_error=True, log_to_driver=False)
    remote = ray.remote(grade_one)
    waiting = [remote.remote(path, number, seconds) for path, number in work]
    while waiting:
        done, waiting = ray.wait(waiting)
        yield ray.get(done[0])


def grade(directory, seconds=60, jobs=0, engine="auto", progress=lambda *_: None):
    """The rows of all notebooks of a directory, by name and puzzle. `progress(done, all)` is called after each."""
    work, rows = work_of(directory)
    run = {"dask": _dask, "ray": _ray, "processes": _processes}[engine_named(engine)]
    jobs = jobs or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else jobs or os.cpu_count() or 1
    every = len(work) + len(rows)
    for row in run(work, seconds, jobs) if work else ():
        rows.append(row)
        progress(len(rows), every)
    return sorted(rows, key=lambda row: (row["notebook"], row["puzzle"]))


def _plain(value):
    """A spreadsheet cell: text that begins like a formula is quoted."""
    text = _CONTROL.sub("?", str(value))
    return "'" + text if text.startswith(("=", "+", "-", "@")) else text


def as_csv(rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_plain(row[c]) for c in COLUMNS] for row in rows)
    return out.getvalue()


def as_text(rows):
    from .. import _core

    cells = [[_CONTROL.sub("?", row["notebook"]), str(row["puzzle"] or ""), row["state"], str(row["score"]), f"{row['seconds']:.1f}",
              _CONTROL.sub("?", row["why"][:100])] for row in rows]
    table = _core.views.table(["notebook", ">puzzle", "state", ">score", ">seconds", "why"], cells)["text"]
    good = sum(row["state"] in ("solved", "within the budget") for row in rows)
    return table + f"{good} of {len(rows)} solved"


def _progress(done, every):
    if sys.stderr.isatty():
        end = "\r" if done < every else "\r" + " " * 40 + "\r"
        print(f"graded {done} of {every}", end=end, file=sys.stderr, flush=True)


def main(given):
    """`tilelab puzzle --grade DIRECTORY`."""
    if not (rows := grade(given.grade, given.seconds, given.jobs, given.engine, _progress)):
        raise ValueError(f"{given.grade} has no notebooks")
    if given.csv and given.csv != "-":
        with open(given.csv, "w", encoding="utf-8") as file:
            file.write(as_csv(rows))
    if given.csv == "-":
        print(as_csv(rows), end="")
    elif given.json:
        print(json.dumps(rows))
    else:
        print(as_text(rows))
    return 0
