# SPDX-License-Identifier: Apache-2.0
"""Valid operations on a reducer: every order of its operations, and every place of them in a
loop or a branch, against the rules written down once more. TileLang refuses the same."""

import itertools
import linecache
import re
import unittest

import support  # noqa: F401
import tilelab as tilelang

HEAD = '''
import tilelab.language as T
@T.prim_func
def f(A: T.Tensor((32, 4), "float32"), B: T.Tensor((32,), "float32"), flag: T.int32):
    with T.Kernel(1, threads=32):
        acc = T.alloc_reducer((32,), "float32")
        out = T.alloc_fragment((32,), "float32")
'''
OPERATIONS = {
    "I": ["T.reducer_init(acc)"],
    "U": ["for i, j in T.Parallel(32, 4):", "    acc[i] += A[i, j]"],
    "F": ["T.finalize_reducer(acc, out)"],
    "R": ["T.copy(acc, B)"],
}
PLACES = {"": [], "l": ["for k in T.serial(2):"], "b": ["if flag > 0:"], "bl": ["if flag > 0:", "    for k in T.serial(2):"],
          "lb": ["for k in T.serial(2):", "    if flag > 0:"]}
count = 0


def indented(lines, depth):
    return [" " * 4 * depth + line for line in lines]


def problem(lines):
    """The error of making the kernel, or ""."""
    global count
    count += 1
    text = HEAD + "\n".join(indented(lines or ["T.clear(out)"], 2)) + "\n"
    file, names = f"<reducer {count}>", {}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    try:
        exec(compile(text, file, "exec"), names)
        tilelang.compile(names["f"])
    except tilelang.CompileError as error:
        return str(error)
    return ""


class Life(unittest.TestCase):
    def test_every_order(self):
        for length in range(5):
            for order in itertools.product("IUFR", repeat=length):
                word = "".join(order)
                said = problem([line for step in order for line in OPERATIONS[step]])
                good = re.fullmatch("(IU*FR*)?", word) is not None
                self.assertEqual(said == "", good, f"{word}: {said}")
                if said:
                    self.assertEqual(set(re.findall(r"error\[([\w-]+)\]", said)), {"reducer-use"}, word)
                    self.assertEqual(said.count("error["), 1, f"{word}: one message for what follows from one mistake")
                    self.assertIn("\nhelp: ", said)

    def test_every_place_of_init_and_finalize(self):
        for start, update, end in itertools.product(PLACES, repeat=3):
            lines = []
            for place, step in ((start, "I"), (update, "U"), (end, "F")):
                lines += PLACES[place] + indented(OPERATIONS[step], len(PLACES[place]))
            # Each is in a separate loop or branch: only an init outside of all encloses the end.
            good = start == "" and "l" not in end
            self.assertEqual(problem(lines) == "", good, "\n".join(lines))

    def test_all_of_it_in_one_place(self):
        for place, lines in PLACES.items():
            whole = [line for step in "IUF" for line in OPERATIONS[step]]
            self.assertEqual(problem(lines + indented(whole, len(lines))), "", place)

    def test_each_rule_has_its_words(self):
        said = {"U": "updated before T.reducer_init", "IUR": "read before T.finalize_reducer", "II": "double T.reducer_init",
                "IU": "never finalized", "IFU": "updated after T.finalize_reducer", "IFF": "double T.finalize_reducer",
                "F": "T.finalize_reducer before T.reducer_init"}
        for word, words in said.items():
            self.assertIn(words, problem([line for step in word for line in OPERATIONS[step]]), word)
        self.assertIn("outside any T.Parallel", problem([*OPERATIONS["I"], "acc[0] += A[0, 0]", *OPERATIONS["F"]]))
        self.assertIn("illegal store to reducer", problem([*OPERATIONS["I"], "T.copy(B, acc)", *OPERATIONS["F"]]))
        self.assertIn("not in the scope", problem(["for k in T.serial(2):", "    T.reducer_init(acc)", *OPERATIONS["F"]]))


if __name__ == "__main__":
    unittest.main()
