# SPDX-License-Identifier: Apache-2.0
"""%dbg: steps through one block of a call in both directions: each position is a run that stops there, before a statement."""

import array
import bisect
import cmd
import sys

from .. import _core
from .._compiler.layouts import row_major_number
from .._compiler.source import known_text
from .changes import changed
from .trace import State, block_text, outcome
from .trace_view import does, excerpt, number_text, statement, summary


class _Steps:
    """Agent, first and last line of every event."""

    def __init__(self, raw):
        numbers = array.array("i", raw)
        self.agent, self.line, self.end_line = numbers[0::3], numbers[1::3], numbers[2::3]
        self.lines = sorted(set(self.line) - {0})

    def __len__(self):
        return len(self.agent)


class Debugger(cmd.Cmd):
    """Commands as in pdb and gdb; `help` lists them."""

    prompt = "(dbg) "
    doc_header = "commands (see help COMMAND; an empty line repeats the last one):"

    def __init__(self, recording, names=None, thread=None):
        super().__init__()
        self.recording, self.user_names = recording, names or {}
        self.steps = _Steps(recording.run(first=2**63 - 1, steps=True)["steps"])
        self.count, self.agents = len(self.steps), recording.state(-1).agents
        self.position, self.breaks, self.agent, self.lane = 0, {}, self._agent_at(0), 0
        self.shows_source = False  # each stop prints the source around it, and the values that changed
        self._shown = None  # state and names of the last stop
        self.alone = False  # stop only at statements of the chosen thread
        if thread is not None:
            self._choose(thread)
            self.position = self._from(0)

    # ---- running

    def run(self, commands=()):
        """Reads commands until `q`, end of input or Ctrl-C; or executes the given ones."""
        self._greet()
        self._show()
        if commands:
            for line in commands:
                self._say(self.prompt + line)
                if self.onecmd(line):
                    return
            return
        while True:
            try:
                line = input(self.prompt)
            except (EOFError, KeyboardInterrupt):
                self._say("")
                return
            try:
                if self.onecmd(line):
                    return
            except KeyboardInterrupt:
                self._say("interrupted")

    def _greet(self):
        all_of = f"the first {self.count} of {self.recording.count}" if self.recording.count > self.count else self.count
        self._say(f"{self.recording.name}, block {block_text(self.recording.block, self.recording.grid)} "
                  f"{self.recording.where}: {all_of} statement{'s' if all_of != 1 else ''}; help lists the commands")

    def _say(self, text):
        sys.stdout.write(_core.views.hanging(text + "\n"))

    def onecmd(self, line):
        try:
            return super().onecmd(line.strip())
        except ValueError as error:
            self._say(str(error))
        return None

    def default(self, line):
        self._say(f"unknown command {line.split()[0]}; help lists them")

    # ---- the position of the machine

    def _agent_at(self, position):
        return self.steps.agent[min(position, self.count - 1)] if self.count else 0

    @property
    def state(self):
        return self.recording.state(self.position - 1)

    def _show(self):
        self._show_position()
        if self.shows_source:
            self._show_around()

    def _show_around(self):
        """The source around the line, as `l` prints it, and a table of the values that changed since the last stop."""
        if self.position < self.count:
            self.do_l("")
        state, names = self.state, self._scalars()
        if self._shown is not None and (rows := changed(self._shown[0], state, self._shown[1], names)):
            self._say(_core.views.table(["changed", "where", "before", "now"], [list(row) for row in rows])["text"].rstrip("\n"))
        self._shown = state, names

    def _scalars(self):
        return self.state.names(self.agent, self.state.agents[self.agent]["first_thread"] + self.lane)

    def _show_position(self):
        if self.position >= self.count:
            end = f": {self.recording.outcome}" if self.recording.outcome else ""
            return self._say(f"the block has ended{end}")
        event = self.recording.event(self.position)
        who = self.state.agents[event["agent"]]["name"]
        who = "" if len(self.agents) == 1 else f" {who},"
        code = statement(event, self.recording)
        self._say(f"{self.position}:{who} line {event['span']['line']}: {code or does(event)}")
        if self.recording.level != "tile" and event["line_text"].strip() not in ("", code):
            self._say(f"    of {event['line_text'].strip()}")

    def _go(self, position, follow=True):
        if not self.recording.runs:
            return self._say("this is the state after the failed run, which cannot continue; %dbg KERNEL(ARGUMENTS) steps "
                             "through a run")
        self.position = max(0, min(position, self.count))
        if follow and not self.alone:
            self.agent = self._agent_at(self.position)
        return self._show()

    def _number(self, text, default=1):
        if not text:
            return default
        if not text.isdigit():
            raise ValueError(f"expected a number, not {text}")
        return int(text)

    # ---- stepping

    def _mine(self, position):
        return not self.alone or self.steps.agent[position] == self.agent

    def _from(self, position, step=1):
        """The first position in this direction whose statement stops."""
        while 0 <= position < self.count and not self._mine(position):
            position += step
        return position

    def do_s(self, text):
        """s [N]: steps to the next statement of any agent, or of the chosen thread."""
        position = self.position
        for _ in range(self._number(text)):
            position = self._from(position + 1)
        self._go(position)

    def do_n(self, text):
        """n [N]: steps to the next statement of this agent; the others run meanwhile."""
        position = self.position
        for _ in range(self._number(text)):
            position += 1
            while position < self.count and self.steps.agent[position] != self.agent:
                position += 1
        self._go(position, follow=position < self.count)

    def do_u(self, _):
        """u: runs until this agent reaches another line."""
        at, position = self.steps.line[min(self.position, self.count - 1)], self.position
        while position < self.count and (self.steps.agent[position] != self.agent or self.steps.line[position] == at):
            position += 1
        self._go(position, follow=False)

    def do_back(self, text):
        """back [N]: steps back one statement of any agent, or of the chosen thread."""
        position = self.position
        for _ in range(self._number(text)):
            position = self._from(position - 1, -1)
        if position < 0:
            return self._say("this is the beginning")
        self._go(position)

    def _stops_at(self, position):
        line, end = self.steps.line[position], self.steps.end_line[position]
        return self._mine(position) and any(
            line == wanted or wanted not in self.steps.lines and line <= wanted <= end for wanted in self.breaks)

    def do_c(self, _):
        """c: continues to the next breakpoint, or to the end."""
        position = next((p for p in range(self.position + 1, self.count) if self._stops_at(p)), self.count)
        self._go(position)

    def do_rc(self, _):
        """rc: continues backwards to the previous breakpoint, or to the beginning."""
        self._go(next((p for p in range(self.position - 1, -1, -1) if self._stops_at(p)), 0))

    def do_at(self, text):
        """at N: moves to statement N."""
        self._go(self._number(text, self.position))

    def do_b(self, text):
        """b LINE: sets a breakpoint before statements of that line; b lists the breakpoints."""
        if not text:
            return self._say("breakpoints: " + (", ".join(f"line {line}" for line in sorted(self.breaks)) or "none"))
        line = self._number(text)
        around = next((a for a, b in zip(self.steps.line, self.steps.end_line) if a <= line <= b), None)
        if around is None:
            if not (later := self.steps.lines[bisect.bisect(self.steps.lines, line):]):
                raise ValueError(f"no statement of the block is in line {line} or after it")
            line = later[0]
        self.breaks[line] = True
        part = "" if around in (None, line) or line in self.steps.lines else f", as a part of the statement in line {around}"
        return self._say(f"stops at line {line}{part}")

    def do_cl(self, text):
        """cl LINE: removes the breakpoint; cl removes all."""
        if text:
            self.breaks.pop(self._number(text), None)
        else:
            self.breaks.clear()

    # ---- looking

    def do_p(self, text):
        """p EXPR: prints a value; names in scope, buffers as NumPy arrays, np."""
        if not text:
            raise ValueError("p EXPR: p C_local[0, 0], p ko, p A_shared.max()")
        value = self._value(text)
        self._say(repr(value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value))

    def title(self):
        """The kernel, its block and, where there are several, the agent."""
        agent = f", {self.state.agents[self.agent]['name']}" if len(self.agents) > 1 else ""
        return f"{self.recording.kernel.name}, block {block_text(self.recording.block, self.recording.grid)}{agent}"

    def scope(self):
        """The names at the current position: coordinates, variables, and buffers as NumPy arrays."""
        state = self.state
        names = {n: b.values for n, b in state.buffers.items()}
        names.update(zip(self.recording.indices, self.recording.block))
        # Per-thread buffers and names are those of the selected thread.
        thread = state.agents[self.agent]["first_thread"] + self.lane
        names.update({n: b.values[thread] for n, b in state.buffers.items() if b.of_threads and b.scope == "local" and thread < b.shape[0]})
        names.update(state.names(self.agent, thread), thread=thread)
        if self.recording.level != "tile":
            self._thread_names(names, thread)
        return names

    def _value(self, text):
        import numpy

        names = {"np": numpy, **self.user_names, **self.scope()}
        try:
            return eval(text, names)
        except Exception as error:
            raise ValueError(f"{text}: {error}") from None

    def _thread_names(self, names, thread):
        """tid, lane and warp as used below tile level: in a role they count from its first thread."""
        role = self.state.agents[self.agent]["name"].partition(" (")[2]
        first = min(a["first_thread"] for a in self.agents if a["name"].partition(" (")[2] == role)
        for name, value in ("tid", thread - first), ("lane", self.lane), ("warp", self.agent):
            names.setdefault(name, value)

    def do_i(self, text):
        """i [BUFFER]: lists the buffers, or one with its first values (? marks unwritten elements)."""
        buffers = self.state.buffers
        if not text:
            for name, buffer in buffers.items():
                self._say(f"{name}  {summary(buffer)}")
            return
        if text not in buffers:
            raise ValueError(f"unknown buffer {text}; buffers are {', '.join(buffers)}")
        self._say(f"{text}  {summary(buffers[text])}")
        for row in excerpt(buffers[text]):
            self._say("  " + row)

    def do_names(self, _):
        """names: lists the names in scope and their values."""
        names = dict(zip(self.recording.indices, self.recording.block))
        names.update(self._scalars())
        self._say(", ".join(f"{n} = {number_text(v)}" for n, v in names.items()))

    def do_where(self, _):
        """where: lists each agent, its current line, and what it waits for."""
        for i, agent in enumerate(self.state.agents):
            mark = "->" if i == self.agent else "  "
            line = agent["span"]["line"]
            place = "has ended" if agent["ended"] else f"line {line}: {agent['line_text'].strip()}" if line else "has not started"
            waits = agent["waits"] if agent["waits"].startswith("waits ") else f"waits: {agent['waits']}"
            waits = f"; {waits}" if agent["waits"] and not agent["ended"] else ""
            self._say(f"{mark} {agent['name']}: {place}{waits}")

    do_w = do_where

    def do_t(self, text):
        """t THREAD: selects a thread of the block and stops only at its statements; t alone: stops at all."""
        if not text:
            self.alone, self.lane = False, 0
            return self._say("stops at statements of all threads")
        self._choose(self._number(text))
        self._say(f"thread {text}, of {self.agents[self.agent]['name']}")

    def _choose(self, thread):
        for i, agent in enumerate(self.agents):
            if agent["first_thread"] <= thread < agent["first_thread"] + agent["threads"]:
                self.agent, self.lane, self.alone = i, thread - agent["first_thread"], True
                return
        raise ValueError(f"the block has threads 0 to {max(a['first_thread'] + a['threads'] for a in self.agents) - 1}")

    def do_last(self, text):
        """last BUFFER[I, J]: moves back to the statement that last wrote the element."""
        buffer, _, rest = text.partition("[")
        if buffer not in self.state.buffers:
            raise ValueError(f"last BUFFER[I, J]; unknown buffer {buffer}")
        index = self._value("(" + rest.rstrip("] ") + ",)") if rest else ()
        known = self.state.buffers[buffer]
        if known.of_threads and len(index) < len(known.shape):  # of the selected thread
            index = (self.state.agents[self.agent]["first_thread"] + self.lane, *index)
        for event in self._before():
            for touch in event["touched"]:
                if touch["buffer"] == buffer and touch["what"] != "read" and not touch["late"] and _holds(touch, index):
                    return self._go(event["number"])
        return self._say(f"nothing before this has written {text}")

    def _before(self):
        """The events before this position, latest first, in batches of growing size."""
        end, size = self.position - 1, 256
        while end >= 0:
            first = max(0, end - size + 1)
            made = self.recording.run(first=first, last=end, stop=end)
            if made["lost"]:
                self._say(f"{made['lost']} events between {first} and {end} are too large to show")
            yield from reversed(made["events"])
            end, size = first - 1, size * 4

    def do_l(self, _):
        """l: shows the source around the line."""
        span = self._place()
        line, lines = span["line"], (known_text(span["file"]) or "").split("\n")
        if not 0 < line <= len(lines):
            return
        for number in range(max(1, line - 4), min(len(lines), line + 4) + 1):
            self._say(f"{'->' if number == line else '  '} {number:4} {lines[number - 1]}")

    def _place(self):
        """The source span of the current position, or of the selected agent."""
        event = self.recording.event(min(self.position, self.count - 1)) if self.count else None
        return event["span"] if event else self.state.agents[self.agent]["span"]

    def do_q(self, _):
        """q: ends the debugger; the session is unchanged."""
        return True

    do_step, do_next, do_until, do_continue, do_print, do_break, do_list = do_s, do_n, do_u, do_c, do_p, do_b, do_l
    do_info, do_thread, do_quit, do_exit, do_EOF = do_i, do_t, do_q, do_q, do_q

    def emptyline(self):
        return self.onecmd(self.lastcmd) if self.lastcmd else None


