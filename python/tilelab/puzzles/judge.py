# SPDX-License-Identifier: Apache-2.0
"""Runs a puzzle's kernel in every size, smallest first, with poisoned outputs and every detector on."""

import dataclasses
import json
import warnings
import zlib

import numpy as np

from .. import _core
from .._kernel.arguments import describe, raise_if_failed
from .._kernel.progress import Progress
from .._kernel.registry import known
from .._tools import check
from .._tools.memory import written_memory
from . import mismatch, picture

_LIMIT = 60  # seconds per size at thread and flat level


@dataclasses.dataclass
class Failure:
    """Why a kernel fails: the size, a summary line, details."""

    kind: str         # unsolved, wrong, found, refused, changed, short
    sizes: dict
    line: str
    more: str = ""    # plain
    shown: str = ""   # with terminal colours
    picture: str = ""  # SVG
    data: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Moved:
    """A row of a score."""

    name: str
    times: float  # None: not counted
    allowed: float

    @property
    def within(self):
        return self.times is None or self.times <= self.allowed * 1.001


@dataclasses.dataclass
class Result:
    """The result for one kernel: `failure`, or None and the score."""

    kernel: str
    right: int = 0       # sizes that were right
    failure: Failure = None
    moved: list = dataclasses.field(default_factory=list)
    operations: Moved = None
    points: int = 0      # of 100: the budget's bytes as a percentage of the transferred ones

    @property
    def within(self):
        return self.failure is None and all(row.within for row in [*self.moved, self.operations])


def sizes_text(sizes):
    return ", ".join(f"{key}={value!r}" if isinstance(value, str) else f"{key}={value}" for key, value in sizes.items())


def inputs_of(part, sizes, salt):
    """The same inputs for every kernel and try with that salt."""
    return part.make(np.random.default_rng([salt, zlib.crc32(json.dumps(sizes).encode())]), **sizes)


class Run:
    """A kernel in one size: its inputs and outputs."""

    def __init__(self, part, kernel, sizes, salt):
        self.part, self.kernel, self.sizes = part, kernel, sizes
        self.values = inputs_of(part, sizes, salt)
        self.described, arrays, _ = describe(kernel, [value.copy() for value in self.values])
        self.arrays = arrays
        self.names = [param["name"] for param in kernel._raw_params]

    @property
    def output(self):
        return self.arrays[self.kernel._outputs[0]]

    @property
    def output_name(self):
        return self.names[self.kernel._outputs[0]]

    def inputs(self):
        given = [n for i, n in enumerate(self.names) if i not in self.kernel._outputs]
        return dict(zip(given, self.values))

    def poison(self):
        self.output.view(np.uint8).fill(mismatch.POISON)

    def simulate(self, **more):
        """Runs at tile level with watchers: the result of Func.run."""
        self.poison()
        with Progress(f"{self.kernel.name}({sizes_text(self.sizes)})") as step:
            made = self.kernel._func.run(self.described, progress=step, notes=True, uninitialized=True, races=True, not_finite=True, **more)
        raise_if_failed(self.kernel.name, made)
        return made

    def expected(self):
        """(the output in float64, the tolerance of its sums)"""
        wide = [v.astype(np.float64) if v.dtype.kind == "f" else v for v in self.values]
        return np.asarray(self.part.spec(*wide)), self.part.slack(*wide) if self.part.slack else 0.0


def _found(run, level, result):
    """A failure from findings; uninitialized memory comes first, since other findings follow from it."""
    result["findings"].sort(key=lambda f: f["kind"] != "uninitialized")
    shown = _core.views.findings([(level, result)])
    lines = shown["text"].strip().split("\n")
    first = result["findings"][0]
    sides = [f"{s['actor']} {s['verb']} it" for s in first["where"] if s["actor"]] if first["kind"] == "race" else []
    line = lines[0] + (": " + ", ".join(dict.fromkeys(sides)) if sides else "")
    return Failure("found", run.sizes, line, "\n".join(lines[1:]), shown["ansi"].strip(), shown["html"],
                   {"findings": [f["kind"] for f in result["findings"]]})


def _writer(run, where):
    """The block and thread that wrote an element: from a repeated run, and one at thread level."""
    asked = run.output_name, int(np.ravel_multi_index(tuple(where), run.output.shape))
    if not (made := run.simulate(writer_of=asked)["writers"]):
        return None
    below = []
    if run.sizes is not run.part.full:
        threads = run.kernel._at_level("thread")
        below = check.run_watched(run.kernel, threads, run.described, written_memory(threads, run.described), races=True,
                                  writer_of=asked)["writers"]
    thread = next((one["thread"] for one in below if one["block"] == made[0]["block"]), "")
    return {**made[0], "thread": thread}


def _wrong(run, got, expected, bad):
    name = run.output_name
    first = np.argwhere(bad)[0]
    value, wanted = got[tuple(first)], np.asarray(expected)[tuple(first)]
    by = _writer(run, first)
    data = {"element": [int(i) for i in first], "got": float(value), "expected": float(wanted),
            "wrong": int(bad.sum()), "elements": int(bad.size), "block": by and list(by["block"]), "thread": by and by["thread"],
            "line": by["span"]["line"] if by else None}
    place = mismatch.element(name, first)
    if by is None:
        alone = int((bad & mismatch.untouched(got)).sum())
        return Failure("wrong", run.sizes, f"{place} is never written; expected {mismatch.number(wanted)}",
                       f"no block writes {mismatch.region(name, bad & mismatch.untouched(got))}"
                       + (f"; {int(bad.sum()) - alone} more elements are wrong" if bad.sum() > alone else ""), data=data)
    block = ", ".join(map(str, by["block"][:2] if by["block"][2] == 0 else by["block"]))
    lines = [f"wrong: {mismatch.region(name, bad)}",
             f"{by['thread']}{' of ' if by['thread'] else ''}block ({block}) wrote it, in line {by['span']['line']}: "
             f"{by['line_text'].strip()}"]
    like = mismatch.likeness(name, got, expected, bad, run.inputs())
    return Failure("wrong", run.sizes, f"{place} is {mismatch.number(value)}, expected {mismatch.number(wanted)}"
                   + (f": {like}" if like else ""), "\n".join(lines), data=data)


