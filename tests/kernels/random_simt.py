# SPDX-License-Identifier: Apache-2.0
"""Random kernels of single threads: lines of shared memory, names and arrays of each thread, branches and loops of some
threads in which they read what others wrote.

The reference lets all threads run one statement after the other, each of them whole, which is what barriers between
any two of them gives. A statement reads of the memory that it writes its own element alone, sides of one branch share
no memory, and in a loop that single threads leave no thread accesses another's element: then no watcher may report anything.
"""
import dataclasses

import numpy as np

from random_expressions import pick

NAMES = ("wid", "idx", "val", "e")
LIMIT = 251  # values are in [0, LIMIT): every dtype of FORMATS holds them
FORMATS = ("int32", "int32", "int64", "uint8", "int16", "float32", "float16")


@dataclasses.dataclass
class Value:
    """An int32 of each thread, never negative: its text, and (env) -> array of all threads."""
    text: str
    of: object
    reads: frozenset = frozenset()  # the memory that it reads at other threads' elements


@dataclasses.dataclass
class Step:
    """One statement: its lines, and what the threads of a mask do to env."""
    lines: object       # () -> list of lines
    run: object         # (env, mask) -> None
    bodies: tuple = ()
    value: list = None  # of the shrinker of expressions: none


@dataclasses.dataclass
class Place:
    """The context of drawn statements: visible names, and memory that must not be accessed."""
    names: dict = dataclasses.field(default_factory=dict)  # name -> Value
    low: int = 0                     # the threads that come are among [low, high)
    high: int = 0
    banned: frozenset = frozenset()  # memory of the branch's other side
    alone: bool = False              # only own elements
    all: bool = True                 # every thread comes here
    depth: int = 3


def element(name, at):
    return f"B[bx, {at}]" if name == "B" else f"{name}[{at}]"


def indented(steps):
    return ["    " + line for step in steps for line in step.lines()] or ["    pass"]


