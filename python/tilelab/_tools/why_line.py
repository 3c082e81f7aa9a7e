# SPDX-License-Identifier: Apache-2.0
"""%why KERNEL LINE: how each pass changed a source line, and by which rule."""

import difflib
import json

from .. import _core
from .._kernel.registry import known
from .._kernel.shown import Shown
from .bisect import lines_of, stages_of

_LINES = 12  # shown lines of a change
_ALL = 100  # lines of the view


class Touch:
    """A pass that changed the statement."""

    def __init__(self, pass_, rules, before, after):
        self.pass_, self.rules = pass_, rules
        self.lines = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]

    def data(self):
        return {"pass": self.pass_, "rules": self.rules, "lines": self.lines}


class WhyLine(Shown):
    """The result: .code (the line), .ir (as elaborated), .touches."""

    def __init__(self, kernel, line):
        entry = known(kernel)
        self.kernel, self.line = entry.full_name, line
        stages = stages_of(kernel)
        texts = [lines_of(stage.func) for stage in stages]
        place = self._place(texts, line)
        explained = self._explained(entry, line)
        self.code = next((e["code"].strip() for e in explained), "")
        self.ir = texts[0].get(place, [])
        rules, docs = {}, {step["pass"]: step["doc"] for step in kernel._all_snapshots()}
        for each in explained:
            for reason in each["why"]:
                rules.setdefault(reason["pass"], []).append(reason["text"])
        self.touches, self.untouched, last = [], [], self.ir
        for stage, text in zip(stages[1:], texts[1:]):
            now = text.get(place, [])
            if now != last or rules.get(stage.name):
                self.touches.append(Touch(stage.name, rules.get(stage.name) or [docs[stage.name]], last, now))
            else:
                self.untouched.append(stage.name)
            last = now
        super().__init__(_core.views.rich_text(self._cut(list(self._pieces())), json.dumps(self._data())))

    @staticmethod
    def _place(texts, line):
        """The location of a line; with several files, that of the kernel's first statement."""
        if places := [p for text in texts for p in text if p.endswith(f":{line}")]:
            return places[0]
        numbers = sorted({int(p.rpartition(":")[2]) for p in texts[0]})
        raise ValueError(f"line {line} has no statement of the kernel; its lines are {numbers[0]} to {numbers[-1]}"
                         if numbers else "the IR of the kernel has no source lines")

    @staticmethod
    def _explained(entry, line):
        try:
            return json.loads(entry.pipeline().explain(line)["json"])["lines"]
        except ValueError:
            return []  # no decision was made there

    def _pieces(self):
        yield f"{self.kernel}, line {self.line}: what the passes did to it\n", "strong"
        if self.code:
            yield f"    {self.code}\n", ""
        yield "as elaborated\n", "keyword"
        for line in self.ir or ["nothing"]:
            yield f"    {line}\n", ""
        for touch in self.touches:
            yield f"{touch.pass_}\n", "keyword"
            for rule in touch.rules:
                yield f"  {rule}\n", "dim"
            for line in touch.lines[:_LINES]:
                yield f"  {line.rstrip()}\n", "added" if line[0] == "+" else "removed"
            if len(touch.lines) > _LINES:
                yield f"    ... {len(touch.lines) - _LINES} more lines\n", "dim"
        if self.untouched:
            yield f"unchanged by {', '.join(self.untouched)}\n", "dim"
        yield "below a pass: its rule, then - removed and + added lines\n", "dim"

    @staticmethod
    def _cut(pieces):
        lines = 0
        for i, (text, _) in enumerate(pieces):
            lines += text.count("\n")
            if lines > _ALL:
                return [*pieces[:i], (f"... truncated at {_ALL} lines; --json has all\n", "dim")]
        return pieces

    def _data(self):
        return {"kernel": self.kernel, "line": self.line, "code": self.code, "ir": self.ir,
                "touches": [t.data() for t in self.touches], "untouched": self.untouched}
