# SPDX-License-Identifier: Apache-2.0
"""%why KERNEL.TENSOR[I, J]: traces one element back to the arguments. Each step back is a run that watches the operands."""

import json
import re

from .. import _core
from .._kernel.registry import known
from .._kernel.shown import Shown
from .bisect import Call, number, text_of
from .memory import itemsize

_WIDE = 3  # traced operands per statement
_NODES = 48  # shown elements
_GROUPS = 5  # shown statements per element


def finite(value):
    return not isinstance(value, float) or value - value == 0


class Step:
    """A statement that wrote the element: how often, and the write that is explained."""

    def __init__(self, write):
        self.write, self.times = write, 1
        span = write["span"]
        self.file, self.line, self.text = span["file"], span["line"], span["text"].strip()
        self.followed, self.origin = [], False

    @property
    def operands(self):
        return [v for v in self.write["of"] if v["place"] != self.write["to"]["place"]]

    @property
    def before(self):
        """The element's previous value that the write reads, or None."""
        return next((v for v in self.write["of"] if v["place"] == self.write["to"]["place"]), None)

    def pairs(self):
        """[(a, b)] of a dot product."""
        a = [v for v in self.operands if v["role"] == "a"]
        b = [v for v in self.operands if v["role"] == "b"]
        return list(zip(a, b))

    def chosen(self, wanted):
        """The traced operands: NaN and infinities if the result is one; of many, the one equal to the result, or the largest."""
        if self.write["how"] == "gemm":
            pairs = self.pairs()
            if not wanted:
                pairs = [p for p in pairs if not (finite(p[0]["value"]) and finite(p[1]["value"]))] or pairs
            pairs.sort(key=lambda p: -_size(p[0]["value"] * p[1]["value"]))
            return list(pairs[0]) if pairs else []
        values = self.operands
        if not wanted:
            values = [v for v in values if not finite(v["value"])] or values
        if len(values) > _WIDE:
            numbers = [v for v in values if finite(v["value"])] if wanted else values
            same = [v for v in numbers if v["value"] == self.write["to"]["value"]]
            values = same[:1] or [max(numbers or values, key=lambda v: _size(v["value"]))]
        return values

    def data(self):
        return {"file": self.file, "line": self.line, "text": self.text, "how": self.write["how"], "times": self.times,
                "block": list(self.write["block"]), "iteration": self.write["actor"], "value": number(self.write["to"]["value"]),
                "terms": len(self.pairs()) or len(self.operands), "origin": self.origin, "of": [node.data() for node in self.followed]}


def _size(value):
    value = abs(value)
    return value if value == value else float("inf")


class Node:
    """An element at a point in time, and the statements that wrote it, newest first."""

    def __init__(self, value, until, depth):
        self.value, self.until, self.depth = value, until, depth
        self.steps, self.count, self.kept, self.leaf, self.held = [], 0, 0, "", ""

    @property
    def name(self):
        return f"{self.value['buffer']}{self.value['element']}"

    def watched(self):
        return (*self.value["place"], self.until)

    def data(self):
        return {"element": self.name, "scope": self.value["scope"], "dtype": self.value["dtype"], "value": number(self.value["value"]),
                "held": self.held, "writes": self.count, "end": self.leaf, "statements": [step.data() for step in self.steps]}

    def learn(self, count, writes, odd):
        """Evaluates the report of a run that watched the element; for `odd` values, finds the origin."""
        self.count, self.kept = count, len(writes)
        chain, groups = [], {}
        for write in reversed(writes):
            chain.append(write)
            if write["how"] != "atomic" and all(v["place"] != write["to"]["place"] for v in write["of"]):
                break  # it does not depend on older writes
        if not chain:
            self.leaf = "an argument" if self.value["place"][0] else "never written"
            return
        first = self._first_that_is(odd, chain)  # the chain starts with the newest
        for i, write in enumerate(chain):
            key = write["span"]["file"], write["span"]["line"], write["how"]
            step = groups.setdefault(key, Step(write))
            step.times += step.write is not write
            if i == first:  # the origin: all operands are finite, the result is not
                step.write, step.origin = write, all(finite(v["value"]) for v in write["of"])
        self.steps = list(groups.values())

    @staticmethod
    def _first_that_is(odd, chain):
        """The write that last made the element odd, or None. Values discarded by a maximum count as well."""
        bad = [odd(write["to"]["value"]) for write in chain]
        if True not in bad:
            return None
        last = bad.index(True)
        return bad.index(False, last) - 1 if False in bad[last:] else len(bad) - 1


