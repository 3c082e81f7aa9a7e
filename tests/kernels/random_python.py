# SPDX-License-Identifier: Apache-2.0
"""Random Python programs: the text of a function that plain Python and the compiler both run.

Python itself is the oracle: T.serial is range, T.macro is a plain function, T.alloc_var(dtype, init=x) is x. Values are integers
that stay small: every assignment in a loop takes a remainder. Statements and expressions are drawn by weight; a name is read
wherever Python may have bound it, and sometimes where it has not.
"""
import random

COMPARE = ("<", "<=", ">", ">=", "==", "!=")


class Names:
    """What is bound at a point: names of integers, pairs, lists, functions; and those that some path does not bind."""

    def __init__(self):
        self.numbers, self.counters, self.pairs, self.lists, self.functions, self.unsure = [], [], [], [], [], []

    def copy(self):
        other = Names()
        for kind, names in vars(self).items():
            setattr(other, kind, list(names))
        return other


class Program:
    def __init__(self, seed, size=9):
        self.rng, self.counter, self.loops, self.depth = random.Random(seed), 0, 0, 0
        self.names = Names()
        self.in_loop = []
        self.macros = []
        lines = self.block(size, ensure=True)
        lines += [f"B[{i}] = {self.number(1)}" for i in range(2)]
        self.lines = lines + ["for i in range(8):", "    B[8 + i] = A[i]"]

    # ---- text

    def kernel(self):
        macros = "".join("@T.macro\n" + text for text in self.macros)
        body = "\n".join("        " + line for line in self.lines)
        return (f"{macros}@T.prim_func\ndef main(I: T.Tensor((8,), \"int32\"), B: T.Tensor((16,), \"int32\")):\n"
                "    with T.Kernel(1, threads=32):\n        A = T.alloc_local((8,), \"int32\")\n"
                "        for i in range(8):\n            A[i] = I[i]\n        for i in range(16):\n            B[i] = 0\n"
                f"{body}\n")

    def python(self):
        body = "\n".join("    " + line for line in self.lines)
        return "".join(self.macros) + f"def main(A, B):\n{body}\n"

    # ---- choices

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return self.rng.choice(list(items))

    def fresh(self, base):
        self.counter += 1
        return f"{base}{self.counter}"

    def target(self):
        """A new name, or more often one that is bound already."""
        if self.names.numbers and self.chance(0.65):
            return self.pick(self.names.numbers)
        if self.names.unsure and self.chance(0.5):
            return self.pick(self.names.unsure)
        return self.fresh("x")

    def bind(self, name, kind="numbers"):
        for names in vars(self.names).values():
            if name in names:
                names.remove(name)
        getattr(self.names, kind).append(name)

    # ---- expressions

    def number(self, depth=2):
        rng = self.rng
        leaves = [lambda: str(rng.randint(-4, 9)), lambda: f"A[{rng.randint(0, 7)}]", lambda: f"A[{rng.randint(0, 7)}]"]
        if self.names.numbers:
            leaves += [lambda: self.pick(self.names.numbers)] * 4
        if self.names.counters:
            leaves.append(lambda: self.pick(self.names.counters))
        if self.names.unsure and self.chance(0.02):
            leaves += [lambda: self.pick(self.names.unsure)] * 2
        if self.names.pairs:
            leaves.append(lambda: f"{self.pick(self.names.pairs)}[{rng.randint(0, 1)}]")
        if self.names.lists:
            leaves.append(lambda: f"{self.pick(self.names.lists)}[{self.pick((0, -1))}]")
        if depth <= 0 or self.chance(0.3):
            return self.pick(leaves)()
        some = [lambda: f"({self.number(depth - 1)} {self.pick('+-')} {self.number(depth - 1)})",
                lambda: f"({self.number(depth - 1)} * {rng.randint(-2, 3)})",
                lambda: f"({self.number(depth - 1)} % {rng.randint(2, 9)})",
                lambda: f"({self.number(depth - 1)} // {rng.randint(2, 5)})",
                lambda: f"({self.number(depth - 1)} if {self.condition(1)} else {self.number(depth - 1)})",
                lambda: f"({self.number(depth - 1)} {self.pick(('and', 'or'))} {self.number(depth - 1)})"]
        if self.names.functions:
            some += [lambda: self.call(depth)] * 2
        return self.pick(some)()

    def call(self, depth):
        name, count = self.pick(self.names.functions)
        return f"{name}({', '.join(self.number(depth - 1) for _ in range(self.rng.randint(1, count)))})"

    def condition(self, depth=1):
        rng = self.rng
        if depth > 0 and self.chance(0.25):
            return self.pick((f"({self.condition(depth - 1)} {self.pick(('and', 'or'))} {self.condition(depth - 1)})",
                              f"(not {self.condition(depth - 1)})"))
        kinds = [lambda: f"{self.number(1)} {self.pick(COMPARE)} {self.number(1)}",
                 lambda: f"A[{rng.randint(0, 7)}] {self.pick(COMPARE)} {rng.randint(-2, 6)}",
                 lambda: f"A[{rng.randint(0, 7)}] {self.pick(COMPARE)} {rng.randint(-2, 6)}",
                 lambda: f"{self.number(1)} {self.pick(('in', 'not in'))} ({self.number(0)}, {self.number(0)}, {rng.randint(0, 4)})",
                 lambda: f"{rng.randint(0, 2)} < {self.number(1)} <= {rng.randint(2, 6)}"]
        return self.pick(kinds)()

    # ---- statements

    def block(self, count, ensure=False):
        lines = []
        for _ in range(self.rng.randint(count - 3, count) if ensure else self.rng.randint(1, max(count, 1))):
            lines += self.statement()
        return lines or ["pass"]

    def inner(self, *bound, loop=False):
        """An indented block; what it binds first is unsure afterwards."""
        before, numbers = self.names, list(self.names.numbers)
        self.names = before.copy()
        for name in bound:
            self.bind(name)
        self.depth += 1
        self.in_loop.append(loop)
        lines = self.block(3 if self.depth < 3 else 2)
        self.in_loop.pop()
        self.depth -= 1
        after, self.names = self.names, before
        return ["    " + line for line in lines], after, numbers

    def join(self, *ends):
        """Names after a branch or loop: bound where all paths bind them."""
        seen = {name for end in ends for name in end.numbers + end.unsure}
        kept = [name for name in self.names.numbers if all(name in end.numbers for end in ends)]
        new = [name for name in ends[0].numbers if name not in kept and all(name in end.numbers for end in ends)]
        self.names.numbers = kept + new
        for kind in ("counters", "pairs", "lists", "functions"):
            names = getattr(self.names, kind)
            setattr(self.names, kind, [n for n in names if all(n in getattr(end, kind) for end in ends)])
        self.names.unsure = sorted(seen - set(self.names.numbers))

    def value(self):
        return f"({self.number()}) % 97" if any(self.in_loop) else self.number()

    def statement(self):
        kinds = [self.assign] * 5 + [self.augment] * 2 + [self.store] * 3 + [self.swap, self.pair, self.items, self.function,
                 self.macro, self.unrolled, self.variable, self.constant, self.constant]
        if self.depth < 3:
            kinds += [self.branch] * 6 + [self.loop] * 4 + [self.counting] * 2
        if any(self.in_loop):
            kinds.append(self.leave)
        return self.pick(kinds)()

    def assign(self):
        value, name = self.value(), self.target()
        self.bind(name)
        return [f"{name} = {value}"]

    def constant(self):
        name = self.target()
        self.bind(name)
        return [f"{name} = {self.rng.randint(-3, 9)}"]

    def variable(self):
        value, name = self.value(), self.fresh("v")
        self.bind(name)
        return [f'{name} = T.alloc_var("int32", init=0)', f"{name} = {value}"]

    def augment(self):
        if not self.names.numbers:
            return self.assign()
        name = self.pick(self.names.numbers)
        if any(self.in_loop):
            return [f"{name} = ({name} {self.pick('+-')} {self.number(1)}) % 97"]
        return [f"{name} {self.pick('+-')}= {self.number(1)}"]

    def store(self):
        at = self.pick(range(2, 8))
        return self.pick(([f"B[{at}] = {self.number()}"], [f"B[{at}] = ({self.number(1)} + B[{at}]) % 97"],
                          [f"A[{at}] = ({self.number()}) % 7"], [f"A[{at}], A[{at - 1}] = A[{at - 1}], A[{at}]"]))

    def swap(self):
        if len(self.names.numbers) < 2:
            return self.assign()
        a, b = self.rng.sample(self.names.numbers, 2)
        more = f"({a} + {b}) % 97" if self.chance(0.4) else a
        return [f"{a}, {b} = {b}, {more}"]

    def pair(self):
        name = self.pick(self.names.pairs) if self.names.pairs and self.chance(0.6) else self.fresh("p")
        line = f"{name} = ({self.value()}, {self.value()})"
        if name in self.names.pairs and self.chance(0.5):
            line = f"{name} = ({name}[1], ({name}[0] + {self.number(0)}) % 97)"
        self.bind(name, "pairs")
        return [line]

    def items(self):
        if self.names.lists and self.chance(0.6):
            name = self.pick(self.names.lists)
            return self.pick(([f"{name}.append({self.value()})"], [f"{name}[0] = {self.value()}"], [f"{name} += [{self.value()}]"]))
        name = self.fresh("l")
        form = self.pick((f"[{self.value()}, {self.value()}]", f"[A[i] + {self.number(0)} for i in range(3)]",
                          f"[{self.value()}]"))
        self.bind(name, "lists")
        return [f"{name} = {form}"]

    def function(self):
        """A lambda with a default, or a nested function that reads names around it."""
        name = self.fresh("f")
        if self.chance(0.6):
            lines = [f"{name} = lambda u, w={self.number(1)}: (u + w * 2 - {self.number(0)}) % 97"]
        else:
            lines = [f"def {name}(u, w={self.number(1)}):", f"    r = {self.number(0)}", f"    if u {self.pick(COMPARE)} {self.rng.randint(0, 4)}:",
                     f"        r = u - {self.number(0)}", "    return (r + w) % 97"]
        self.names.functions.append((name, 2))
        return lines

    def macro(self):
        """A macro at module level: it reads only its parameters."""
        name = self.fresh("m")
        rng = self.rng
        test, c, d = self.pick(COMPARE), rng.randint(0, 5), rng.randint(0, 5)
        text = self.pick((
            f"def {name}(u, w):\n    r = w\n    if u {test} {c}:\n        r = {d}\n    else:\n        w = u\n    return (r + w) % 97\n",
            f"def {name}(u, w):\n    t = T.alloc_var(\"int32\", init={d})\n    t = t + u % 7\n    return t\n",
            f"def {name}(u, w):\n    for i in T.serial({c}):\n        u = (u + w) % 97\n        if u {test} {d}:\n            w = i\n    return u - w\n"))
        self.macros.append(text)
        return self.taken(lambda depth=0: f"{name}({self.number(depth)}, {self.number(depth)})")

    def taken(self, call):
        """The result of a macro, which may be a new variable: in a name, in several, in a container, in both branches."""
        kind, result, other = self.pick(range(6)), self.target(), self.target()
        if kind < 2:
            lines = [f"{result} = {call(1)} % 97" if kind else f"{result} = {call()}"]
        elif kind == 2:
            lines = [f"{result} = {other} = {call()}"]
        elif kind == 3:
            holder = self.fresh("h")
            form = self.pick(("({}, {})", "[{}, {}]", "({}, ({}, 1)[0])")).format(call(), call())
            lines = [f"{holder} = {form}", self.pick((f"{result}, {other} = {holder}", f"{result} = {other} = {holder}[0]")),
                     f"{result} = ({result} + {other}) % 97", f"B[{self.rng.randint(2, 7)}] = {holder}[0] % 97"]
        elif kind == 4:
            lines = [f"({result}, {other}) = {self.fresh('q')} = ({call()}, {self.number(0)})"]
        else:
            lines = [f"if {self.condition()}:", f"    {result} = {other} = {call()}", "else:", f"    {result} = {call()}",
                     f"    {other} = {result} - 1"]
        self.bind(result)
        if kind > 1:
            self.bind(other)
        return lines

    def unrolled(self):
        name = self.fresh("k")
        over = f"[{self.number(1)}, {self.number(1)}]" if self.chance(0.5) else f"({self.number(0)}, {self.rng.randint(0, 3)})"
        self.loops += 1
        lines, after, _ = self.inner(name, loop=True)
        self.names = after
        return [f"for {name} in {over}:"] + self.without_leave(lines)

    @staticmethod
    def without_leave(lines):
        """A loop over a list is unrolled: it has no break under a dynamic condition."""
        return [line.replace("break", "pass").replace("continue", "pass") for line in lines]

    def branch(self):
        head = [f"if {self.condition()}:"]
        lines, first, _ = self.inner()
        ends = [first]
        text = head + lines
        while self.chance(0.25):
            test = self.condition()
            lines, end, _ = self.inner()
            text += [f"elif {test}:"] + lines
            ends.append(end)
        if self.chance(0.65):
            lines, end, _ = self.inner()
            text += ["else:"] + lines
            ends.append(end)
        else:
            ends.append(self.names.copy())
        self.join(*ends)
        return text

    def loop(self):
        name = self.fresh("i") if self.chance(0.8) else self.target()
        n = self.rng.randint(0, 4)
        bound = self.pick((str(n), str(n), f"A[{self.rng.randint(0, 7)}] % 4", f"{n}, {n + 2}", f"{n}, -1, -1"))
        head = self.pick(("T.serial", "range", "T.serial", "T.unroll" if bound == str(n) else "range"))
        before = self.names.copy()
        lines, after, _ = self.inner(name, loop=True)
        self.join(before, after)
        if name in self.names.numbers and name not in before.numbers:
            self.names.numbers.remove(name)
        return [f"for {name} in {head}({bound}):"] + lines

    def counting(self):
        """A while loop over a plain name that its body reads but does not bind."""
        name = self.fresh("w")
        start = self.pick((str(self.rng.randint(0, 3)), f"A[{self.rng.randint(0, 7)}] % 4"))
        self.names.counters.append(name)
        before = self.names.copy()
        lines, after, _ = self.inner(loop=True)
        self.join(before, after)
        return [f"{name} = {start}", f"while {name} < {self.rng.randint(1, 4)}:", f"    {name} += 1"] + lines

    def leave(self):
        return [f"if {self.condition()}:", "    " + self.pick(("break", "break", "continue"))]