def _judged(run, got):
    if got.dtype.name != run.part.dtype:
        return Failure("wrong", run.sizes, f"{run.output_name} is {got.dtype.name}, but the puzzle needs {run.part.dtype}")
    expected, slack = run.expected()
    if got.shape != expected.shape:
        return Failure("wrong", run.sizes, f"{run.output_name} has shape {got.shape}, expected {expected.shape}")
    bad = mismatch.mask(got, expected, slack)
    if not bad.any():
        return None
    failure = _wrong(run, got, expected, bad)
    failure.picture = picture.svg(run.output_name, bad)
    return failure


def _changed(run):
    for (name, before), after in zip(run.inputs().items(), (a for i, a in enumerate(run.arrays) if i not in run.kernel._outputs)):
        if before.tobytes() != after.tobytes():
            return Failure("changed", run.sizes, f"the kernel writes into its input {name}",
                           f"{name} belongs to the caller; write to a tensor that the kernel allocates")
    return None


def _below(run):
    """Checks thread and flat level, where a missing barrier shows."""
    for level, result in check.run_levels(run.kernel, run.described, ("thread", "flat"), _LIMIT):
        if result["findings"]:
            return _found(run, level, result)
    return None


def _has_kernel(kernel):
    return "with kernel(" in kernel._func.text()


def judge_size(part, kernel, sizes, salt, result):
    """A Failure, or None; computes the score for the full size."""
    if not _has_kernel(kernel):
        return Failure("unsolved", sizes, f"{part.kernel} launches no kernel yet: it has no T.Kernel",
                       "its output is never written")
    if not kernel._outputs:
        return Failure("wrong", sizes, f"{part.kernel} returns nothing", "return its output at the end")
    if len(kernel._outputs) > 1:
        return Failure("wrong", sizes, f"{part.kernel} returns {len(kernel._outputs)} tensors, but the puzzle needs one",
                       "keep intermediate values in shared memory, fragments or variables: transfers of other tensors are not counted")
    full = sizes is part.full
    run = Run(part, kernel, sizes, salt)
    made = run.simulate()
    if made["findings"]:
        return _found(run, kernel._func.level, made)
    got = run.output.copy()
    failure = _changed(run) or _judged(run, got)
    if failure is None and not full:
        failure = _below(run)
    if failure is None and full:
        _score(run, made, result)
        lack = part.demands(kernel) if part.demands else ""
        failure = Failure("short", sizes, lack) if lack else None
    return failure


def _score(run, made, result):
    part = run.part
    moved = {row["buffer"]: row["read"] + row["written"] for row in made["traffic"]}
    allowed_bytes = all_bytes = 0
    for name, own, d in zip(part.moved, run.names, run.described):
        allowed = part.number(part.moved[name], run.sizes)
        result.moved.append(Moved(own, moved.get(own, 0) / d[4], allowed))
        allowed_bytes += allowed * d[4]
        all_bytes += moved.get(own, 0)
    result.points = min(100, round(100 * allowed_bytes / all_bytes)) if all_bytes else 0
    result.operations = Moved("operations", known(run.kernel).pipeline().operations, part.number(part.operations, run.sizes))


def judge(part, compiled, salt=0):
    """Judges a kernel; `compiled(sizes)` makes it, and its exceptions are failures. `salt`: selects the inputs."""
    result = Result(part.kernel)
    for sizes in [*part.cases, part.full]:
        if (failure := _tried(part, compiled, sizes, salt, result)) is not None:
            whole = part.cases[1]  # divisible by the block sizes
            if failure.kind == "wrong" and sizes is not whole and sizes is not part.full and not _tried(
                    part, compiled, whole, salt, Result(part.kernel)):
                failure.line += "; sizes that are multiples of the blocks are correct"
            result.failure = failure
            return result
        result.right += 1
    return result


def _tried(part, compiled, sizes, salt, result):
    try:
        with warnings.catch_warnings():
            # An unsolved cell; the verdict reports it.
            warnings.filterwarnings("ignore", message=r"(?s).*\[kernel-missing\]")
            kernel = compiled(sizes)
        return judge_size(part, kernel, sizes, salt, result)
    except Exception as error:
        return _refused(sizes, error)


def _refused(sizes, error):
    """A Failure with the compiler's messages, or with an exception of the user's Python."""
    from .._session.error import format_error

    if getattr(error, "diagnostics", None):
        error.diagnostics.sort(key=lambda d: not d["error"])
        lines = "\n".join(d["text"].rstrip() + "\n" for d in error.diagnostics).strip().split("\n")
        return Failure("refused", sizes, lines[0], "\n".join(lines[1:]), "\n".join(error._render_traceback_()),
                       data={"messages": [d["name"] for d in error.diagnostics]})
    lines = format_error(error, False)
    return Failure("refused", sizes, lines[-1], "\n".join(lines[:-1]))
