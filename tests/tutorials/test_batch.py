# SPDX-License-Identifier: Apache-2.0
"""The demo, `tilelab compile` and `tilelab check`: test_batch.py TILELAB."""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEMO = os.path.join(ROOT, "tutorials", "demo.py")
SANITIZED = bool(os.environ.get("TILELAB_SANITIZED"))
PROGRAM = os.path.abspath(sys.argv[1])


def tilelab(*arguments, status=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def children_seconds():
    """Of the processor: the time on the clock is that of the machine's other work as well."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Batch(unittest.TestCase):
    def test_demo(self):
        before = children_seconds()
        out, _ = tilelab(DEMO)
        if not SANITIZED:
            self.assertLess(children_seconds() - before, 5)
        for text in ("largest error", "matmul#1[M=512", "infer_layouts", "C_local[17, 40]  ->  warp",
                     "__global__"):
            self.assertIn(text, out)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_compile_python(self):
        where = f"{DEMO}:matmul"
        sizes = ["M=256", "N=256", "K=128"]
        out, _ = tilelab("compile", where, *sizes, "--emit", "passes")
        self.assertIn("lower_tile_ops", out)
        out, _ = tilelab("compile", where, *sizes, "--emit", "c")
        self.assertIn("matmul_k0(", out)
        out, _ = tilelab("compile", where, *sizes, "--target", "sm_80", "--emit", "json")
        data = json.loads(out)
        self.assertEqual(data["target"], "sm_80")
        self.assertEqual(data["snapshots"][0]["after"], "")
        out, _ = tilelab("compile", where, *sizes, "--emit", "layouts")
        self.assertIn("C_local  f32[128, 128]  fragment over 128 threads", out)
        _, err = tilelab("compile", where, status=1)
        self.assertIn("matmul has no values yet for M, N, K: write matmul M=... N=... K=...", err)
        _, err = tilelab("compile", where, "N=64", status=1)
        self.assertIn("matmul has no values yet for M, K: write matmul M=... N=64 K=...", err)

    def test_output_is_named_once(self):
        with tempfile.TemporaryDirectory() as directory:
            _, err = tilelab("compile", f"{DEMO}:matmul", "M=64", "N=64", "K=64", "--emit", "c", "-o", directory)
            self.assertEqual(err, f"wrote {directory}/matmul.mu\n")

    def test_shapes(self):
        where = f"{DEMO}:matmul"
        with tempfile.TemporaryDirectory() as directory:
            with open(os.path.join(directory, "shapes"), "w") as file:
                file.write("M=256 N=256  # the first\n\nN=128, M=128\n")
            shapes = ["--shapes", os.path.join(directory, "shapes"), "--shape", "M=64 N=64"]
            tilelab("compile", where, "K=128", *shapes, "--target", "sm_90a", "--emit", "c", "-o", directory)
            names = [f"matmul_{shape}" for shape in ("M256_N256", "N128_M128", "M64_N64")]
            self.assertEqual(sorted(os.listdir(directory)), sorted(["shapes", *(name + ".cu" for name in names)]))
            for name in names:
                with open(os.path.join(directory, name + ".cu")) as file:
                    self.assertIn(f'extern "C" const char* {name}_host(', file.read())
        for shapes, status, text in ((["--shape", "M"], 1, "shape 'M': M is not NAME=VALUE"), (["--shapes", "/dev/null"], 2, "has no shapes"),
                                     (["--shapes", "/no/such/file"], 2, "cannot read /no/such/file"),
                                     (["--shape", "M=64"], 1, "matmul has no value yet for N")):
            self.assertIn(text, tilelab("compile", where, "K=128", *shapes, status=status)[1])

    def test_a_header_chooses_a_library_by_shape(self):
        shapes = ["--shape", "M=32 N=64", "--shape", "M=64 N=32"]
        with tempfile.TemporaryDirectory() as directory:
            _, err = tilelab("compile", f"{DEMO}:matmul", "K=32", *shapes, "--target", "cpu", "--emit", "library", "-o", directory)
            self.assertIn(f"wrote {directory}/matmul.h, which chooses by shape\n", err)
            with open(os.path.join(directory, "matmul.h")) as file:
                text = file.read()
            for m, n in ((32, 64), (64, 32)):
                self.assertIn(f'#include "matmul_M{m}_N{n}.h"', text)
                self.assertRegex(text, rf"C && C->rank == 2 && C->shape\[0\] == {m} && C->shape\[1\] == {n}\)\n    return matmul_M{m}_N{n}_host\(")
            for compiler, language in (("cc", "-std=c99"), ("c++", "-std=c++17")):
                subprocess.run([compiler, language, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c" if compiler == "cc" else "c++",
                                "-include", "matmul.h", "/dev/null"], cwd=directory, check=True)

    def test_required_paths(self):
        where, sizes = f"{DEMO}:matmul", ["M=256", "N=256", "K=128"]
        tilelab("compile", where, *sizes, "--target", "sm_90a", "--require", "wgmma", "--require", "tma,roles")
        _, err = tilelab("compile", where, *sizes, "--target", "sm_80", "--require", "wgmma", status=1)
        self.assertIn("error[required-path]: required code path `wgmma` is lost at T.gemm", err)
        self.assertIn("sm_80 has no wgmma", err)
        _, err = tilelab("compile", where, *sizes, "--require", "wgma", status=2)
        self.assertIn("--require wgma: use ", err)

    def test_resuming_from_text_gives_the_same_code(self):
        with tempfile.TemporaryDirectory() as directory:
            sizes = ["M=256", "N=256", "K=128"]
            whole, _ = tilelab("compile", f"{DEMO}:matmul", *sizes, "--emit", "c")
            for after in ("canonicalize", "infer_layouts", "lower_tile_ops"):
                tilelab("compile", f"{DEMO}:matmul", *sizes, "--after", after, "-o", directory)
                resumed, _ = tilelab("compile", os.path.join(directory, "matmul.tile"), "--emit", "c")
                # Loops that a pass made have no place in the source; read from text they have one.
                self.assertEqual(*(re.sub(r"//.*", "", text).split() for text in (resumed, whole)), after)

    def test_text_that_breaks_a_rule(self):
        with tempfile.TemporaryDirectory() as directory:
            where = os.path.join(directory, "two_indices.ir")
            with open(where, "w") as file:
                file.write('ir(1, level="flat", target="mp_31", after="flatten")\n'
                           "def f(A: tensor(f32, [8, 8])):\n"
                           '    with kernel("k", grid=[1, 1, 1], block=64) as bx:\n'
                           "        A[tid, 0] = 0.0\n")
            _, err = tilelab("compile", where, "--emit", "c", status=1)
            self.assertIn("error[ir-rule]: flat memory has one index, not 2: `A`", err)
            self.assertNotIn("internal error", err)

    def test_wrong_usage(self):
        for arguments in (["compile"], ["compile", DEMO, "--emit", "x"], ["compile", DEMO, "--aftr", "x"],
                          ["compile", DEMO, "--after", "infer_layout"], ["check"]):
            _, err = tilelab(*arguments, status=2)
            self.assertEqual(err.count("\n"), 1, err)
        _, err = tilelab("compile", DEMO, "--target", "mp31", status=2)
        self.assertIn("'mp31' is not a target", err)
        _, err = tilelab("chek", status=2)
        self.assertIn("no file or command chek; did you mean tilelab check?", err)
        for command in ("compile", "check"):
            _, err = tilelab(command, "/no/such/file", status=2)
            self.assertIn("cannot read /no/such/file", err)
        tilelab("/no/such/file", status=2)

    def test_a_kernel_that_the_file_has_not(self):
        with tempfile.TemporaryDirectory() as directory:
            where = os.path.join(directory, "some.py")
            for text, names in (("x = 1\n", ", and no other\n"),
                                ("import tilelang\n@tilelang.jit\ndef mine(N): pass\n", "; there are mine\n")):
                with open(where, "w") as file:
                    file.write(text)
                _, err = tilelab("compile", where + ":other", status=1)
                self.assertEqual(err, f"tilelab compile: no kernel other in {where}{names}")

    def test_a_program_that_raises(self):
        with tempfile.TemporaryDirectory() as directory:
            where = os.path.join(directory, "broken.py")
            with open(where, "w") as file:
                file.write("def f():\n    return 1 // 0\nf()\n")
            _, err = tilelab("compile", where, status=1)
            self.assertIn("ZeroDivisionError", err)
            self.assertIn("broken.py did not finish", err)

    def test_a_warning_is_said_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "last.py")
            with open(path, "w") as file:
                file.write("import tilelang, tilelang.language as T\n@T.prim_func\n"
                           "def last(A: T.Tensor((64,), 'float32'), B: T.Tensor((1,), 'float32')):\n"
                           "    with T.Kernel(1, threads=32):\n        for i in T.Parallel(64):\n"
                           "            B[0] = A[i]\ntilelang.compile(last).passes()\n")
            for arguments in ([path], ["compile", path, "--emit", "c"]):
                _, err = tilelab(*arguments)
                self.assertEqual(err.count("warning[parallel-same-element]"), 1, err)

    def test_check(self):
        out, _ = tilelab("check", os.path.join(HERE, "racy.py"), status=1)
        self.assertIn("race: S[", out)
        self.assertEqual(out.count("S[j, i] = S[i, j]"), 2)
        self.assertIn("transpose#1[N=16]@mp_31: 1 finding in 1 block", out)
        out, _ = tilelab("check", DEMO)
        self.assertRegex(out, r"proved for \d+ blocks, \d+ simulated at tile, thread and flat level")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
