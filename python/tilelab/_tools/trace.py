# SPDX-License-Identifier: Apache-2.0
"""Traces one block of a call: numbered events. The state after an event is recomputed by a deterministic run that stops there."""

from .._kernel.arguments import raise_if_failed
from .._kernel.progress import Progress
from .memory import written_memory

LISTED = 200  # events stored by default
LEVELS = ("tile", "thread", "flat")
LAST = 2**63 - 1


class Buffer:
    """A buffer of the simulated machine: .name, .scope, .dtype, .shape, .values (NumPy), .written (or None)."""

    def __init__(self, made):
        import numpy

        self.name, self.scope, self.dtype = made["name"], made["scope"], made["dtype"]
        self.of_threads, self.shape = made["of_threads"], tuple(made["shape"])
        self.values = numpy.frombuffer(made["bytes"], made["numpy"]).reshape(self.shape)
        written = made["written"]
        self.written = None if written is None else numpy.frombuffer(written, "uint8").reshape(self.shape) != 0


class State:
    """The machine after an event or at the end of a run: .buffers by name, .agents, .block, .event."""

    def __init__(self, made):
        self.event, self.block, self.agents, self.agent = made["event"], made["block"], made["agents"], made["agent"]
        self.buffers = {}
        for one in made["buffers"]:
            self.buffers.setdefault(one["name"], Buffer(one))

    def names(self, agent, thread=None):
        """Scalars in an agent's scope, as seen by `thread` of the block; by default by its first thread."""
        found = self.agents[agent]
        lane = max(0, (thread or 0) - found["first_thread"])
        return {name: value[min(lane, len(value) - 1)] if isinstance(value, list) else value for name, value in found["names"].items()}


class Recording:
    """One block of a call, which can be run repeatedly; the arguments keep their values. `seed` selects a schedule."""

    runs = True

    def __init__(self, kernel, described, arrays, block=(), level="", name="", after="", launch=0, seed=0):
        if level and after:
            raise ValueError("use either a level or a pass")
        if level not in ("", *LEVELS):
            raise ValueError(f"unknown level {level}; levels are {', '.join(LEVELS)}")
        self.kernel, self.after, self.name, self.seed = kernel, after, name or kernel.name, seed
        of_threads = not after and seed  # only they have schedules
        self._func = _form_of(kernel, level or ("thread" if of_threads else ""), after)
        self.level, self.launch = self._func.level, launch
        if seed and self.level == "tile":
            raise ValueError("the tile level has no schedules; use --level thread or flat")
        self.block = tuple(block) + (0,) * (3 - len(tuple(block)))
        self._described, self._arrays, self._memory = described, arrays, written_memory(kernel._func, described, fresh=True)
        self._states, self.count = {}, None

    @property
    def where(self):
        seed = f", --seed {self.seed}" if self.seed else ""
        return (f"after {self.after}" if self.after else f"at {self.level} level") + seed

    def run(self, first=0, last=LAST, stop=None, steps=False):
        """The dict of Func.trace."""
        try:
            with Progress(f"trace of {self.kernel.name} at {self.level} level") as step:
                made = self._func.trace(self._described, list(self.block), self.launch, first, last, stop, steps, step, self.seed)
        finally:
            self._memory.restore()
        raise_if_failed(self.kernel.name, made["run"])
        if self.launch >= made["launches"]:
            raise ValueError(f"no kernel {self.launch}: the function launches {made['launches']}")
        if not made["agents"]:
            grid = " x ".join(map(str, made["grid"]))
            raise ValueError(f"no block {block_text(self.block, made['grid'])} in a grid of {grid}")
        self.grid, self.indices = made["grid"], made["indices"]
        if stop is None:
            self.count, self.outcome = made["count"], outcome(made["run"]["findings"])
            self.findings = made["run"]["findings"]
        return made

    def state(self, number):
        """The State after event `number` (-1: before the first); the latest ones are cached."""
        if number not in self._states:
            made = self.run(first=LAST, stop=number)
            self._states[number] = State(made["state"])
            while len(self._states) > 8:
                del self._states[next(iter(self._states))]
        return self._states[number]

    def event(self, number):
        events = self.run(first=number, last=number, stop=number)["events"]
        return events[0] if events else None


