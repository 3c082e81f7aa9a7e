# SPDX-License-Identifier: Apache-2.0
"""%roof: bytes, operations, conflicts and inactive lanes per line, and the roofline bound of the kernel on its target's card."""

from .. import _core
from .._kernel.progress import time_text
from .._kernel.registry import known
from .._kernel.shown import Shown
from .counters import Counters
from .page import Page

BLOCKS = 16

LEGEND = ("needed: bytes that lanes request; moved: whole sectors of 32 bytes, without caches; degree: wavefronts of shared "
          "memory for each that is needed; idle: inactive lanes; > marks the line that takes longest by these counts")
_PREFIXES = {"T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3}
_NARROWER = {"float16": ("float8_e4m3fn",), "bfloat16": ("float8_e4m3fn",)}  # narrower dtypes, whose peak is an upper bound


def _scaled(count, prefixes, unit):
    prefix = next((p for p in prefixes if count >= _PREFIXES[p]), "")
    return f"{count / _PREFIXES[prefix]:.3g} {prefix}{unit}" if prefix else f"{count:.0f} {unit}".rstrip()


def bytes_text(count):
    return _scaled(count, "GMk", "B")


def count_text(count):
    return _scaled(count, "TGMk", "")


class Limit:
    """A resource limit: .name, .amount, .peak (None: not published), .seconds, .at_least (peak of a narrower dtype, an upper bound)."""

    def __init__(self, name, amount, unit, peak, at_least=False):
        self.name, self.amount, self.unit, self.peak, self.at_least = name, amount, unit, peak, at_least
        self.seconds = None if peak is None else amount / peak

    def cells(self):
        amount = bytes_text(self.amount) if self.unit == "B" else count_text(self.amount)
        if self.peak is None:
            return [self.name, amount, "not published", ""]
        peak = f"{self.peak / 1e9:.0f} GB/s" if self.unit == "B" else f"{self.peak / 1e12:.4g} T/s"
        return [self.name, amount, ("at most " if self.at_least else "") + peak, time_text(self.seconds)]


class Peaks:
    """Peak rates of a target's card."""

    def __init__(self, target):
        self.figures = _core.peaks(target)
        self.card = self.figures.get("card", "")

    def operations(self, unit, dtype):
        """(operations per second or None, whether that is only an upper bound)"""
        if unit == "special":
            return self.figures.get("special"), False
        table = self.figures[unit]
        if dtype in table:
            return table[dtype], False
        for narrower in _NARROWER.get(dtype, ()):
            if narrower in table:
                return table[narrower], True
        return None, False


class Line:
    """Counts of a line: .read, .written, .moved; .shared, .wavefronts, .ideal; .operations by (unit, dtype); .lanes, .idle."""

    def __init__(self, number, code):
        self.number, self.code = number, code
        self.read = self.written = self.moved = self.shared = 0
        self.wavefronts = self.ideal = self.worst = self.lanes = self.idle = 0
        self.operations = {}

    def add_site(self, site):
        self.lanes, self.idle = self.lanes + site["lanes"], self.idle + site["idle"]
        if site["shared"]:
            self.shared += site["asked"]
            self.wavefronts, self.ideal = self.wavefronts + site["wavefronts"], self.ideal + site["ideal"]
            self.worst = max(self.worst, site["worst"])
            return
        self.moved += site["moved"]
        if site["write"]:
            self.written += site["asked"]
        else:
            self.read += site["asked"]

    def add_work(self, work):
        key = (work["unit"], work["dtype"])
        self.operations[key] = self.operations.get(key, 0) + work["operations"]
        self.lanes, self.idle = self.lanes + work["lanes"], self.idle + work["idle"]

    @property
    def total(self):
        return sum(self.operations.values())

    @property
    def masked(self):
        return self.idle / (self.lanes + self.idle) if self.lanes + self.idle else 0.0

    @property
    def degree(self):
        return self.wavefronts / self.ideal if self.ideal else 1.0

    def data(self):
        return {"line": self.number, "code": self.code, "read": self.read, "written": self.written, "moved": self.moved,
                "shared": self.shared, "degree": self.degree, "masked": self.masked,
                "operations": [{"unit": u, "dtype": d, "count": n} for (u, d), n in self.operations.items()]}


class Roof(Shown):
    """The result: .lines, .totals, .limits, .bound (the Limit that takes longest), .intensity, .hottest (a line)."""

    def __init__(self, kernel, values=None, line=0, extents=None, all=False):
        counted = Counters(kernel, values, extents or {}, 0 if all else BLOCKS)
        self.kernel, self.counted, self.peaks = known(kernel).full_name, counted, Peaks(kernel.target)
        self.lines = self._lines(counted)
        self.totals = Line(0, "")
        for each in self.lines:
            self._add(each)
        touched = {(s["launch"], s["buffer"]) for s in counted.sites if not s["shared"]}
        tensors = {name: size for name, launch, size in counted.tensors if (launch, name) in touched}
        self.once = min(sum(tensors.values()), self.totals.moved)
        self.banks = counted.banks[0] * counted.banks[1]
        self.limits = self._limits()
        timed = [limit for limit in self.limits if limit.seconds is not None]
        self.bound = max(timed, key=lambda limit: limit.seconds, default=None)
        self.intensity = self.totals.total / self.once if self.once else None
        costs = {each.number: self.cost(each) for each in self.lines}
        self.hottest = max(costs, key=costs.get, default=0)
        if line and line not in costs:
            raise ValueError(f"line {line} of {self.kernel} neither transfers nor computes anything" +
                             (f"; lines {', '.join(map(str, sorted(costs)))} do" if costs else ": nothing does"))
        self.shown = [each for each in self.lines if not line or each.number == line]
        super().__init__(_view(self))

    @staticmethod
    def _lines(counted):
        lines = {}
        for row in (*counted.sites, *counted.work):
            span = row["span"]
            line = lines.setdefault(span["line"], Line(span["line"], span["text"].strip()))
            line.add_site(row) if "buffer" in row else line.add_work(row)
        return sorted(lines.values(), key=lambda line: line.number)

    def _add(self, line):
        t = self.totals
        for name in ("read", "written", "moved", "shared", "wavefronts", "ideal", "lanes", "idle"):
            setattr(t, name, getattr(t, name) + getattr(line, name))
        t.worst = max(t.worst, line.worst)
        for key, count in line.operations.items():
            t.operations[key] = t.operations.get(key, 0) + count

    def _limits(self):
        """The limits of all resources that the kernel uses."""
        out = [Limit("memory, compulsory", self.once, "B", self.peaks.figures.get("memory"))]
        if served := self._served(self.totals):
            out.append(Limit("shared memory", served, "B", self.peaks.figures.get("shared")))
        for (unit, dtype), count in self.totals.operations.items():
            name = {"matrix": f"matrix units, {dtype}", "arithmetic": f"arithmetic, {dtype}",
                    "special": f"special functions, {dtype}"}[unit]
            out.append(Limit(name, count, "", *self.peaks.operations(unit, dtype)))
        return out

    def _served(self, line):
        """Shared-memory time in bytes: a wavefront occupies a whole line of banks; hardware units occupy what they transfer."""
        by_threads = sum(s["asked"] for s in self.counted.sites if s["shared"] and s["bytes"] and line.number in (0, s["span"]["line"]))
        return line.wavefronts * self.banks + line.shared - by_threads

    def cost(self, line):
        """Seconds of the line's slowest resource. Compulsory traffic is distributed by transferred bytes; missing peaks are estimated."""
        figures = self.peaks.figures
        memory = figures.get("memory", 1e12)
        costs = [line.moved / max(1, self.totals.moved) * self.once / memory, self._served(line) / figures.get("shared", 8 * memory)]
        for (unit, dtype), count in line.operations.items():
            costs.append(count / (self.peaks.operations(unit, dtype)[0] or (300 if unit == "matrix" else 15) * memory))
        return max(costs)


def verdict(roof):
    known_all = all(limit.seconds is not None for limit in roof.limits)
    if not roof.limits or roof.bound is None:
        return "no peak figures are published for this target"
    bound = roof.bound
    if bound.amount == 0:
        return "it neither transfers nor computes anything"
    text = f"bound by {bound.name}: at least {time_text(bound.seconds)} on {roof.peaks.card}"
    return text if known_all else text + ", as far as its figures are published"


def _operations_text(line):
    parts = [f"{count_text(count)}{' special' if unit == 'special' else ' by matrix units' if unit == 'matrix' else ''}"
             for (unit, _), count in line.operations.items()]
    return ", ".join(parts)


def _cells(line, mark=""):
    degree = f"{line.degree:.3g}" if line.wavefronts else ""
    return [mark, str(line.number) if line.number else "all", bytes_text(line.read + line.written) if line.read + line.written else "",
            bytes_text(line.moved) if line.moved else "", bytes_text(line.shared) if line.shared else "", degree,
            f"{100 * line.masked:.0f} %" if line.lanes + line.idle else "", _operations_text(line)]


def _add_lines(page, roof):
    heads = ["", ">line", ">needed", ">moved", ">shared", ">degree", ">idle", "operations"]
    rows = [_cells(line, ">" if line.number == roof.hottest else "") for line in roof.shown]
    if len(roof.shown) == len(roof.lines):
        rows.append(_cells(roof.totals))
    page.table(heads, rows)


def _notes(roof):
    t, notes = roof.totals, []
    if roof.intensity is not None and t.total:
        again = f"; {t.moved / roof.once:.3g} times as much is transferred" if roof.once and t.moved > roof.once else ""
        notes.append(f"{roof.intensity:.3g} operations per byte of compulsory traffic ({bytes_text(roof.once)}){again}")
    if t.read + t.written and t.moved > 1.5 * (t.read + t.written):
        notes.append(f"lanes request {100 * (t.read + t.written) / t.moved:.0f} % of the transferred bytes: neighbouring "
                     "threads should access neighbouring elements")
    if source := roof.peaks.figures.get("source"):
        notes.append(f"peaks: {roof.peaks.card}, {source}")
    notes.append(roof.counted.ran_text() + ("" if not roof.counted.scaled else "; --all runs all"))
    return notes + [LEGEND]


def _hot_text(roof):
    hot = next((line for line in roof.lines if line.number == roof.hottest), None)
    return f"hottest: line {hot.number}  {hot.code}" if hot else "nothing is transferred or computed"


def _view(roof):
    page = Page(f"{roof.kernel}: {verdict(roof)}")
    _add_lines(page, roof)
    page.add(_hot_text(roof), "<div><code>{}</code></div>")
    page.plain("\n")
    page.table(["what", ">amount", ">peak", ">at least"], [limit.cells() for limit in roof.limits])
    page.notes(_notes(roof))
    return page.made({
        "kernel": roof.kernel, "card": roof.peaks.card, "blocks": roof.counted.blocks, "scaled": roof.counted.scaled,
        "lines": [line.data() for line in roof.lines], "totals": roof.totals.data(), "once": roof.once,
        "intensity": roof.intensity, "hottest": roof.hottest, "bound": roof.bound and roof.bound.name,
        "limits": [{"name": l.name, "amount": l.amount, "peak": l.peak, "seconds": l.seconds} for l in roof.limits]})
