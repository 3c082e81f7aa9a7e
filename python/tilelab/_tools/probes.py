# SPDX-License-Identifier: Apache-2.0
"""Inserts a print or an assertion at a line of a kernel: a variant of its elaborated IR that keeps source locations."""

import ast
import re

from .. import _core
from .._compiler import records

_PLACE = re.compile(r"  # @(?:.*):(\d+):\d+$")
_BUFFER = r"\b{}(?:: tensor| = (?:shared|fragment|local))\((\w+), \[([^\]]*)\]"


class Inserted:
    """.text of the variant's IR; .label distinguishes its records from the kernel's; .parts are the texts of a tuple."""

    def __init__(self, kernel, line, expr, names=None, asserts=False):
        self.line, self.expr, self.asserts = line, expr, asserts
        self.label = expr if not asserts else f"{expr}, put on line {line}"
        self._text = kernel._func.text(True).split("\n")
        self._names = names or {}
        self.text = "\n".join(self._with(self._statement()))

    # ---- the statement

    def _statement(self):
        if not self.expr.strip():
            raise ValueError(f"missing expression for line {self.line}")
        try:
            tree = ast.parse(self.expr.strip(), mode="eval")
        except SyntaxError:
            raise ValueError(f"{self.expr} is not an expression") from None
        several = tree.body.elts if isinstance(tree.body, (ast.Tuple, ast.List)) else []
        self.parts = [ast.unparse(part) for part in several]
        self._refuse(tree.body, several)
        tree = _Spelled(self._names, "\n".join(self._text)).visit(tree)
        label = '"' + self.label.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if several:
            for part, text in zip(tree.body.elts, self.parts):
                if self._whole(ast.unparse(part)) or any(isinstance(node, ast.Slice) for node in ast.walk(part)):
                    raise ValueError(f"{text} has many elements: print it separately, or one element with other values")
            return f"print({', '.join([label, *map(ast.unparse, tree.body.elts)])})"
        made = ast.unparse(tree.body)
        if self.asserts:
            compare = tree.body if isinstance(tree.body, ast.Compare) else None
            sides = [ast.unparse(side) for side in (compare.left, *compare.comparators)
                     if not isinstance(side, ast.Constant)] if compare else []
            return f"device_assert({', '.join([label, made, *sides])})"
        whole = self._whole(made)
        return f"print({label}, {whole}, buffer=\"{made}\")" if whole else f"print({label}, {made})"

    def _refuse(self, expr, several):
        """Rejects an expression that is not a value of the kernel."""
        if isinstance(expr, (ast.Tuple, ast.List)) and (self.asserts or not several):
            raise ValueError(f"{self.expr} is not a condition; join several with and" if self.asserts else f"{self.expr} is empty")
        for part in several or [expr]:
            if isinstance(part, ast.JoinedStr) or isinstance(part, ast.Constant) and isinstance(part.value, (str, bytes)):
                raise ValueError(f"{ast.unparse(part)} is text; print only values, as in (a, b)")

    def _whole(self, name):
        """A buffer's name as a slice of all its elements; "" for other names."""
        if not (found := name.isidentifier() and re.search(_BUFFER.format(re.escape(name)), "\n".join(self._text))):
            return ""
        return f"{name}[{', '.join('0:' + extent.strip() for extent in found.group(2).split(','))}]"

    # ---- its place

    def _with(self, statement):
        lines, kernel = [_PLACE.search(line) for line in self._text], self._kernel_line()
        at = [i for i, place in enumerate(lines) if i >= kernel and place and int(place.group(1)) == self.line]
        if not at:
            known = sorted({int(p.group(1)) for p in lines[kernel:] if p})
            near = min(known, key=lambda line: abs(line - self.line))
            raise ValueError(f"no statement of the kernel is in line {self.line}; the next one is in line {near}")
        out = list(self._text)
        for i in reversed(at):
            opens = _PLACE.sub("", out[i]).endswith(":")
            indent = len(out[i]) - len(out[i].lstrip())
            after = out[i + 1] if i + 1 < len(out) else ""
            if not opens and i + 1 in at and len(after) - len(after.lstrip()) == indent:
                continue  # one source line became several statements
            place = "  # " + out[i].rsplit("  # ", 1)[1]
            out.insert(i + 1, " " * (indent + 4 * opens) + statement + place)
        return out

    def _kernel_line(self):
        return next(i for i, line in enumerate(self._text) if line.lstrip().startswith("with kernel("))

    # ---- the variant

    def func(self):
        made, said = _core.read_ir(f"{self.expr}, on line {self.line}", self.text)
        if made is None:
            first = next(d for d in said if d["error"])
            raise ValueError(f"{self.expr} is not valid in line {self.line}: {first['message']}{_hint(first['message'])}")
        return made

    def mine(self, func):
        """Indices of its record sites."""
        return {i for i, site in enumerate(func.record_sites) if site[0] == self.label and site[3]["line"] == self.line}


