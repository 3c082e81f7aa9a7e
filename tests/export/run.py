# SPDX-License-Identifier: Apache-2.0
"""run.py MU_CHECK DRIVER TILELAB: exported programs pass L0 to L2 from their files alone.

`run.sh` builds and runs them as it does on the hardware; emulating_mcc stands for mcc, and DRIVER, the CPU emulation, for
Moore Threads' runtime. MU_CHECK lints the exported IR (L0) and type-checks the exported C (L1). A few kernels of both
architectures; with TILELAB_LONG all. Then what must fail does.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import corpus
import tilelab
import tilelab.language as T

HERE = pathlib.Path(__file__).resolve().parent
LONG = bool(os.environ.get("TILELAB_LONG"))
# An engine's copies and SQMMA, a ring, products that are generated, atomics, shuffles of 128 lanes, workspaces.
FEW = {"mp_31": ("worked_gemm_tme", "units_gemm", "units_attention", "row_softmax"),
       "mp_22": ("warp_sums_by_shuffles", "histogram", "row_softmax", "units_gemm_of_groups")}
FAILED = []


def expect(condition, what):
    if not condition:
        FAILED.append(what)
        print(f"FAILED {what}", flush=True)


def run(directory, *names, **variables):
    """(exit status, lines) of the exported script, using only the stand-ins of compiler and driver from this tree."""
    environment = {"PATH": os.environ["PATH"], "MCC": str(HERE / "emulating_mcc"), "EMULATED_DRIVER": sys.argv[2], "JOBS": "2",
                   **variables}
    done = subprocess.run(["sh", directory / "run.sh", *names], capture_output=True, text=True, env=environment, cwd="/")
    return done.returncode, (done.stdout + done.stderr).splitlines()


def check_corpus(directory):
    for target, few in FEW.items():
        names = corpus.export_all(directory, [target], () if LONG else few)[target]
        if not LONG:
            names = [name for name in names if name in few]
        expect(len(names) >= (40 if LONG else len(FEW[target])), f"{target}: {len(names)} kernels")
        status, lines = run(directory / target, *names)
        print(lines[-1], flush=True)
        expect(status == 0 and lines[-1] == f"{len(names)} kernels: {len(names)} right, 0 wrong, 0 not built",
               "\n".join(line for line in lines if ": right" not in line))
        files = [directory / target / f"{name}.{kind}" for name in names for kind in ("tile", "mu")]
        arch = {"mp_31": "310", "mp_22": "220"}[target]
        done = subprocess.run([sys.argv[1], "--types", "--arch", arch, *files], capture_output=True, text=True)
        expect(done.returncode == 0 and done.stdout.count("lint good") == len(names)
               and done.stdout.count("types good") == len(names), done.stdout + done.stderr)


@T.prim_func
def shifted(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = A[i] + 1.0
            C[i] = C[i] + n
        T.device_assert(n < 9, "few")


def broken(directory, edit, *names, **variables):
    """The output of run.sh in a copy of the directory after `edit`."""
    copy = directory.parent / "broken"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(directory, copy)
    edit(copy)
    status, lines = run(copy, *names, **variables)
    return status, "\n".join(lines)


def replaced(name, old, new):
    def edit(directory):
        text = (directory / name).read_text()
        assert text.count(old) == 1, (name, old)
        (directory / name).write_text(text.replace(old, new))
    return edit


def one_changed(name, dtype, index, value):
    def edit(directory):
        data = np.fromfile(directory / "data" / name, dtype)
        data[index] = value
        data.tofile(directory / "data" / name)
    return edit


DYNAMIC = """
import tilelang.language as T
@T.prim_func
def scaled(A: T.Tensor((T.dynamic("m"), 24), "float16"), factor: T.float32, B: T.Tensor((T.dynamic("m"), 24), "float16")):
    with T.Kernel(T.ceildiv(A.shape[0], 16), threads=128) as bx:
        for i, j in T.Parallel(16, 24):
            B[bx * 16 + i, j] = T.exp2(A[bx * 16 + i, j]) * factor
