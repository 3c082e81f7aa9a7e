# SPDX-License-Identifier: Apache-2.0
"""Random block programs in Triton's language: a generator of their text, and two references: NumPy, and Triton's interpreter.

    PYTHONPATH=python python3 tests/triton/random_programs.py COUNT [SEED] [--triton] [--gpu]

`--triton` needs torch and triton, and TRITON_INTERPRET=1 for its interpreter. `--gpu` runs both compilers' kernels on a GPU. A program that fails is printed in the smallest form that still fails.
"""

import random
import sys

import numpy as np

GPU = "--gpu" in sys.argv
TOLERANCE = 1e-2 if GPU else 2e-3  # products on a GPU have operands in tfloat32
M, N = 16, 32  # extents of blocks
HEAD = """
def kernel(x_ptr, y_ptr, k_ptr, out_ptr, iout_ptr, n, LOOPS: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, 16)
    j = tl.arange(0, 32)
    at = pid * 512 + i[:, None] * 32 + j[None, :]
"""


class Program:
    """Statements with the names that they define: {name: (shape, dtype)}; dtype "f" or "i"."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.names, self.count, self.indent = [], {"i": ((M,), "i"), "j": ((N,), "i"), "pid": ((), "i"), "n": ((), "i")}, 0, 1
        self.stored = {"f": 0, "i": 0}
        self.made = False  # inside of a branch or loop
        for _ in range(self.random.randint(4, 12)):
            self.statement()
        self.finish()

    def text(self, lines=None):
        return HEAD + "\n".join(self.lines if lines is None else lines) + "\n"

    def add(self, text):
        self.lines.append("    " * self.indent + text)

    def new(self, shape, dtype, text):
        name = f"v{self.count}"
        self.count += 1
        self.add(f"{name} = {text}")
        self.names[name] = shape, dtype
        return name

    def pick(self, shape=None, dtype=None):
        """A name of that shape and dtype; None if there is none."""
        found = [name for name, (s, d) in self.names.items() if shape in (None, s) and dtype in (None, d)]
        return self.random.choice(found) if found else None

    def shape(self):
        return self.random.choice([(), (M,), (N,), (M, N), (M, N)])

    def operand(self, shape, dtype):
        """An expression that broadcasts to a shape."""
        options = [self.pick(shape, dtype), repr(self.random.choice([1, 2, 3, 5])) if dtype == "i" else self.random.choice(["0.5", "1.25", "-2.0"])]
        if shape == (M, N):
            row, column = self.pick((N,), dtype), self.pick((M,), dtype)
            options += [f"{row}[None, :]" if row else None, f"{column}[:, None]" if column else None]
        options.append(self.pick((), dtype) if dtype == "f" else None)
        return self.random.choice([o for o in options if o])

    def statement(self):
        kinds = [self.load, self.load, self.arithmetic, self.arithmetic, self.arithmetic, self.choose, self.reduce, self.scan, self.product,
                 self.moved, self.store, self.converted, self.narrowed, self.ordered, self.atomic, self.halves]
        if self.indent < 3:
            kinds += [self.loop, self.branch, self.repeated]
        self.random.choice(kinds)()

    def offsets(self, shape):
        """Offsets and a mask for a block of a tensor with 2 * 512 elements."""
        if shape == (M, N):
            return "at", "(at < n) & (j[None, :] != 7)"
        name = {(M,): "i", (N,): "j"}[shape]
        return f"pid * 32 + {name}", f"{name} < {self.random.choice([5, 16, 31])}"

    def load(self):
        shape = self.random.choice([(M,), (N,), (M, N)])
        offsets, mask = self.offsets(shape)
        pointer, dtype = self.random.choice([("x_ptr", "f"), ("y_ptr", "f"), ("k_ptr", "i")])
        other = ("1.5" if dtype == "f" else "3") if self.random.random() < 0.7 else ("0.0" if dtype == "f" else "0")
        self.new(shape, dtype, f"tl.load({pointer} + {offsets}, mask={mask}, other={other})" if self.random.random() < 0.6
                 else f"tl.load({pointer} + {offsets})")

    def arithmetic(self):
        shape, dtype = self.shape(), self.random.choice("ffi")
        a = self.pick(shape, dtype)
        if a is None:
            return self.load()
        b = self.operand(shape, dtype)
        if dtype == "i":
            text = self.random.choice([f"({a} & 255) + {b}", f"({a} & 63) * ({b} & 15)", f"({a} ^ {b}) & 1023", f"({a} & 1023) // 3",
                                       f"({a} & 1023) % 7", f"({a} & 15) << 2", f"({a} & 4095) >> 1", f"tl.minimum({a}, {b})"])
        else:
            text = self.random.choice([f"{a} + {b}", f"{a} * 0.5 - {b}", f"{a} * tl.sigmoid({b} * 1.0)" if b[0] == "v" else f"{a} * {b}",
                                       f"tl.maximum({a}, {b})", f"tl.exp(tl.minimum({a}, 1.0))", f"tl.abs({a})", f"-{a}",
                                       f"{a} / (tl.abs({a}) + 1.0)", f"tl.sqrt(tl.abs({a}))"])
        self.new(shape, dtype, text)

    def choose(self):
        shape, dtype = self.random.choice([(M,), (N,), (M, N)]), self.random.choice("fi")
        a, k = self.pick(shape, dtype), self.pick(shape, "i")
        if a and k:
            self.new(shape, dtype, f"tl.where(({k} & 1) == 0, {a}, {self.operand(shape, dtype)})")

    def reduce(self):
        shape, dtype = self.random.choice([(M,), (N,), (M, N), (M, N)]), self.random.choice("ffi")
        a = self.pick(shape, dtype)
        if a is None:
            return
        name = self.random.choice(["sum", "max", "min"] if dtype == "f" else ["sum", "max", "min", "xor_sum"])
        value = f"{a} * 0.25" if dtype == "f" and name == "sum" else f"{a} & 63" if dtype == "i" else a
        axis = self.random.randrange(len(shape))
        self.new(shape[:axis] + shape[axis + 1:], dtype, f"tl.{name}({value}, axis={axis})")

    def scan(self):
        shape = self.random.choice([(M,), (N,), (M, N)])
        a = self.pick(shape, "f")
        if a:
            self.new(shape, "f", f"tl.cumsum({a} * 0.125, axis={self.random.randrange(len(shape))})")

    def product(self):
        a, b = self.pick((M, N), "f"), self.pick((M, N), "f")
        if a and b:
            self.new((M, N), "f", f"tl.dot(tl.dot({a} * 0.125, tl.trans({b} * 0.125)), {b} * 0.25)")

    def moved(self):
        dtype = self.random.choice("fi")
        a = self.pick((M, N), dtype)
        if a:
            self.new((M, N), dtype, self.random.choice([
                f"tl.reshape(tl.trans({a}), [16, 32])", f"tl.trans(tl.reshape({a}, [32, 16]))", f"tl.flip({a}, 1)",
                f"tl.reshape(tl.reshape({a}, [512]), [16, 32])", f"tl.reshape(tl.broadcast_to(tl.reshape({a}, [16, 32, 1]), [16, 32, 1]), [16, 32])"]))

    def converted(self):
        shape = self.shape()
        a = self.pick(shape, "i")
        if a:
            self.new(shape, "f", f"tl.cast({a} & 31, tl.float32) * 0.0625")

    def narrowed(self):
        shape = self.shape()
        a = self.pick(shape, "f")
        if a:
            self.new(shape, "f", f"tl.cast(tl.cast({a}, tl.float16), tl.float32)")

    def ordered(self):
        shape, dtype = self.random.choice([(M,), (N,), (M, N)]), self.random.choice("fi")
        a = self.pick(shape, dtype)
        if a is None:
            return
        if self.random.random() < 0.4:
            self.new(shape, dtype, f"tl.sort({a})")
        else:
            self.new(shape[:-1], "i", f"tl.{self.random.choice(['argmax', 'argmin'])}({a}, axis={len(shape) - 1})")

    def halves(self):
        """Two values made from one, and one from two."""
        shape, dtype = self.random.choice([(M,), (N,), (M, N)]), self.random.choice("fi")
        a, b = self.pick(shape, dtype), self.pick(shape, dtype)
        if a is None:
            return
        names = f"v{self.count}", f"v{self.count + 1}"
        self.count += 2
        self.add(f"{names[0]}, {names[1]} = tl.split(tl.join({a}, {b}))")
        self.names |= {name: (shape, dtype) for name in names}

    def atomic(self):
        shape = self.random.choice([(), (M,), (N,)])
        a = self.pick(shape, "i")
        if a and self.indent == 1:
            index = {(): "", (M,): " + (i & 3)", (N,): " + (j & 7)"}[shape]
            self.add(f"tl.atomic_{self.random.choice(['add', 'max', 'min', 'or', 'and', 'xor'])}(iout_ptr + 12000 + pid * 16 + 16{index}, {a} & 255)")

    def repeated(self):
        """A while loop over a scalar that each iteration computes."""
        name, value = f"w{self.count}", self.pick((), "i")
        self.count += 1
        self.add(f"{name} = ({value} & 63) + 5")
        before, _ = self.nested(f"while {name} > 3:", self.random.randint(0, 2))
        self.indent += 1
        self.add(f"{name} = {self.random.choice([f'{name} // 2', f'({name} * 2 + 1) // 3', f'{name} - 7'])}  # ends")
        self.indent -= 1
        self.names = {**before, name: ((), "i")}

    def store(self):
        dtype = self.random.choice("fi")
        a = self.pick((M, N), dtype)
        pointer = "out_ptr" if dtype == "f" else "iout_ptr"
        if a is None or self.stored[dtype] >= 3:
            return
        if self.random.random() < 0.3 and not GPU:  # in place, with a load before or after it, which may be another thread's
            pointer = "x_ptr" if dtype == "f" else "k_ptr"
            self.add(f"tl.store({pointer} + at, {a}, mask=j[None, :] < 30)")
            return
        self.add(f"tl.store({pointer} + at + {1024 * self.stored[dtype]}, {a})")
        self.stored[dtype] += 1

    def nested(self, head, count):
        before, at = dict(self.names), len(self.lines)
        self.add(head)
        self.indent += 1
        for _ in range(count):
            self.statement()
        self.indent -= 1
        return before, at

    def loop(self):
        shape = self.random.choice([(), (M,), (M, N)])
        carried = self.pick(shape, "f")
        if carried is None:
            return
        name = f"c{self.count}"
        self.count += 1
        self.add(f"{name} = {carried} * 0.5")
        self.names[name] = shape, "f"
        bound = self.random.choice(["LOOPS", "n - 1021", "pid + 1"])
        before, _ = self.nested(f"for k{self.count} in range({bound}):", self.random.randint(1, 4))
        self.indent += 1
        made = self.operand(shape, "f")
        self.add(self.random.choice([f"{name} = {name} * 0.5 + {made}", f"{name} += {made}", f"{name} = tl.maximum({name}, {made})"]))
        self.indent -= 1
        self.names = before

    def branch(self):
        shape = self.random.choice([(M,), (M, N), ()])
        name = self.pick(shape, "f")
        if name is None or name[0] != "v":
            return
        before, _ = self.nested(self.random.choice(["if pid == 0:", "if n > 1000:", "if pid + 1 < n - 1022:"]), self.random.randint(1, 3))
        self.indent += 1
        self.add(f"{name} = {name} + {self.operand(shape, 'f')}")
        self.indent -= 1
        self.names = before

    def finish(self):
        """Stores what was computed last, each value where no other thread or program stores."""
        for place, name in enumerate(list(self.names)[::-1][:3]):
            shape, dtype = self.names[name]
            pointer = "out_ptr" if dtype == "f" else "iout_ptr"
            index = {(): "pid * 32", (M,): "pid * 32 + i", (N,): "pid * 32 + j", (M, N): "at"}[shape]
            self.add(f"tl.store({pointer} + {4096 + 2048 * place} + {index}, {name})")


def arguments(seed):
    random_numbers = np.random.default_rng(seed)
    x, y = (random_numbers.standard_normal(1024).astype("float32") for _ in range(2))
    return [x, y, random_numbers.integers(0, 1000, 1024, dtype="int32"), np.zeros(12288, "float32"), np.zeros(12288, "int32")]


def function_of(text, names, name="kernel"):
    """The function of a program; its text is registered, because kernels are read from their source."""
    import linecache

    file = f"<random {abs(hash(text))} {name}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    space = dict(names)
    exec(compile(text, file, "exec"), space)
    return space["kernel"]


def tensors(seed):
    """The arguments as tensors of torch, with --gpu on the GPU."""
    import torch

    return [torch.from_numpy(value).to("cuda" if GPU else "cpu") for value in arguments(seed)]


def run_tilelab(text, seed):
    import tilelab.triton as triton
    import tilelab.triton.language as tl

    values = tensors(seed) if GPU else arguments(seed)
    triton.jit(function_of(text, {"tl": tl}))[(2,)](*values, 1024, LOOPS=3)
    return [value.cpu().numpy() for value in values] if GPU else values


def run_numpy(text, seed):
    import numpy_language

    values = arguments(seed)
    for pid in range(2):
        tl = numpy_language.Language(pid)
        function_of(text, {"tl": tl}, "numpy")(*map(numpy_language.Pointer, values), np.int32(1024), LOOPS=3)
    return values


def run_triton(text, seed):
    """Triton, in a process in which `triton` is Triton: its interpreter with TRITON_INTERPRET=1."""
    import triton
    import triton.language as tl

    values = tensors(seed)
    triton.jit(function_of(text, {"tl": tl}))[(2,)](*values, 1024, LOOPS=3)
    return [value.cpu().numpy() for value in values]


def differs(text, seed, reference):
    """What is wrong with a program: "" if nothing is."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = reference(text, seed)
        except Exception as error:
            return f"reference: {error}"
        try:
            made = run_tilelab(text, seed)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    for name, a, b in zip(("x", "y", "k", "out", "iout"), made, expected):
        if not np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            at = int(np.argmax(~np.isclose(a, b, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)))
            return f"{name}[{at}] is {a[at]}, expected {b[at]}"
    return ""


def smallest(program, seed, reference):
    """Removes lines as long as the program still fails in the same way."""
    lines, problem = list(program.lines), differs(program.text(), seed, reference)
    kind = problem.split(":")[0].split("[")[0]
    at = len(lines) - 1
    while at >= 0:
        if lines[at].endswith("# ends"):
            at -= 1
            continue
        fewer = lines[:at] + lines[at + 1:]
        try:
            compile(program.text(fewer), "", "exec")
            found = differs(program.text(fewer), seed, reference)
        except SyntaxError:
            found = ""
        if found and "not defined" not in found and found.split(":")[0].split("[")[0] == kind:
            lines, problem = fewer, found
        at -= 1
    return program.text(lines), problem


def check(count, first, reference):
    """The number of programs that fail."""
    failed = 0
    for seed in range(first, first + count):
        program = Program(seed)
        if differs(program.text(), seed, reference):
            failed += 1
            text, problem = smallest(program, seed, reference)
            print(f"seed {seed}: {problem}\n{text}")
    print(f"{count} programs from seed {first}, {failed} failed")
    return failed


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    sys.exit(check(int(words[0]), int(words[1]) if len(words) > 1 else 0, run_triton if "--triton" in sys.argv else run_numpy) != 0)