def _form_of(kernel, level, after):
    """The kernel at a level or after a pass; by default as the user wrote it."""
    if after:
        if (found := next((s["func"] for s in kernel._all_snapshots() if s["pass"] == after), None)) is None:
            raise ValueError(f"unknown pass {after}; {', '.join(s['pass'] for s in kernel._all_snapshots()[1:])} ran")
        return found
    return kernel._func if not level or kernel._func.level == level else kernel._at_level(level)


def block_text(block, grid=None):
    rank = max([i + 1 for i in range(3) if grid and grid[i] > 1] + [1])
    rank = max([rank] + [i + 1 for i in range(3) if block[i]])
    return "(" + ", ".join(map(str, block[:rank])) + ")"


def changing(events):
    """Names that distinguish events: uniform over lanes, with more than one value."""
    seen = {}
    for event in events:
        for name, value in event["names"].items():
            if not isinstance(value, list):
                seen.setdefault(name, set()).add(value)
    return {name for name, values in seen.items() if len(values) > 1}


def synchronisations(events, agents):
    """Which agent arrives at, waits for or acquires each ring and barrier, and in which line: rows of the table."""
    rows, waiting = {}, {}
    for event in events:
        sync = event["sync"]
        if event["of"] in waiting and event["kind"] == "continues":
            waiting.pop(event["of"])["stuck"] -= 1
        if not sync or sync["object"] == "bar_arrive":  # an arrival of several warps at once; the wait follows
            continue
        key = (sync["object"], sync["verb"], agents[event["agent"]]["name"], event["span"]["line"])
        row = rows.setdefault(key, {"object": key[0], "verb": key[1], "agent": key[2], "line": key[3],
                                    "line_text": event["line_text"], "times": 0, "waited": 0, "where": [], "stuck": 0})
        if sync["waits"]:
            row["waited"] += 1
            row["stuck"] += 1
            waiting[event["number"]] = row
            continue
        row["times"] += 1
        where = (sync["slot"], sync["phase"])
        if where not in row["where"]:
            row["where"].append(where)
    return sorted(rows.values(), key=lambda row: (row["object"], row["agent"], row["line"]))


def outcome(findings):
    """The end of a run with these findings, in words; "" if it completed."""
    if (finding := next(iter(findings), None)) is None:
        return ""
    where = next((side for side in finding["where"] if side["span"]["line"]), None)
    line = f", line {where['span']['line']}" if where else ""
    return f"{finding['kind']}: {finding['detail'] or finding['meaning']}{line}"


class Trace:
    """Events of a block: .events, .count (of all), .agents, .syncs, .outcome."""

    def __init__(self, recording, steps=None, buffer=""):
        self.recording, self.buffer = recording, buffer
        first, end = steps or (0, LAST if buffer else LISTED)
        made = recording.run(first, max(end - 1, first))
        if first >= made["count"] > 0:
            raise ValueError(f"the block has events 0 to {made['count'] - 1}; no event {first}")
        self.first, self.end = first, min(end, made["count"])
        self.launches = made["launches"]
        self.count, self.lost, self.agents = made["count"], made["lost"], made["agents"]
        self.findings, self.outcome = made["run"]["findings"], outcome(made["run"]["findings"])
        self.events = [e for e in made["events"] if not buffer or any(t["buffer"] == buffer for t in e["touched"])]
        if buffer and not self.events:
            seen = sorted({t["buffer"] for e in made["events"] for t in e["touched"]})
            raise ValueError(f"no event of the block accesses {buffer}; they access {', '.join(seen) or 'nothing'}")
        self.syncs = synchronisations(made["events"], self.agents)
        self.changing = changing(made["events"])

    @property
    def title(self):
        r = self.recording
        return f"{r.name}, block {block_text(r.block, r.grid)} {r.where}"

    def data(self):
        return {"kernel": self.recording.name, "level": self.recording.level, "block": list(self.recording.block),
                "grid": list(self.recording.grid), "count": self.count, "lost": self.lost, "outcome": self.outcome,
                "agents": [a["name"] for a in self.agents], "events": [_plain(e) for e in self.events], "synchronisation": self.syncs}


def _plain(event):
    """An event for JSON: line number instead of span, number of threads instead of lanes."""
    low, high = event["lanes"]
    out = {k: v for k, v in event.items() if k not in ("span", "lanes", "line_text")}
    return {**out, "line": event["span"]["line"], "source": event["line_text"].strip(), "lanes": bin(low | high << 64).count("1")}