"""


def check_command_line(directory):
    """`tilelab compile`, with a generated call."""
    directory.mkdir()
    (directory / "k.py").write_text(DYNAMIC)
    for target in FEW:
        done = subprocess.run([sys.argv[3], "compile", directory / "k.py", "--target", target, "-o", directory / target],
                              capture_output=True, text=True)
        expect(done.returncode == 0 and "scaled.mu" in done.stderr, done.stderr)
        status, lines = run(directory / target)
        expect(status == 0 and lines[0].startswith("scaled: right, 2400 elements"), lines)
    for wrong, says in ((["--emit", "program"], "needs -o DIRECTORY"),
                        (["--emit", "program", "-o", directory / "x", "--target", "sm_80"], "targets of Moore Threads, not for sm_80")):
        done = subprocess.run([sys.argv[3], "compile", directory / "k.py", *wrong], capture_output=True, text=True)
        expect(done.returncode != 0 and says in done.stderr, done.stderr)


def check_failures(directory):
    """Failures on the hardware are reported; uncomputed results never pass."""
    kernel, rng = tilelab.compile(shifted, target="mp_31"), np.random.default_rng(1)
    a, c = rng.standard_normal(64).astype("float32"), np.arange(64, dtype="int32")
    kernel.export_program(directory, a, 5, np.zeros(64, "float32"), c)
    expect(np.array_equal(np.fromfile(directory / "data/shifted.C.want", "int32"), c + 5), "the simulator's results")
    expect(not (directory / "data/shifted.B.in").exists(), "an output that is not poisoned")
    status, lines = run(directory)
    expect(status == 0 and lines[0].startswith("shifted: right, 128 elements"), lines)
    for what, edit, says in (
            ("another sum", replaced("shifted.mu", "+ 1.0f", "+ 1.5f"), r"WRONG, B: 64 of 64 elements"),
            ("an element off", one_changed("shifted.B.want", "float64", 17, 1e3), r"WRONG, B: 1 of 64 .*number 17: .*expected 1000"),
            ("an integer off", one_changed("shifted.C.want", "int32", 63, -1), r"WRONG, C: 1 of 64 .*number 63"),
            ("elements that are not written", replaced("shifted.mu", "B[tid] =", "if (tid != 3) B[tid] ="), r"B: 1 of 64 .*number 3: nan"),
            ("an assertion", replaced("shifted.mu", "<int>(0x5ull)", "<int>(0x9ull)"), r"WRONG, 1 assertions failed"),
            ("a shape that is refused", replaced("shifted.mu", '"A", {2, 32}, tl_host::tl_dims(64)', '"A", {2, 32}, tl_host::tl_dims(63)'),
             r"FAULT, A: dimension 0 is 63, expected 64"),
            ("code that does not compile", replaced("shifted.mu", "+ 1.0f", "+ undeclared"), r"NOT BUILT, .*undeclared.*\n.* 1 not built"),
            ("a file that is missing", lambda d: (d / "data/shifted.A.in").unlink(), r"FAULT, data/shifted.A.in can't be read"),
            ("a kernel that never ends", replaced("shifted.mu", "int main(int argc, char** argv) {",
                                                  "int main(int argc, char** argv) {\n  for (volatile int i = 0;; ++i);"), "ENDLESS")):
        status, said = broken(directory, edit, LIMIT="3")
        expect(status == 1 and re.search(says, said), f"{what}: {said}")
    status, said = broken(directory, lambda d: None, MCC="/nowhere/mcc")
    expect(status == 3 and "no mcc: /nowhere/mcc is not a program" in said, said)
    status, said = broken(directory, replaced("run.sh", " -ffp-contract=off", ""))
    expect(status == 1 and "the command lacks -ffp-contract=off" in said, said)


def main():
    start = time.time()
    with tempfile.TemporaryDirectory() as scratch:
        check_corpus(pathlib.Path(scratch) / "corpus")
        check_command_line(pathlib.Path(scratch) / "line")
        check_failures(pathlib.Path(scratch) / "failures")
    print(f"{len(FAILED)} failed; {time.time() - start:.1f} s")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
