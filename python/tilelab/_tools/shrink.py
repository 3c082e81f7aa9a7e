# SPDX-License-Identifier: Apache-2.0
"""%shrink: the smallest sizes and text with which a call still fails the same way: the same finding, NaN origin or wrong result."""

import ast
import contextlib
import io
import itertools
import json
import re
import time

from .. import _core
from .._compiler.errors import raise_if_ended
from .._kernel.arguments import describe
from .._kernel.progress import Progress
from .._kernel.registry import known, registry
from .._kernel.shown import Shown
from .check import origins, found, run_levels
from .memory import written_memory
from .reference import arguments_for, differing, tolerances

_SIZES = (1, 2, 3, 4, 8, 16, 32, 64, 128, 256)
_EXTENTS = re.compile(r"(?:grid=\[|\b(?:serial|pipelined|parallel|unroll)\(|\b(?:shared|fragment|local)\(\w+, \[)[\d, ]+")
_REFUSED = (ValueError, TypeError, RuntimeError, ArithmeticError, LookupError)


class _Step(Progress):
    def text(self, done, all, seconds):
        return f"{self.what}: {done} tries, {all} lines left, {seconds:.0f} s; Ctrl-C keeps the smallest so far"


class Wrong:
    """The finding to preserve: its kind and lines, at the first level that has it."""

    def __init__(self, all_):
        self.kind, self.level = all_[0]["kind"], all_[0]["levels"][0]
        self.kinds = {each["kind"] for each in all_} | {"uninitialized"}  # removing the writer of a value is allowed
        sides = [side for side in all_[0]["where"] if side["span"]["line"]]
        self.lines = {side["line_text"].strip() for side in sides}
        self.what = self.kind + (f" in line {sides[0]['span']['line']}" if sides else "")

    def finds(self, runner, described):
        result = runner.run(described, notes=True, uninitialized=True, races=True, seconds=10.0)
        raise_if_ended(runner.name, result)
        return result["findings"]

    def holds(self, func, values):
        if self.level != func.level:
            made = func.compile()
            levels = [s["func"] for s in made.snapshots() if s["func"].level == self.level] if made.ok else []
            if not levels:
                return False
            runner = levels[-1]
        else:
            runner = func
        described, *memory = describe(func, values)
        before = written_memory(func, described)
        try:
            findings = self.finds(runner, described)
        finally:
            before.restore()
        if not {f["kind"] for f in findings} <= self.kinds:
            return False  # a different failure
        # Require all its lines: a deadlock without its arrivals, for example, is a different one.
        return any(f["kind"] == self.kind and self.lines <= {s["line_text"].strip() for s in f["where"]} for f in findings)


class NotFinite(Wrong):
    """NaN or infinity in an output without any in the inputs: preserves the line of its origin."""

    def finds(self, runner, described):
        result = runner.run(described, not_finite=True, seconds=10.0)
        raise_if_ended(runner.name, result)
        if not result["not_finite"]:
            return []
        one = result["not_finite"][0]
        one["way"] = runner.origin(described, one["buffer"], one["first"], seconds=1.0)
        return origins([(runner.level, result)])


def wrong_of(kernel, values):
    """The failure of a call."""
    described, *memory = describe(kernel, values)
    runs = run_levels(kernel, described)
    if found(runs):
        return Wrong(found(runs))
    if not origins(runs):
        raise ValueError(f"{known(kernel).full_name} is clean with these arguments: nothing to shrink; a wrong "
                         "result needs a reference, --against FUNCTION")
    return NotFinite(origins(runs))


