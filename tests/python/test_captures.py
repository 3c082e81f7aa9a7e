# SPDX-License-Identifier: Apache-2.0
"""A kernel of the jit cache is used again only if everything that its code can read is as it was."""

import contextlib
import dataclasses
import functools
import io
import itertools
import random
import sys
import textwrap
import types
import unittest

import numpy as np
import tilelab as tilelang
import tilelab.language as T

sys.modules.setdefault("user_module", types.ModuleType("user_module"))
import user_module  # noqa: E402

user_module.factor = 2


@dataclasses.dataclass
class Config:
    factor: float = 2
    inner: object = None

    def twice(self):
        return self.factor * 2

    @property
    def half(self):
        return self.factor / 2


@dataclasses.dataclass(frozen=True)
class Equal:
    factor: object


config, nested, table, rows = Config(), Config(inner=Config()), {"a": 2, 1: 3}, [2, [3]]
array, number, namespace = np.array([2, 3]), 2, types.SimpleNamespace(factor=2)


class Constants:
    factor = 2


def helper():
    return number * Constants.factor


def outer_helper(scale=1):
    return helper() * scale


def closure_of(value):
    def add():
        return value

    def change(now):
        nonlocal value
        value = now
    return add, change


from_closure, change_closure = closure_of(2)

# (what a kernel reads, what changes it)
READS = {
    "config.factor": "config.factor = 3", "nested.inner.factor": "nested.inner = Config(3)", "table['a']": "table['a'] = 3",
    "table[1]": "table[1] = 4", "rows[0]": "rows[0] = 3", "rows[1][0]": "rows[1][0] = 4", "rows[-1][0]": "rows.append([7])",
    "int(array[0])": "array[0] = 5", "number": "number = 2.5", "namespace.factor": "namespace.factor = 4", "helper()": "number = 7",
    "outer_helper()": "Constants.factor = 5", "from_closure()": "change_closure(9)", "user_module.factor": "user_module.factor = 3",
    "config.twice()": "config.factor = 4", "config.half": "config.factor = 8", "sum(v for v in table.values())": "table['z'] = 1",
    "len(rows)": "rows.append(1)", "functools.reduce(max, rows[1])": "rows[1].append(8)", "(lambda: config.factor)()": "config.factor = 6",
    "getattr(config, 'fac' + 'tor')": "config.factor = 7", "[r for r in rows if r != 2][0][0]": "rows[1] = [5]",
    "Constants.factor": "Constants.factor = 2.0", "max(config.factor, 1)": "config = Config(5)", "table.get('q', 1)": "table['q'] = 6",
}


def fresh():
    global config, nested, table, rows, array, number, namespace
    config, nested, table, rows = Config(), Config(inner=Config()), {"a": 2, 1: 3}, [2, [3]]
    array, number, namespace, Constants.factor, user_module.factor = np.array([2, 3]), 2, types.SimpleNamespace(factor=2), 2, 2
    change_closure(2)


LAZY = """
@tilelang.jit(out_idx=[-1])
def made(n):
    value = {read}
    @T.prim_func
    def main(B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[i] = value
    return main
"""
INSIDE = LAZY.replace("    value = {read}\n", "").replace("= value", "= {read}")
EAGER = """
@tilelang.jit
def made(n):
    B = T.empty((n,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(n):
            B[i] = {read}
    return B
"""
counter = itertools.count()


def defined(text):
    """The jit function of a source text, with this module's names."""
    import linecache

    file = f"<captures-{next(counter)}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    exec(compile(text, file, "exec"), globals())
    return globals()["made"]


def first(made, *args):
    """The kernel's first element; eager and lazy ones are called alike."""
    result = made(*args)
    return float((result() if made.mode == "lazy" else result)[0])


def printed_by(work):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = work()
    return result, out.getvalue()


