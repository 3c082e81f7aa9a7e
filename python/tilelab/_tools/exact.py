# SPDX-License-Identifier: Apache-2.0
"""%check --exact: compares a call with float64, and finds the lines whose rounding alone loses precision."""

import sys

import numpy

from .. import _core
from .._compiler.layouts import row_major
from .._kernel.arguments import raise_if_failed
from .._kernel.progress import Progress
from .._kernel.registry import known
from .._kernel.shown import Shown
from .memory import dense, written_memory
from .page import Page, joined

SAME = 1e-6  # relative to the largest value: float64 equals the reference, up to float32 constants

LEGEND = ("alone: the error of the output if only that line rounds and the rest is float64, relative to the largest "
          "output value; a step is from 1 to the next number of the dtype of the output")


def _is_float(dtype):
    return dtype.startswith(("float", "bfloat"))


def call_reference(function, given):
    """Calls the reference with NumPy arrays or, if it is written for torch and rejects them, with tensors."""
    try:
        return function(*given)
    except (TypeError, AttributeError):
        if (torch := sys.modules.get("torch")) is None:
            raise
        tensors = [torch.tensor(one) if isinstance(one, numpy.ndarray) else one for one in given]
        try:
            return function(*tensors)
        except (TypeError, AttributeError):
            pass
        raise


def values_of(param, described):
    """A tensor's values: floats as float64, others unchanged."""
    if _is_float(param["dtype"]):
        return numpy.frombuffer(_core.as_float64(described), "float64").reshape(described[2])
    return numpy.frombuffer(dense(described), param["dtype"]).reshape(described[2])


def results_of(kernel, described, positions):
    """The kernel's results by position; the arguments keep their values."""
    memory = written_memory(kernel._func, described, fresh=True)
    try:
        result = kernel._func.run(described)
        raise_if_failed(kernel.name, result)
        return {i: values_of(kernel._raw_params[i], described[i]) for i in positions}
    finally:
        memory.restore()


class Float64Call:
    """The call in float64; chosen lines still round."""

    def __init__(self, kernel, described):
        self.kernel, self.described = kernel, described
        self.params, self.values = kernel._raw_params, []
        for param, one in zip(self.params, described):
            if param["shape"] is None:
                self.values.append(one[1])
            elif _is_float(param["dtype"]):
                self.values.append(numpy.zeros(one[2]) if one[5] else values_of(param, one))
            else:
                self.values.append(numpy.frombuffer(dense(one), "uint8"))
        self.outputs = [i for i, p in enumerate(self.params) if p["shape"] is not None and p["written"] and _is_float(p["dtype"])]

    def form(self, lines):
        """(function, rounding lines, lines with fast-math functions)"""
        func, rounds, fast, problem, where = self.kernel._func.in_float64(lines)
        if func is None:
            raise ValueError(f"{self.kernel.name} cannot be converted to float64: in line {where['line']} {problem}")
        return func, rounds, fast

    def run(self, lines):
        """Float64 outputs by position; `lines`: those that round."""
        func, arrays, described = self.form(lines)[0], [], []
        for param, value, one in zip(self.params, self.values, self.described):
            if param["shape"] is None:
                described.append(("float64" if _is_float(param["dtype"]) else one[0], value))
                continue
            own = value.copy()
            arrays.append(own)
            dtype = "float64" if _is_float(param["dtype"]) else one[0]
            described.append((dtype, own.ctypes.data, one[2], row_major(one[2]), own.nbytes, False, True))
        result = func.run(described)
        raise_if_failed(self.kernel.name, result)
        if result["status"] != "finished":
            raise ValueError(f"{self.kernel.name} does not run to its end in float64")
        tensors = [i for i, p in enumerate(self.params) if p["shape"] is not None]
        return {i: arrays[tensors.index(i)] for i in self.outputs}

    def real(self):
        return results_of(self.kernel, self.described, self.outputs)


class Loss:
    """The distance from float64: .error relative to the largest value, .special: elements that are not finite only in the result."""

    def __init__(self, made, exact):
        numbers = numpy.isfinite(exact)
        self.largest = float(abs(exact[numbers]).max()) if numbers.any() else 0.0
        self.special = int((numbers & ~numpy.isfinite(made)).sum())
        both = numbers & numpy.isfinite(made)
        difference = float(abs(made[both] - exact[both]).max()) if both.any() else 0.0
        self.error = float("inf") if self.special else difference / self.largest if self.largest else difference