def _holds(touch, index):
    """Whether a touch includes the element; a shorter index means all elements below it."""
    inside = [i - lo for i, lo in zip(index, touch["lo"])]
    if any(not 0 <= i < n for i, n in zip(inside, touch["extent"])):
        return False
    if not touch["counts"] or len(inside) < len(touch["extent"]):
        return True
    return touch["counts"][row_major_number(inside, touch["extent"])] > 0


class _FailedRecording:
    """Stands in for a Recording after a failed run: its state can be inspected, not run."""

    runs = False

    def __init__(self, failed):
        self.name, self.level, self._state = failed.name, failed.level, State(failed.state)
        self.where = f"at {failed.level} level"
        self.block, self.grid, self.indices = tuple(self._state.block), None, failed.indices
        self.outcome, self.count = outcome(failed.findings), 0

    def run(self, **_):
        return {"steps": b"", "events": []}

    def state(self, _):
        return self._state

    def event(self, _):
        return None


class FailedDebugger(Debugger):
    """Debugs the last failed block in its state at the finding."""

    def __init__(self, failed, names=None):
        left = _FailedRecording(failed)
        super().__init__(left, names)
        self.agent = left.state(None).agent if left.state(None).agent >= 0 else \
            next((i for i, a in enumerate(self.agents) if not a["ended"]), 0)

    def _greet(self):
        self._say(f"{self.recording.name}, block {block_text(self.recording.block)} {self.recording.where}, after the failed "
                  "run; help lists the commands")

    def _show(self):
        self._say(self.recording.outcome)
        self.do_where("")
        if self.shows_source:
            self.do_l("")

    def do_names(self, text):
        """names: lists the block's coordinates and loop variables at the finding."""
        super().do_names(text)
        block = ",".join(map(str, self.recording.block))
        self._say(f"other names: %dbg KERNEL(ARGUMENTS) --block {block} steps to them")