class Why(Shown):
    """The result: .root (a Node), .origin (the Step where NaN or infinity originates, or None), .runs."""

    def __init__(self, kernel, tensor, index, values, depth=8):
        self.name = known(kernel).full_name
        self.kernel, self.call, self.depth = kernel, Call(kernel, values), depth
        if kernel._func.level != "tile":
            raise ValueError(f"{self.name} is IR of {kernel._func.level} level; %why needs tile level")
        self.origin, self.cut, self.runs, self._nodes = None, 0, 0, []
        self.root = self._root(tensor, list(index) if isinstance(index, (tuple, list)) else [index])
        self._go_back()
        super().__init__(_core.views.rich_text(list(self._pieces()), json.dumps(self._data())))

    def _root(self, tensor, index):
        params = {p["name"]: i for i, p in enumerate(self.kernel._raw_params)}
        tensors = [self.kernel._raw_params[i]["name"] for i in self.call.written]
        if tensor not in tensors:
            if tensor in params:
                raise ValueError(f"{self.kernel.name} does not write {tensor}; it writes {', '.join(tensors)}")
            raise ValueError(f"{self.kernel.name} has no tensor {tensor}; it writes {', '.join(tensors)}. Buffers of a block "
                             "appear in the history of its elements")
        described = self.call.described[params[tensor]]
        shape, strides = described[2], described[3]
        if len(index) != len(shape) or not all(isinstance(i, int) and 0 <= i < n for i, n in zip(index, shape)):
            raise ValueError(f"{tensor} has the shape {list(shape)}, but {list(index)} is out of bounds")
        param = self.kernel._raw_params[params[tensor]]
        byte = sum(i * s for i, s in zip(index, strides)) * itemsize(described)
        value = {"buffer": tensor, "scope": "global", "element": f"[{', '.join(map(str, index))}]", "outside": False,
                 "place": (tensor, byte, -1, -1), "dtype": param["dtype"], "value": None, "role": ""}
        return Node(value, -1, 0)

    def _go_back(self):
        front, seen = [self.root], set()
        while front:
            self.runs += 1
            _, reports, _ = self.call.log(self.kernel._func, watched=[node.watched() for node in front])
            more = []
            for node, (count, writes) in zip(front, reports):
                if node is self.root and writes:
                    node.value = writes[-1]["to"]
                node.learn(count, writes, self._odd())
                self._nodes.append(node)
                self._hold(node)
                more += self._operands_of(node, seen)
            front = more

    def _odd(self):
        """Predicate of values to explain: NaN and infinities; for a finite root only NaN, as infinities may be intended."""
        if finite(self.root.value["value"]):
            return lambda value: value != value
        return lambda value: not finite(value)

    def _operands_of(self, node, seen):
        """The elements to trace next."""
        out = []
        for step in node.steps[:_GROUPS]:
            if step.origin and self.origin is None:
                self.origin = step
            for value in step.chosen(finite(step.write["to"]["value"])):
                child = Node(value, step.write["when"], node.depth + 1)
                step.followed.append(child)
                if value["outside"]:
                    child.leaf = "out of bounds: the safe value"
                elif child.depth > self.depth or len(seen) >= _NODES:
                    child.leaf, self.cut = "not followed", self.cut + 1
                elif child.watched() in seen:
                    child.leaf = "as above"
                else:
                    seen.add(child.watched())
                    out.append(child)
        return out

    def _hold(self, node):
        """Determines which thread holds an element of a fragment."""
        if node.value["scope"] != "fragment":
            return
        element = [int(i) for i in re.findall(r"-?\d+", node.value["element"])]
        try:
            made = known(self.kernel).pipeline().layout(node.value["buffer"], "", element)
        except ValueError:
            return  # no layout: the buffer was lowered away
        answer = (json.loads(made["json"])["answers"] or [""])[0].partition("->")[2]
        thread = re.search(r"thread (\d+)", answer)
        register = re.search(r"register (\d+)", answer)
        if thread and register:
            node.held = f"thread {thread[1]}, register {register[1]}"

    # ---- view

    def _pieces(self):
        yield f"{self.name}: how {self.root.name} was computed\n", "strong"
        yield from self._node(self.root, "")
        if self.origin:
            yield f"arises in {self._place(self.origin)}", "bad"
            yield f": {text_of(self.origin.write['to']['value'])} of finite numbers", ""
            yield f", {self._where(self.origin)}\n" if self._where(self.origin) else "\n", ""
        yield "below a value: the statements that wrote it, newest first; below a statement: the values that it read\n", "dim"
        if self.cut:
            yield f"{self.cut} elements are not followed: use --depth {self.depth + 4}\n", "dim"

    @staticmethod
    def _place(step):
        return f"{step.file}, line {step.line}" if step.file else "a statement generated by the compiler"

    def _where(self, step):
        block = step.write["block"]
        words = [f"block ({', '.join(map(str, block[:3 if block[2] else 2]))})"]
        if step.write["actor"]:
            words.append(step.write["actor"])
        return ", ".join(words)

    def _node(self, node, indent):
        value = node.value
        yield indent, ""
        yield node.name, "type"
        if value["value"] is not None:
            yield f" = {text_of(value['value'])}", "" if finite(value["value"]) else "bad"
        notes = [n for n in (value["scope"] if value["scope"] != "global" else "", node.held, node.leaf) if n]
        if node.value["value"] is None:
            notes = ["no statement writes it"]
        yield f"   {', '.join(notes)}\n" if notes else "\n", "dim"
        for step in node.steps[:_GROUPS]:
            yield from self._step(step, indent + "  ")
        if len(node.steps) > _GROUPS:
            yield f"{indent}  ... and {len(node.steps) - _GROUPS} more statements\n", "dim"
        elif node.steps and node.count > node.kept and node.steps[-1].before:
            yield f"{indent}  ... and {node.count - node.kept} earlier writes\n", "dim"

    def _step(self, step, indent):
        yield f"{indent}line {step.line}  " if step.file == self._file() else f"{indent}{self._place(step)}  ", "dim"
        yield step.text + "\n", ""
        said = [f"{step.write['how']} by {self._where(step)}"]
        if step.times > 1:
            said.append(f"{step.times} times, {'the first of them' if step.origin else 'the last one'} shown")
        if step.origin:
            said.append("here it arises")
        yield f"{indent}  {'; '.join(said)}\n", "bad" if step.origin else "dim"
        if step.pairs():
            a, b = step.followed[0], step.followed[1]
            start = text_of(step.before["value"]) + " + " if step.before else ""
            product = a.value["value"] * b.value["value"]
            yield f"{indent}  {text_of(step.write['to']['value'])} = {start}{len(step.pairs())} products; the largest, " \
                  f"{text_of(product)}, of\n", "dim"
        elif step.before and step.before["value"] is not None:
            yield f"{indent}  from {text_of(step.before['value'])} to {text_of(step.write['to']['value'])}\n", "dim"
        for node in step.followed:
            yield from self._node(node, indent + "    ")
        left = len(step.operands) - len(step.followed)
        if left > 0 and not step.pairs():
            yield f"{indent}    ... and {left} more operands\n", "dim"

    def _file(self):
        return self.root.steps[0].file if self.root.steps else ""

    def _data(self):
        return {"kernel": self.name, "root": self.root.data(), "origin": self.origin and self.origin.data(), "cut": self.cut}