class Captured(unittest.TestCase):
    def test_every_read_in_every_form(self):
        for form, (read, change) in itertools.product((LAZY, INSIDE, EAGER), READS.items()):
            if form is not LAZY and ("functools" in read or "getattr" in read or "[r for" in read):
                continue  # the plain Python of a factory alone
            with self.subTest(form=form[:40], read=read):
                fresh()
                made = defined(form.format(read=read))
                self.assertEqual(first(made, 4), np.float32(eval(read)))
                (again, said) = printed_by(lambda: first(made, 4))
                self.assertEqual((again, said), (np.float32(eval(read)), ""), "nothing changed")
                exec(change, globals())
                value, said = printed_by(lambda: first(made, 4))
                self.assertEqual(value, np.float32(eval(read)), "stale")
                self.assertIn("compiled again, because", said)
        fresh()

    def test_what_the_code_does_not_read_costs_nothing(self):
        fresh()
        made = defined(LAZY.format(read="config.factor"))
        first(made, 4)
        config.inner, table["a"] = 5, 9
        self.assertEqual(printed_by(lambda: first(made, 4)), (2.0, ""))

    def test_a_local_variable_is_not_the_global_of_its_name(self):
        global number
        fresh()
        made = defined(INSIDE.replace("made(n)", "made(n, number)").format(read="number"))
        first(made, 4, 7)
        number = 9
        self.assertEqual(printed_by(lambda: first(made, 4, 7)), (7.0, ""))
        fresh()

    def test_an_equal_number_is_the_same(self):
        global number
        for value in (10**6, 1e300, -0.0, float("nan")):
            number = value
            made = defined(LAZY.format(read="1 if number == number else 0"))
            first(made, 4)
            number = float(str(value)) if isinstance(value, float) else int(str(value))
            self.assertEqual(printed_by(lambda: first(made, 4))[1], "")
        fresh()


class Arguments(unittest.TestCase):
    def test_types_are_part_of_the_key(self):
        made = defined(textwrap.dedent("""
            @tilelang.jit(out_idx=[-1])
            def made(n, c):
                c = c.factor if isinstance(c, Equal) else c[0] if isinstance(c, (list, tuple)) else c["k"] if isinstance(c, dict) else c
                kind = {bool: 1, int: 2, float: 3}[type(c)] * (-1 if str(c)[0] == "-" else 1)
                @T.prim_func
                def main(B: T.Tensor((n,), "float32")):
                    with T.Kernel(1, threads=32):
                        for i in T.Parallel(n):
                            B[i] = kind
                return main
            """))
        wants = {"1": 2, "True": 1, "1.0": 3, "0.0": 3, "-0.0": -3, "0": 2, "False": 1}
        seed = random.randrange(10**6)
        calls = [(wrap, text) for wrap in ("{}", "({},)", "[{}]", "{{'k': {}}}", "Equal({})") for text in wants] * 2
        random.Random(seed).shuffle(calls)
        for named, (wrap, text) in itertools.product((False, True), calls):
            c = eval(wrap.format(text))
            kernel = made(4, c=c) if named else made(4, c)
            self.assertEqual(float(kernel()[0]), wants[text], f"{wrap.format(text)}, seed {seed}")

    def test_an_object_that_changed(self):
        made = defined(LAZY.replace("made(n)", "made(n, c)").format(read="c.factor"))
        c = Config(2)
        c.__class__ = type("Hashable", (Config,), {"__hash__": object.__hash__, "__eq__": object.__eq__})
        self.assertEqual(first(made, 4, c), 2)
        c.factor = 5
        self.assertEqual(first(made, 4, c), 5)

    def test_lambdas_and_partial_applications(self):
        made = defined(LAZY.replace("made(n)", "made(n, c)").format(read="c * number"))
        eager = defined(EAGER.replace("made(n)", "made(n: int, c: int)").format(read="c * number"))
        factory, body = made.func, eager.func
        for function in (lambda n: factory(n, 3), functools.partial(factory, c=3), functools.partial(factory, 4, 3)):
            values = () if getattr(function, "args", ()) else (4,)
            self.assertEqual(float(tilelang.jit(function, out_idx=[-1])(*values)()[0]), 6)
        for function in (functools.partial(body, c=3), functools.partial(body, 4, 3)):
            values = () if function.args else (4,)
            self.assertEqual(float(tilelang.jit(function)(*values)[0]), 6)

    def test_a_function_that_reads_a_global(self):
        global number
        made = defined(LAZY.replace("made(n)", "made(n, c)").format(read="c()"))
        self.assertEqual(first(made, 4, helper), 4)
        number = 5
        self.assertEqual(first(made, 4, helper), 10)
        self.assertEqual(first(made, 4, functools.partial(outer_helper, 3)), 30)
        fresh()


if __name__ == "__main__":
    unittest.main()