def _hint(message):
    """A hint for users who don't know the IR."""
    if re.search(r"but bool is needed", message):
        return "; write a comparison, as in r != 0"
    if re.search(r"this is \w+, but \w+ is needed", message):
        return "; types do not mix here: convert with float(r) or int(x)"
    if re.search(r"this (call|attribute|comprehension) is not valid|is not an operation of the IR", message):
        return "; use `p` of %dbg at a breakpoint for Python and NumPy"
    return ""


_CALLS = {"max": "maximum", "min": "minimum"}  # builtins of Python and T


class _Spelled(ast.NodeTransformer):
    """Translates a user's expression to IR syntax: T.exp is exp, s[r][0] is s[r, 0], s[r] is a row, Python constants become numbers."""

    def __init__(self, names, text):
        self.names, self.text = names, text

    def visit_Call(self, node):
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _CALLS and len(node.args) > 1 and not node.keywords:
            made = node.args[0]
            for other in node.args[1:]:
                made = ast.Call(ast.Name(_CALLS[name], ast.Load()), [made, other], [])
            return made
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        own = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(node.value, ast.Subscript):  # the inner row was already completed with full slices
            before = [i for i in node.value.slice.elts if not (isinstance(i, ast.Slice) and i.lower is i.upper is None)]
            own, node = before + own, node.value
        if isinstance(node.value, ast.Name):
            found = re.search(_BUFFER.format(re.escape(node.value.id)), self.text)
            own += [ast.Slice()] * (len(found[2].split(",")) - len(own) if found else 0)
        return ast.Subscript(node.value, ast.Tuple(own, ast.Load()), ast.Load())

    def visit_Attribute(self, node):
        if isinstance(node.value, ast.Name) and node.value.id == "T":
            return ast.Name(node.attr, ast.Load())
        return self.generic_visit(node)

    def visit_Name(self, node):
        value = self.names.get(node.id)
        if isinstance(value, (int, float)) and not re.search(rf"\b{re.escape(node.id)}\b", self.text):
            return ast.Constant(value)
        return node


class Printed:
    """Events of an inserted print in a run: .events, each with block, thread and values (or elements of a tile)."""

    def __init__(self, kernel, inserted, runs):
        self.kernel, self.inserted, self.events, self.lost = kernel, inserted, [], 0
        for func, result in runs:
            mine = inserted.mine(func)
            own = [r for r in result["records"] if r["site"] in mine]
            self.events += [event_of(e) for e in records.events(func, {**result, "records": own})]
            self.lost += result["lost_records"]

    def filtered(self, where):
        """The events that match a filter: {"block": (1, 0), "thread": 3}."""
        return [e for e in self.events if all(_matches(e[name], wanted) for name, wanted in where.items())]


def _matches(value, wanted):
    return value[:len(wanted)] == wanted if isinstance(value, tuple) else value == wanted[0]


def event_of(event):
    tile = isinstance(event, records._Tile)
    record = event.record if tile else event[0]
    return {"block": tuple(record["block"]), "thread": record["thread"], "assert": record["is_assert"],
            "values": dict(event.elements) if tile else record["values"]}


def compared(a, b, where=None):
    """Differing events of two runs of a print: [(block, thread, index of the event, values of a, of b)], for tiles per element."""
    def by_place(printed):
        seen, out = {}, {}
        for event in printed.filtered(where or {}):
            place = event["block"], event["thread"]
            seen[place] = seen.get(place, -1) + 1
            out[(*place, seen[place])] = event["values"]
        return out

    first, second = by_place(a), by_place(b)
    return [(*place, *_parts(first.get(place), second.get(place))) for place in sorted({*first, *second})
            if repr(first.get(place)) != repr(second.get(place))]


def _parts(one, other):
    """The differing elements of two tiles; other values unchanged."""
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return one, other
    differ = [i for i in sorted({*one, *other}) if repr(one.get(i)) != repr(other.get(i))]
    return tuple({i: values[i] for i in differ if i in values} for values in (one, other))