class Mismatch:
    """The result differs from that of a reference on the same inputs."""

    keeps_text = True

    def __init__(self, kernel, values, reference):
        self.reference, self.level, self.kind, self.lines = reference, "tile", "wrong result", set()
        self.what = "a result that differs from the reference"
        if not self.holds(kernel._func, values):
            raise ValueError(f"{known(kernel).full_name} equals the reference: nothing to shrink")

    def holds(self, func, values):
        import numpy

        described, arrays, _ = describe(func, values)
        before, result = written_memory(func, described), func.run(described)
        written = [i for i, p in enumerate(func.params) if p["shape"] is not None and p["written"]]
        outputs = [numpy.array(arrays[i], copy=True) for i in written]
        before.restore()
        raise_if_ended(func.name, result)
        given = [i for i in range(len(func.params)) if i not in func.outputs or len(values) == len(func.params)]
        wanted = self.reference(*arguments_for(self.reference, list(values), [given.index(i) for i in written if i in given]))
        tolerance = tolerances(func.params)
        for i, one, other in zip(written, outputs, wanted if isinstance(wanted, (tuple, list)) else [wanted]):
            other, dtype = numpy.asarray(other), func.params[i]["dtype"]
            if one.shape != other.shape or differing(one.astype("float64"), other.astype("float64"), tolerance(dtype)).any():
                return True
        return False


# ---- text

def block_at(lines, at):
    """The end of a statement with its indented block."""
    indent, end = len(lines[at]) - len(lines[at].lstrip()), at + 1
    while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) > indent:
        end += 1
    return end


def without(lines, at):
    """The text without a statement; an empty block gets `pass`."""
    end = block_at(lines, at)
    out, indent = lines[:at] + lines[end:], len(lines[at]) - len(lines[at].lstrip())
    above = lines[at - 1].partition("  # ")[0]
    alone = end == len(lines) or len(lines[end]) - len(lines[end].lstrip()) < indent
    if above.endswith(":") and alone:
        out.insert(at, " " * indent + "pass")
    return out


_HEAD = re.compile(r"(def \w+\()(.*?)\)(?: -> outputs\(([\d, ]*)\))?(:(?: *#.*)?)$")


def without_parameter(lines, number):
    """The text without a parameter and its checks before the kernel; None if the text has no function header."""
    at, head = next(((i, found) for i, found in enumerate(map(_HEAD.match, lines)) if found), (0, None))
    if head is None:
        return None
    parameters, depth = [""], 0
    for letter in head[2]:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parameters.append("")
        else:
            parameters[-1] += letter
    gone = parameters.pop(number).partition(":")[0].strip()
    outputs = [int(i) - (int(i) > number) for i in (head[3] or "").split(",") if i and int(i) != number]
    end = ")" + (f" -> outputs({', '.join(map(str, outputs))})" if outputs else "") + head[4]
    said = re.compile(rf"\s*check_\w+\({re.escape(gone)}\b")
    return [line for line in [*lines[:at], head[1] + ",".join(parameters).strip() + end, *lines[at + 1:]] if not said.match(line)]


def smaller_numbers(lines):
    """Variants with a smaller extent of the grid, of a loop or of a buffer."""
    for at, line in enumerate(lines):
        code = line.partition("  # ")[0]
        for extents in _EXTENTS.finditer(code):
            for number in re.finditer(r"\b\d+", extents[0]):
                begin, end = extents.start() + number.start(), extents.start() + number.end()
                for size in sorted({1, 2, 3, int(number[0]) // 2, int(number[0]) - 1}):
                    if 0 < size < int(number[0]):
                        yield [*lines[:at], line[:begin] + str(size) + line[end:], *lines[at + 1:]]


def simpler_lines(lines):
    """Variants in which a binary operation is replaced by one operand."""
    for at, line in enumerate(lines):
        code, mark, place = line.partition("  # ")
        try:
            tree = ast.parse(code.strip())
        except SyntaxError:  # a block header
            continue
        index = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)}
        for number, node in enumerate(ast.walk(tree)):
            for side in ("left", "right") if isinstance(node, ast.BinOp) and id(node) not in index else ():
                made = ast.unparse(_Operand(number, side).visit(ast.parse(code.strip())))
                yield [*lines[:at], code[:len(code) - len(code.lstrip())] + made + mark + place, *lines[at + 1:]]


