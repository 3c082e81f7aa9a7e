# SPDX-License-Identifier: Apache-2.0
"""%check --against: compares a call with a reference. Watchers check how a kernel works, not what it computes."""

import inspect
import json

import numpy

from .._kernel.registry import known
from .._kernel.shown import Shown
from .exact import _is_float, call_reference, results_of, values_of
from .page import Page, joined

NOT_COMPARED = "values are not checked: --against FUNCTION compares them"
TOLERANCE = {"float64": 1e-6, "float32": 1e-3}  # relative to the value and to the largest one: reordered sums, TF32
NARROW = 1e-2  # if any tensor of the kernel has a narrower dtype


def arguments_for(function, given, written):
    """The reference's arguments: all of a call, or those that the kernel does not write."""
    inputs = [one for i, one in enumerate(given) if i not in written]
    if (count := getattr(function, "nin", None)) is None:
        try:
            inspect.signature(function).bind(*given)
        except TypeError:
            count = len(inputs)
        except ValueError:  # no signature available
            return given
    return inputs if count == len(inputs) else given


def tolerances(params):
    """Tolerance by dtype, relative to the value and to the largest one; the kernel's narrowest dtype decides for all."""
    narrow = any(_is_float(p["dtype"]) and p["dtype"] not in TOLERANCE for p in params if p["shape"] is not None)
    return lambda dtype: NARROW if narrow else TOLERANCE.get(dtype, 0.0)


def differing(made, wanted, tolerance):
    """Which elements of two float64 arrays of one shape differ by more than the tolerance."""
    scale = float(abs(wanted[numpy.isfinite(wanted)]).max(initial=0.0))
    return ~numpy.isclose(made, wanted, rtol=tolerance, atol=tolerance * scale, equal_nan=True)


class Compared(Shown):
    """The result: .right, .wrong (elements by output), .first (output, index, value, wanted) or None, .error relative to the maximum."""

    def __init__(self, kernel, described, against):
        self.kernel = known(kernel).full_name
        params = kernel._raw_params
        tensors = [i for i, p in enumerate(params) if p["shape"] is not None]
        written = [i for i in tensors if params[i]["written"]]
        given = {i: values_of(params[i], described[i]) if i in tensors else described[i][1]
                 for i in range(len(params)) if i not in kernel._outputs}
        positions = list(given)
        made = results_of(kernel, described, written)
        wanted = call_reference(against, arguments_for(against, list(given.values()), [positions.index(i) for i in written if i in given]))
        wanted = list(wanted) if isinstance(wanted, (tuple, list)) else [wanted]
        if len(wanted) != len(written):
            raise ValueError(f"the reference returns {len(wanted)} results, but the kernel writes {len(written)}")
        tolerance = tolerances(params)
        self.wrong, self.first, self.error, self.names = {}, None, 0.0, []
        for i, one in zip(written, wanted):
            self._compare(params[i], made[i], numpy.asarray(one), tolerance(params[i]["dtype"]))
        self.right = not self.first
        super().__init__(_view(self))

    def _compare(self, param, made, wanted, tolerance):
        name = param["name"]
        if wanted.shape != made.shape:
            raise ValueError(f"the reference has the shape {list(wanted.shape)}, but {name} has {list(made.shape)}")
        self.names.append(name)
        made, wanted = made.astype("float64"), wanted.astype("float64")
        finite = numpy.isfinite(wanted) & numpy.isfinite(made)
        scale = float(abs(wanted[numpy.isfinite(wanted)]).max(initial=0.0))
        off = differing(made, wanted, tolerance)
        self.error = max(self.error, float(abs(made - wanted)[finite].max(initial=0.0)) / (scale or 1.0))
        self.wrong[name] = (int(off.sum()), off.size)
        if off.any() and not self.first:
            at = tuple(int(x) for x in numpy.argwhere(off)[0])
            self.first = (name, at, float(made[at]), float(wanted[at]))

    def data(self):
        first = dict(zip(("output", "index", "value", "wanted"), map(_plain, self.first))) if self.first else None
        return {"kernel": self.kernel, "right": self.right, "error": self.error, "first": first,
                "wrong": {name: count for name, (count, _) in self.wrong.items()}}


def _plain(value):
    return repr(value) if isinstance(value, float) and value - value != 0 else value


def _view(c):
    outputs = " and ".join(c.names)
    page = Page()
    if c.right:
        page.add(f"{c.kernel}: {outputs} equals the reference" + (f", to {c.error:.2g} of its largest value" if c.error else ""),
                 indent="")
        return page.made(c.data())
    name, at, value, wanted = c.first
    element = f"{name}[{', '.join(map(str, at))}]"
    page.add(f"{c.kernel}: differs from the reference", indent="")
    page.notes(f"{count} of {size} elements of {n} differ" for n, (count, size) in c.wrong.items() if count)
    page.notes([f"the first is {element}: {value:.6g}, expected {wanted:.6g}",
                f"%why KERNEL.{element}(...) shows how it was computed, %shrink --against finds the smallest wrong call"])
    return page.made(c.data())


class CheckedAgainst(Shown):
    """A %check report with the comparison to a reference: .report, .compared."""

    def __init__(self, report, compared):
        self.report, self.compared = report, compared
        super().__init__(joined(report, compared, "against"))


class NotCompared(Shown):
    """A clean report, with a hint how to compare values."""

    def __init__(self, report):
        page = Page().join(report._made)
        page.add(NOT_COMPARED)
        super().__init__({**report._made, **vars(page)})


def judged(report, kernel, described, against):
    """The report with a comparison; or, if it is clean, with a hint how to get one."""
    verdict = json.loads(report.json)["verdict"]
    if against is None:
        return NotCompared(report) if verdict == "clean" else report
    return report if verdict == "findings" else CheckedAgainst(report, Compared(kernel, described, against))