class Exact(Shown):
    """The result: .error and .steps of the output that loses most, .output, .right, .lines (line, code, alone), .origin (the line that loses
    most), .without (the error with that line in float64), .algorithm (against a reference, or None)."""

    def __init__(self, kernel, described, against=None):
        if kernel._func.level != "tile" or kernel._func.after:
            raise ValueError(f"{known(kernel).full_name} is edited IR: float64 needs the original kernel")
        self.kernel = known(kernel).full_name
        beside = Float64Call(kernel, described)
        _, rounds, self.fast = beside.form([])
        if not beside.outputs:
            raise ValueError(f"{self.kernel} writes no floating value: there is nothing to round")
        with Progress(f"{kernel.name} in float64") as step:
            exact, real = beside.run([]), beside.real()
            self._judge(beside, exact, real)
            self.lines, self.origin, self.without = [], None, None
            if not self.right:
                self._search(beside, rounds, exact, step)
        self.algorithm = None if against is None else self._algorithm(beside, exact, against)
        super().__init__(_view(self))

    def _judge(self, beside, exact, real):
        """Picks the output with the largest error relative to what its dtype allows."""
        rounding = any(p["dtype"] != "float64" for p in beside.params if p["shape"] is not None and _is_float(p["dtype"]))
        losses = []
        for i in beside.outputs:
            dtype, loss = beside.params[i]["dtype"], Loss(real[i], exact[i])
            step = _core.epsilon(dtype)
            allowed = step + 32 * _core.epsilon("float32" if rounding else "float64")  # one rounding, plus sums in float32
            losses.append((loss.error / allowed, i, loss, step))
        ratio, self.position, self.loss, step = max(losses, key=lambda one: one[0])
        param = beside.params[self.position]
        self.output, self.dtype = param["name"], param["dtype"]
        self.error, self.steps, self.right = self.loss.error, self.loss.error / step, ratio <= 1

    def _search(self, beside, rounds, exact, step):
        lines = [r["line"] for r in rounds]
        for row in rounds:
            alone = Loss(beside.run([row["line"]])[self.position], exact[self.position])
            self.lines.append({"line": row["line"], "code": row["text"].strip(), "alone": alone.error})
            step(0, 0)
        self.lines.sort(key=lambda row: -row["alone"])
        if not self.lines or not self.lines[0]["alone"]:
            return
        self.origin = self.lines[0]["line"]
        rest = [line for line in lines if line != self.origin]
        self.without = Loss(beside.run(rest)[self.position], exact[self.position]).error
        self.followed = Loss(beside.run(lines)[self.position], exact[self.position]).error

    def _algorithm(self, beside, exact, against):
        """The largest distance of float64 from the reference, over all outputs."""
        given = [v if p["shape"] is None or _is_float(p["dtype"]) else numpy.frombuffer(v, p["dtype"]).reshape(d[2])
                 for i, (p, v, d) in enumerate(zip(beside.params, beside.values, beside.described))
                 if i not in beside.kernel._outputs]
        made = call_reference(against, given)
        made = list(made) if isinstance(made, (tuple, list)) else [made]
        if len(made) != len(beside.outputs):
            raise ValueError(f"the reference returns {len(made)} results, but the kernel writes {len(beside.outputs)}")
        worst = 0.0
        for i, one in zip(beside.outputs, made):
            one = numpy.asarray(one, "float64")
            if one.shape != exact[i].shape:
                raise ValueError(f"the reference has the shape {list(one.shape)}, but {beside.params[i]['name']} has "
                                 f"{list(exact[i].shape)}")
            worst = max(worst, Loss(exact[i], one).error)
        return worst

    def data(self):
        finite = lambda x: x if x is None or x == x and abs(x) != float("inf") else "inf"  # noqa: E731
        return {"kernel": self.kernel, "output": self.output, "dtype": self.dtype, "right": self.right,
                "error": finite(self.error), "steps": finite(self.steps), "not_numbers": self.loss.special,
                "lines": [{**row, "alone": finite(row["alone"])} for row in self.lines], "origin": self.origin,
                "without": finite(self.without), "algorithm": finite(self.algorithm), "fast": [f["line"] for f in self.fast]}


def _parts(error):
    return "NaN or infinity" if error == float("inf") else f"{error:.2g}"


def _headline(e):
    if e.error == 0:
        return f"{e.kernel}: {e.output} equals the float64 result"
    if e.right:
        return (f"{e.kernel}: correct for its dtypes: {e.output} differs from float64 by at most {e.error:.2g} of its largest value "
                f"({e.steps:.2g} steps of {e.dtype})")
    if e.loss.special:
        return (f"{e.kernel}: {e.loss.special} element{'s' * (e.loss.special != 1)} of {e.output} "
                f"{'are' if e.loss.special != 1 else 'is'} not finite, but finite in float64")
    return (f"{e.kernel}: the rounding error is {e.error:.2g} of the largest value of {e.output} ({e.steps:.2g} steps of {e.dtype})")


def _notes(e):
    notes = []
    if e.origin is not None:
        code = e.lines[0]["code"]
        notes.append(f"most of it arises in line {e.origin}  {code}")
        notes.append(f"with that line in float64 the error would be {_parts(e.without)}")
        if e.followed < e.error / 2:
            notes.append(f"rounding in these lines together causes {_parts(e.followed)}; the remainder comes from operations that are not followed, "
                         "such as the order of atomic sums")
    if e.algorithm is not None:
        notes.append(f"the algorithm is correct: float64 equals the reference to {e.algorithm:.2g} of its largest value"
                     if e.algorithm <= SAME else
                     f"float64 differs from the reference by {_parts(e.algorithm)} of its largest value: this is an error of the algorithm "
                     "or its constants, which a wider dtype does not fix")
    for one in e.fast:
        notes.append(f"line {one['line']} uses fast functions: here they are exact to 2 steps, on a GPU they are less exact")
    return notes


def _view(e):
    rows = [[">" if row["line"] == e.origin else "", str(row["line"]), _parts(row["alone"]), row["code"][:44]]
            for row in e.lines if row["alone"]]
    page = Page(_headline(e))
    page.table(["", ">line", ">alone", "statement"], rows)
    page.notes(_notes(e) + [LEGEND] * bool(rows))
    return page.made(e.data())


class CheckedExactly(Shown):
    """A %check report with the comparison to float64: .report, .exact."""

    def __init__(self, report, exact):
        self.report, self.exact = report, exact
        super().__init__(joined(report, exact, "exact"))