class _Operand(ast.NodeTransformer):
    """Replaces node `number` of ast.walk by an operand."""

    def __init__(self, number, side):
        self.number, self.side, self.node = number, side, None

    def visit(self, node):
        if self.node is None:
            self.node = list(ast.walk(node))[self.number]
        return getattr(node, self.side) if node is self.node else self.generic_visit(node)


class Shrink(Shown):
    """The result: .kernel, .values (its arguments), .constants, .text (IR), .tries; calling it runs it."""

    def __init__(self, kernel, values, against=None):
        self.name = known(kernel).full_name
        self.wrong = Mismatch(kernel, values, against) if against else wrong_of(kernel, values)
        self._make = type(kernel)
        self._func, self.values, self.impl = kernel._func, list(values), known(kernel).impl
        self.constants = dict(known(kernel).constants)
        self.before = dict(self.constants), self._lines(kernel._func)
        self._names = [param["name"] for param in kernel._func.params]
        self.shapes = [list(getattr(v, "shape", ())) for v in values]
        self.tries, self.ended, self.start, self.removed = 0, "", time.monotonic(), []
        with _Step(f"shrinking {kernel.name}") as step:
            self._step = step
            try:
                self._sizes()
                if not getattr(self.wrong, "keeps_text", False):
                    self._text()
                    self._parameters()
            except KeyboardInterrupt:
                self.ended = "interrupted: this is the smallest so far"
        self.text = self._func.text(spans=True)
        self._kernel = None
        super().__init__(self._view())

    @property
    def kernel(self):
        if self._kernel is None:
            self._kernel = self._make(self._func)
        return self._kernel

    def __call__(self):
        return self.kernel(*self.values)

    @staticmethod
    def _lines(func):
        return len(func.text().splitlines())

    def _holds(self, make, values=None):
        """The function of `make` if it still fails; None if it does not, or is rejected."""
        self.tries += 1
        self._step(self.tries, self._lines(self._func))
        count = len(registry)
        try:
            with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                func = make()
                held = func is not None and self.wrong.holds(func, self.values if values is None else values(func))
        except _REFUSED:
            return None
        finally:
            del registry[count:]
        return func if held else None

    # ---- sizes

    def _cut(self, func):
        """The arguments, sliced to the shapes of a function."""
        inputs = [p for i, p in enumerate(func.params) if i not in func.outputs]
        inputs = inputs if len(inputs) == len(self.values) else list(func.params)
        out = []
        for param, value in zip(inputs, self.values):
            if param["shape"] is not None and all(isinstance(n, int) for n in param["shape"]):
                value = value[tuple(slice(0, n) for n in param["shape"])]
                value = value.copy() if hasattr(value, "copy") else value.clone()
            out.append(value)
        return out

    def _sizes(self):
        if self.impl is None:
            return
        again = True
        while again:
            again = False
            for name, value in list(self.constants.items()):
                if isinstance(value, bool) or not isinstance(value, int):
                    continue
                right = 0  # the largest size that does not fail
                for size in sorted({s for s in (*_SIZES, value // 2) if 0 < s < value}):
                    if self._size(name, size):
                        break
                    right = size
                self._between(name, right, self.constants[name])
                again |= self.constants[name] < value

    def _size(self, name, size):
        """Accepts a size if the call still fails with it."""
        constants = {**self.constants, name: size}
        if (func := self._holds(lambda: self.impl.compile(**constants)._func, self._cut)) is not None:
            self.values, self._func, self.constants = self._cut(func), func, constants
        return func is not None

    def _between(self, name, right, wrong):
        """Binary search between the usual sizes."""
        while wrong - right > 1:
            middle = (right + wrong) // 2
            if self._size(name, middle):
                wrong = middle
            else:
                right = middle

    # ---- statements

    def _read(self, lines):
        func, _ = _core.read_ir("shrunk", "\n".join(lines) + "\n")
        return func

    def _text(self):
        again = True
        while again:
            again = False
            lines = self._func.text(spans=True).splitlines()
            body = [i for i, line in enumerate(lines) if line.startswith("    ") and not line.lstrip().startswith(("with kernel", "pass"))]
            for at in sorted(body, key=lambda i: i - block_at(lines, i)):
                smaller = without(lines, at)
                func = self._holds(lambda: self._read(smaller))
                if func is not None or self._without_outputs(smaller):
                    self._func, again = func or self._func, True
                    break
            else:
                for smaller in itertools.chain(smaller_numbers(lines), simpler_lines(lines)):
                    if (func := self._holds(lambda: self._read(smaller))) is not None:
                        self._func, again = func, True
                        break

    # ---- parameters

    def _parameters(self):
        """Removes unused parameters."""
        for number in reversed(range(len(self._func.params))):
            self._without(self._func.text(spans=True).splitlines(), [number])

    def _without_outputs(self, lines):
        """Removes the outputs that a text no longer writes, if the call still fails then."""
        text = "\n".join(line for line in lines if not _HEAD.match(line) and not line.lstrip().startswith("check_"))
        return self._without(lines, [i for i in self._func.outputs if not re.search(rf"\b{self._func.params[i]['name']}\b", text)])

    def _without(self, lines, numbers):
        """Removes parameters and their values from a text, if the call still fails then."""
        params, outputs = self._func.params, self._func.outputs
        given = [i for i in range(len(params)) if i not in outputs or len(self.values) == len(params)]
        left = [value for i, value in zip(given, self.values) if i not in numbers]
        for number in sorted(numbers, reverse=True):
            lines = lines and without_parameter(lines, number)
        if not (made := numbers and lines and self._holds(lambda: self._read(lines), lambda _: left)):
            return False
        self.shapes = [shape for i, shape in zip(given, self.shapes) if i not in numbers]
        self.removed = [name for name in self._names if name in self.removed or name in [params[i]["name"] for i in numbers]]
        self._func, self.values = made, left
        return True

    # ---- view

    def _view(self):
        constants, lines = self.before
        now = self._lines(self._func)
        pieces = [(f"{self.name}: the smallest that still has {self.wrong.what}\n", "strong")]
        if self.ended:
            pieces.append((self.ended + "\n", "bad"))
        if changed := [f"{n} = {constants[n]} -> {v}" for n, v in self.constants.items() if constants[n] != v]:
            pieces.append((f"  sizes: {', '.join(changed)}\n", ""))
        shapes = [f"{a} -> {list(v.shape)}" for a, v in zip(self.shapes, self.values) if hasattr(v, "shape") and list(v.shape) != a]
        if shapes:
            pieces.append((f"  arguments: {', '.join(shapes)}\n", ""))
        if self.removed:
            pieces.append((f"  without {', '.join(self.removed)}\n", ""))
        if getattr(self.wrong, "keeps_text", False):
            pieces.append(("  the source is unchanged: any reduction makes the result wrong\n", "dim"))
        else:
            pieces.append((f"  text: {lines} lines -> {now}\n", ""))
        pieces.append((f"  {self.tries} tries\n", "dim"))
        pieces += [(f"    {line}\n", "") for line in self._func.text().splitlines()]
        if not self.ended and not getattr(self.wrong, "keeps_text", False):
            pieces.append(("  as IR, from which no size, statement or parameter can be removed\n", "dim"))
        data = {"kernel": self.name, "finding": self.wrong.kind, "constants": self.constants, "before": constants, "lines": [lines, now],
                "removed": self.removed, "tries": self.tries, "interrupted": bool(self.ended), "text": self._func.text()}
        return _core.views.rich_text(pieces, json.dumps(data, default=str))