class SimtKernel:
    terms, magnitude = 0, 1.0  # of case.Case: no tolerance

    def __init__(self, seed):
        self.rng = np.random.default_rng([seed, 91])
        self.threads = int(pick(self.rng, (32, 64, 96, 128, 160)))
        self.blocks = int(pick(self.rng, (1, 2, 3)))
        self.memory = {"s0": self.threads, "s1": 2 * self.threads, "few": 8, "wide": 4 * self.threads,
                       "far": 2 * self.threads}
        self.formats = {name: "int32" if name in ("few", "far") else str(pick(self.rng, FORMATS)) for name in (*self.memory, "B")}
        self.named = 0
        self.touched = set()
        self.sums = bool(self.rng.random() < 0.5)  # `few` is for atomics alone
        whole = Place(high=self.threads)
        self.steps = self.first() + self.list(whole, int(self.rng.integers(3, 8))) + [self.last()]

    # -- values ---------------------------------------------------------------------------------
    def index(self, place, n, own):
        """(text, function) of an element of a line of n that no two threads of the place share; or None."""
        if place.high - place.low > n or (place.high > n and place.low == 0):
            return None
        shift = 0 if own else int(pick(self.rng, (0, 0, 1, 3, n - 1)))
        base = f"tx - {place.low}" if place.high > n else "tx"
        low = place.low if place.high > n else 0
        forms = [(f"({base} + {shift}) % {n}" if shift else base, lambda env: (env["tx"] - low + shift) % n)]
        if not own:
            forms.append((f"{n - 1} - ({base})", lambda env: (n - 1 - env["tx"] + low) % n))
            for counter in sorted(name for name in place.names if name[0] == "k"):  # a loop's: below 4
                step = 1 if n < self.threads + 4 * 32 else int(pick(self.rng, (1, 32)))
                if n >= self.threads + 4 * step:
                    forms.append((f"{base} + {counter} * {step}",
                                  lambda env, counter=counter, step=step: env["tx"] - low + env[counter] * step))
        return pick(self.rng, forms)

    def loaded(self, name, at):
        return element(name, at) if self.formats[name] == "int32" else f"T.cast({element(name, at)}, 'int32')"

    def stored(self, name, text):
        return text if self.formats[name] == "int32" else f"T.cast({text}, '{self.formats[name]}')"

    def leaf(self, place, but=frozenset()):
        """A value; at others' elements it reads no memory of `but`, nor of what the place must not touch."""
        rng, kind = self.rng, self.rng.random()
        if kind < 0.2:
            n = int(rng.integers(0, 20))
            return Value(str(n), lambda env: np.full(self.threads, n, np.int32))
        if kind < 0.3:
            return Value("tx", lambda env: env["tx"])
        if kind < 0.55 and place.names:
            name = pick(rng, sorted(place.names))
            return place.names[name]
        if kind < 0.65 or place.alone:
            shift = int(rng.integers(0, self.threads))
            return Value(f"A[bx, (tx + {shift}) % {self.threads}]", lambda env: env["A"][(env["tx"] + shift) % self.threads])
        if kind < 0.75:
            return Value("own[tx % 4]", lambda env: env["own"][env["tx"], env["tx"] % 4])
        return self.read(place, but)

    def read(self, place, but):
        """Any element of shared memory, or of the output."""
        free = [name for name in ("s0", "s1", "wide", "far", "B") if name not in but | place.banned]
        if not self.sums and "few" not in but | place.banned:
            free.append("few")
        if not free:
            return Value("tx", lambda env: env["tx"])
        name = pick(self.rng, free)
        n = self.memory.get(name, self.threads)
        shift = int(self.rng.integers(0, 2 * n))
        inner = self.leaf(dataclasses.replace(place, alone=True)) if self.rng.random() < 0.3 else Value("tx", lambda env: env["tx"])
        self.touched.add(name)
        where = f"({inner.text} + {shift}) % {n}"
        return Value(self.loaded(name, where), lambda env: env[name][(inner.of(env) + shift) % n], inner.reads | {name})

    def value(self, place, but=frozenset()):
        a = self.leaf(place, but)
        if self.rng.random() < 0.4:
            return a
        b = self.leaf(place, but)
        text, function = pick(self.rng, (
            ("({} + {})", np.add), ("({} * {})", np.multiply), ("T.max({}, {})", np.maximum), ("T.min({}, {})", np.minimum),
            ("({} ^ {})", np.bitwise_xor)))
        whole = f"{text.format(a.text, b.text)} % {LIMIT}"
        return Value(f"({whole})", lambda env: function(a.of(env), b.of(env)) % LIMIT, a.reads | b.reads)

    # -- statements -----------------------------------------------------------------------------
    def first(self):
        t, put = self.threads, self.stored

        def run(env, mask):
            env["s0"][:], env["s1"][:t], env["s1"][t:] = env["A"], env["A"][::-1], 5
            env["few"][:], env["B"][:], env["own"][:], env["wide"][:] = 0, env["A"], 0, np.arange(4 * t) % 4
            env["far"][:t], env["far"][t:] = 1, 2
        return [Step(lambda: [f"s0[tx] = {put('s0', 'A[bx, tx]')}", f"s1[tx] = {put('s1', f'A[bx, {t - 1} - tx]')}",
                              f"s1[tx + {t}] = {put('s1', '5')}", "if tx < 8:", "    few[tx] = 0", "far[tx] = 1", f"far[tx + {t}] = 2",
                              f"B[bx, tx] = {put('B', 'A[bx, tx]')}",
                              "for k in T.serial(4):", "    own[k] = 0", f"    wide[4 * tx + k] = {put('wide', 'k')}",
                              "total = T.alloc_var('int32', 0)"], run)]

    def last(self):
        """Everything into the second output."""
        t, got = self.threads, self.loaded

        def run(env, mask):
            env["C"][:] = (env["B"] + env["s0"] * 3 + env["s1"][:t][::-1] + env["s1"][t:] * 5 + env["few"][env["tx"] % 8] + env["total"]
                           + env["own"][env["tx"], env["tx"] % 4] + env["wide"][:t] + env["wide"][t:].reshape(t, 3).sum(1) * 7
                           + env["far"][:t] * 2 + env["far"][t:])
        return Step(lambda: ["T.sync_threads()", f"C[bx, tx] = {got('B', 'tx')} + {got('s0', 'tx')} * 3 + {got('s1', f'{t - 1} - tx')} + "
                             f"{got('s1', f'tx + {t}')} * 5 + few[tx % 8] + total + own[tx % 4] + far[tx] * 2 + far[tx + {t}] + {got('wide', 'tx')} + "
                             f"({' + '.join(got('wide', f'{t} + tx * 3 + {k}') for k in range(3))}) * 7"], run)

    def list(self, place, count):
        """Consecutive statements; names are visible to later ones."""
        place = dataclasses.replace(place, names=dict(place.names))
        return [step for _ in range(count) if (step := self.statement(place))]

    def statement(self, place):
        makers = [self.name, self.store, self.store, self.store, self.keep, self.add, self.vector]
        if place.depth:
            makers += [self.branch, self.branch, self.branch, self.loop, self.loop]
            if place.all:
                makers += [self.one_thread, self.synchronize, self.tile, self.tile, self.lanes, self.lanes, self.fetch]
            makers += [self.leaving]
        return pick(self.rng, makers)(place)

    def name(self, place):
        free = [name for name in NAMES if name not in place.names]
        if not free:
            return None
        name, value = pick(self.rng, free), self.value(place)
        if place.names and self.rng.random() < 0.4:  # an alias of another name
            other = place.names[pick(self.rng, sorted(place.names))]
            value = Value(f"({other.text} + 1) % {LIMIT}", lambda env: (other.of(env) + 1) % LIMIT)
        if place.low and self.rng.random() < 0.5:
            low = place.low
            value = Value(f"tx - {low}", lambda env: env["tx"] - low)
        unique = f"{name} {self.named}"  # of another branch's name
        self.named += 1
        place.names[name] = Value(name, lambda env: env[unique])

        def run(env, mask):
            env[unique] = np.where(mask, value.of(env), 0).astype(np.int32)
        return Step(lambda: [f"{name} = {value.text}"], run)

    def store(self, place):
        """Into shared memory or the output; `own` elements if others' may not be accessed."""
        free = [name for name in ("s0", "s1", "B") if name not in place.banned]
        if not (self.sums or place.alone) and place.high - place.low <= 8 and "few" not in place.banned:
            free.append("few")
        name = pick(self.rng, free)
        if name is None:
            return None
        n = self.memory.get(name, self.threads)
        found = self.index(place, n, place.alone)
        if found is None:
            return None
        (where, at), value = found, self.value(place, frozenset({name}))
        target = element(name, where)
        update = self.rng.random() < 0.3 and name not in value.reads
        self.touched.add(name)

        def run(env, mask):
            new = value.of(env) + (env[name][at(env)] if update else 0)
            env[name][at(env)[mask]] = new[mask] % LIMIT
        whole = f"({self.loaded(name, where)} + {value.text}) % {LIMIT}" if update else f"{value.text} % {LIMIT}"
        return Step(lambda: [f"{target} = {self.stored(name, whole)}"], run)

    def vector(self, place):
        """Four neighbours at once, each thread its own; from another thread's four, or computed."""
        if "wide" in place.banned or place.alone and place.low:
            return None
        v, kind, shift = f"v{self.named}", pick(self.rng, ("vectorized", "vectorized", "serial", "unroll")), int(self.rng.integers(0, 9))
        self.named += 1
        self.touched.add("wide")
        if self.rng.random() < 0.4:
            value = self.value(place, frozenset({"wide"}))

            def run(env, mask):
                for k in range(4):
                    env["wide"][env["tx"][mask] * 4 + k] = ((value.of(env) + k) % LIMIT)[mask]
            text = self.stored("wide", f"({value.text} + {v}) % {LIMIT}")
            if kind != "vectorized" or not value.reads:
                return Step(lambda: [f"for {v} in T.{kind}(4):", f"    wide[tx * 4 + {v}] = {text}"], run)
        mine = f"own{self.named}"

        def run(env, mask):
            four = env["wide"].reshape(-1, 4)
            new = np.roll(four, -shift, 0)[:, ::-1] if not place.alone else four[:, ::-1]
            env["own"][mask] = new[mask]
        at = "tx" if place.alone else f"((tx + {shift}) % {self.threads})"
        return Step(lambda: [f"for {v} in T.{kind}(4):", f"    own[3 - {v}] = {self.loaded('wide', f'{at} * 4 + {v}')}"], run)

    def lanes(self, place):
        """Threads of a warp exchange what they have: all of the block come."""
        k, value = int(self.rng.integers(0, 32)), self.value(place)
        text, function = pick(self.rng, (
            (f"T.shfl_xor({{}}, {k})", lambda x, lane: x[:, lane ^ k]), (f"T.shfl_sync({{}}, {k}, 32)", lambda x, lane: x[:, lane * 0 + k]),
            (f"T.shfl_up({{}}, {k}, 32)", lambda x, lane: x[:, np.where(lane < k, lane, lane - k)]),
            (f"T.shfl_down({{}}, {k}, 32)", lambda x, lane: x[:, np.where(lane + k > 31, lane, lane + k)]),
            ("T.warp_reduce_sum({})", lambda x, lane: x.sum(1, keepdims=True) + 0 * lane),
            ("T.warp_reduce_max({})", lambda x, lane: x.max(1, keepdims=True) + 0 * lane)))

        def run(env, mask):
            got = function(value.of(env).reshape(-1, 32), np.arange(32)).reshape(-1)
            env["total"][mask] = ((env["total"] + got) % LIMIT)[mask]
        return Step(lambda: [f"total = (total + {text.format(value.text)}) % {LIMIT}"], run)

    def keep(self, place):
        """In memory of the thread."""
        value, at = self.value(place), self.leaf(dataclasses.replace(place, alone=True))
        if self.rng.random() < 0.5:
            def run(env, mask):
                env["total"][mask] = (env["total"] + value.of(env))[mask] % LIMIT
            return Step(lambda: [f"total = (total + {value.text}) % {LIMIT}"], run)

        def run(env, mask):
            env["own"][env["tx"][mask], (at.of(env) % 4)[mask]] = value.of(env)[mask]
        return Step(lambda: [f"own[{at.text} % 4] = {value.text}"], run)

    def add(self, place):
        if not self.sums or place.alone or "few" in place.banned:
            return None
        value, at = self.value(place), self.leaf(place)
        self.touched.add("few")

        def run(env, mask):
            np.add.at(env["few"], (at.of(env) % 8)[mask], value.of(env)[mask])
        return Step(lambda: [f"T.atomic_add(few[{at.text} % 8], {value.text})"], run)

    def condition(self, place):
        """(text, function, low, high)."""
        rng, bound = self.rng, int(self.rng.integers(1, self.threads))
        kind = rng.random()
        if kind < 0.3:
            return f"tx < {bound}", lambda env: env["tx"] < bound, place.low, max(min(place.high, bound), place.low + 1)
        if kind < 0.6:
            return f"tx >= {bound}", lambda env: env["tx"] >= bound, min(max(place.low, bound), place.high - 1), place.high
        value, k = self.value(place), int(rng.integers(2, 5))
        return f"{value.text} % {k} == 0", lambda env: value.of(env) % k == 0, place.low, place.high

    def inside(self, place, count, **changes):
        return self.list(dataclasses.replace(place, **{"depth": place.depth - 1, **changes}), count)

    def branch(self, place):
        """Sides share no memory: nothing says which of them comes first."""
        text, test, low, high = self.condition(place)
        outer, self.touched = self.touched, set()
        then = self.inside(place, int(self.rng.integers(1, 5)), low=low, high=high, all=False)
        other = []
        if self.rng.random() < 0.3:
            other = self.inside(place, int(self.rng.integers(1, 4)), banned=place.banned | self.touched, all=False)
        self.touched |= outer

        def run(env, mask):
            chosen = test(env)
            for step in list(then):
                step.run(env, mask & chosen)
            for step in list(other):
                step.run(env, mask & ~chosen)
        return Step(lambda: [f"if {text}:", *indented(then), *(["else:", *indented(other)] if other else [])], run, (then, other))

    def tile(self, place):
        """All of a line by a tile operation: the compiler's threads among the user's."""
        name, other, shift = *self.rng.permutation(["s0", "B"]).tolist(), int(self.rng.integers(0, self.threads))
        t, whole = self.threads, lambda name: f"{name}[bx, :]" if name == "B" else name  # noqa: E731
        self.touched |= {name, other}
        moved = self.stored(name, f"({self.loaded(other, f'(i + {shift}) % {t}')} + i) % {LIMIT}")
        turned = self.stored(name, self.loaded(other, f"{t - 1} - i"))
        lines, function = pick(self.rng, (
            ([f"T.copy({whole(other)}, {whole(name)})"], lambda new: new),
            ([f"for i in T.Parallel({t}):", f"    {element(name, 'i')} = {moved}"], lambda new: (np.roll(new, -shift) + np.arange(t)) % LIMIT),
            ([f"for i in T.Parallel({t}):", f"    if i >= {shift}:", f"        {element(name, 'i')} = {turned}"],
             lambda new: np.where(np.arange(t) >= shift, new[::-1], -1))))

        def run(env, mask):
            new = function(env[other])
            env[name][new >= 0] = new[new >= 0]
        return Step(lambda: lines, run)

    def fetch(self, place):
        """Copies of threads that are on their way while they do something else."""
        if "far" in place.banned:
            return None
        t, n, shift = self.threads, int(pick(self.rng, (1, 2, 4))), int(self.rng.integers(0, self.threads))
        some = int(pick(self.rng, (t // n, int(self.rng.integers(1, t // n + 1)))))  # the others copy zeros, beyond
        copies = min(t, 2 * t // n)
        source, first = (np.arange(copies) * n + n * shift) % t, int(pick(self.rng, (0, t)) if copies * n <= t else 0)
        here = dataclasses.replace(place, depth=place.depth - 1, banned=place.banned | {"far"})  # names remain visible
        between = [step for _ in range(int(self.rng.integers(0, 3))) if (step := self.statement(here))]
        self.touched.add("far")

        def run(env, mask):
            for k in range(copies):
                env["far"][first + k * n:first + k * n + n] = env["A"][source[k]:source[k] + n] if k < some else 0
            for step in list(between):
                step.run(env, mask)
        to, at = f"far[tx * {n} + {first}]", f"A[bx, (tx * {n} + {n * shift}) % {t}]"
        copy = f"T.ptx_cp_async(T.access_ptr({to}, 'w'), T.access_ptr({at}, 'r'), {n}, predicate=tx < {some})"
        lines = [copy] if copies == t else [f"if tx < {copies}:", f"    {copy}"]
        return Step(lambda: [*lines, "T.ptx_commit_group()", *(line for step in between for line in step.lines()),
                             "T.ptx_wait_group(0)"], run, (between,))

    def loop(self, place):
        """A uniform iteration count: a constant, or one from the input."""
        if self.rng.random() < 0.3:
            return self.iterations_of_the_input(place)
        count, kind, name = int(self.rng.integers(2, 4)), pick(self.rng, ("serial", "unroll")), f"k{self.named}"
        self.named += 1
        names = {**place.names, name: Value(name, lambda env: np.full(self.threads, env[name], np.int32))}
        body = self.inside(place, int(self.rng.integers(1, 4)), names=names)

        def run(env, mask):
            for env[name] in range(count):
                for step in list(body):
                    step.run(env, mask)
        return Step(lambda: [f"for {name} in T.{kind}({count}):", *indented(body)], run, (body,))

    def iterations_of_the_input(self, place):
        name, at = f"k{self.named}", int(self.rng.integers(0, self.threads))
        self.named += 1
        names = {**place.names, name: Value(name, lambda env: np.full(self.threads, env[name], np.int32))}
        body = self.inside(place, int(self.rng.integers(1, 4)), names=names, alone=place.alone or not place.all)

        def run(env, mask):
            for env[name] in range(env["A"][at] % 4):
                for step in list(body):
                    step.run(env, mask)
        if self.rng.random() < 0.5:
            return Step(lambda: [f"for {name} in T.serial(A[bx, {at}] % 4):", *indented(body)], run, (body,))
        return Step(lambda: [f"{name} = T.alloc_var('int32', 0)", f"while {name} < A[bx, {at}] % 4:", *indented(body),
                             f"    {name} = {name} + 1"], run, (body,))

    def leaving(self, place):
        """A loop that each thread leaves by itself."""
        name, start = f"left{self.named}", self.value(place)
        self.named += 1
        body = self.inside(place, int(self.rng.integers(1, 3)), alone=True, all=False, depth=1)

        def run(env, mask):
            left = start.of(env) % 4
            while (mask & (left > 0)).any():
                for step in list(body):
                    step.run(env, mask & (left > 0))
                left = left - 1
        return Step(lambda: [f"{name} = T.alloc_var('int32', 0)", f"{name} = {start.text} % 4", f"while {name} > 0:", *indented(body),
                             f"    {name} = {name} - 1"], run, (body,))

    def one_thread(self, place):
        """One of the block adds up what all have left."""
        t, name = self.threads, pick(self.rng, ("s0", "B"))
        source, target = self.loaded(name, "k"), int(self.rng.integers(0, t))
        text = self.stored("s1", f"({self.loaded('s1', 'k')} + {source}) % {LIMIT}")
        at = int(self.rng.integers(0, t))
        self.touched |= {name, "s1"}

        def run(env, mask):
            if not mask[at]:
                return
            for k in range(t - 1):
                env["s1"][k + 1] = (env["s1"][k] + env[name][k]) % LIMIT
            env["s1"][target + t] = env["s1"][t - 1]
        return Step(lambda: [f"if tx == {at}:", f"    for k in T.serial({t - 1}):", f"        s1[k + 1] = {text}",
                             f"    s1[{target + t}] = s1[{t - 1}]"], run)

    def synchronize(self, place):
        return Step(lambda: ["T.sync_threads()"], lambda env, mask: None)

    # -- what a kernel is for others ------------------------------------------------------------
    def source(self):
        lines = [f"with T.Kernel({self.blocks}, threads={self.threads}) as bx:", "    tx = T.get_thread_binding()"]
        lines += [f"    {name} = T.alloc_shared(({n},), '{self.formats[name]}')" for name, n in self.memory.items()]
        lines += ["    own = T.alloc_local((4,), 'int32')", *indented(self.steps)]
        of = lambda dtype: f"T.Tensor(({self.blocks}, {self.threads}), '{dtype}')"  # noqa: E731
        return "\n".join(["@T.prim_func", f"def main(A: {of('int32')}, B: {of(self.formats['B'])}, C: {of('int32')}):"] + ["    " + line for line in lines]) + "\n"

    def inputs(self, rng):
        return [rng.integers(0, LIMIT, (self.blocks, self.threads)).astype(np.int32)]

    def reference(self, inputs):
        out, rest = np.zeros((2, self.blocks, self.threads), np.int32)
        for block in range(self.blocks):
            env = {name: np.zeros(n, np.int32) for name, n in self.memory.items()}
            env |= {"A": inputs[0][block], "B": out[block], "C": rest[block], "own": np.zeros((self.threads, 4), np.int32),
                    "total": np.zeros(self.threads, np.int32), "tx": np.arange(self.threads, dtype=np.int32)}
            for step in self.steps:
                step.run(env, np.full(self.threads, True))
        return [out.astype(self.formats["B"]), rest]

    def outputs(self):
        return [1, 2]

    def simpler(self):
        """Pairs of functions: one makes this kernel smaller, one takes that back."""
        if self.blocks > 1:
            now = self.blocks
            yield lambda: setattr(self, "blocks", 1), lambda: setattr(self, "blocks", now)
