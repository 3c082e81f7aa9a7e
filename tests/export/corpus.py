# SPDX-License-Identifier: Apache-2.0
"""corpus.py DIRECTORY [--target mp_31 mp_22] [FILTER...]: the kernels of tests/kernels, the worked kernels of
tests/ir/kernels and generated ones as programs for a machine with a GPU of Moore Threads.

DIRECTORY/TARGET/run.sh builds and runs them there. A filter is a part of a kernel's name. Values come from
TILELAB_SEED (1); what is expected is NumPy's, in float64, with the tolerances of tests/kernels/case.py.
"""
import argparse
import os
import pathlib
import re
import sys

import numpy as np
import tilelab
import tilelab.language
import tilelab.layout

for _name in ("", ".language", ".layout"):
    sys.modules.setdefault("tilelang" + _name, __import__("importlib").import_module("tilelab" + _name))
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/kernels"))

import case  # noqa: E402
import run as corpus  # noqa: E402
from tilelab._compiler.errors import CompileError  # noqa: E402
from tilelab._kernel import export  # noqa: E402

TARGETS = ("mp_31", "mp_22")
SEED = int(os.environ.get("TILELAB_SEED") or 1)
# Worked kernels for mp_31 of IR text: name of the file, constants, and of their parameters the references.
WORKED = {"gemm_tme": ("matmul", lambda a, b, c: {2: a.astype(float) @ b.astype(float)}, 512),
          "softmax": ("softmax", None, 0)}


def written(func, name, values, expected, target, directory):
    """`expected`: {parameter's number: (array, terms, magnitude)}, or None: the simulator's."""
    kernel = tilelab.compile(func, target=target) if not isinstance(func, tilelab.JITKernel) else func
    wanted = None
    if expected is not None:
        wanted = {}
        for i, (want, terms, magnitude) in expected.items():
            dtype = np.dtype(values[i].dtype)
            if dtype.kind != "f":
                wanted[i] = want.astype(dtype), 0, 0
                continue
            absolute = np.max(case.tolerance(dtype, np.zeros(1), terms, magnitude=np.max(
                magnitude(want)) if callable(magnitude) else magnitude))
            wanted[i] = want.astype(np.float64), 2 * case.EPS[dtype], float(absolute)
    export.write(kernel, directory, values, name, wanted)


def of_case(one, target, directory):
    """A kernel of the corpus, in the size that its blocks do not divide."""
    size = one.sizes[corpus.TAILS]
    func = one.factory(**size)
    values, outputs, expected = corpus.arrays_of(one, size, func.func, np.random.default_rng([SEED, *one.name.encode()]))
    wanted = {i: (want, one.terms(**size), one.magnitude) for i, want in zip(outputs, expected)}
    written(func, one.name, corpus.declared(values, func.func.params), wanted, target, directory)


def of_text(name, directory):
    """A complete kernel, written manually for mp_31."""
    function, reference, terms = WORKED[name]
    text = (ROOT / f"tests/ir/kernels/{name}_tile.py").read_text()
    func, said = tilelab._core.read_ir(name, text)
    assert func is not None, said
    rng, values = np.random.default_rng(SEED), []
    for param in func.params:
        shape = [100 if isinstance(extent, str) else extent for extent in param["shape"]]
        values.append(rng.uniform(-1, 1, shape).astype(param["dtype"]))
    expected = reference and {i: (want, terms, 1.0) for i, want in reference(*values).items()}
    written(tilelab.JITKernel(func), f"worked_{name}", values, expected, "mp_31", directory)


def plan(filters, targets):
    """(name, target, what writes it into a directory)."""
    for name in case.MODULES:
        __import__(name)
    for target in targets:
        for one in case.CASES:
            if target in one.targets and (not filters or any(f in one.name for f in filters)):
                yield one.name, target, lambda to, one=one, target=target: of_case(one, target, to)
        for name in WORKED if target == "mp_31" else ():
            if not filters or any(f in f"worked_{name}" for f in filters):
                yield f"worked_{name}", target, lambda to, name=name: of_text(name, to)


def export_all(directory, targets=TARGETS, filters=()):
    """{target: names that were written}; what a target refuses is said."""
    made = {target: [] for target in targets}
    for name, target, write in plan(filters, targets):
        try:
            write(pathlib.Path(directory) / target)
        except CompileError as error:
            print(f"{name} for {target}: {re.search(r'error.*', str(error))[0]}", file=sys.stderr)
            continue
        made[target].append(name)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("filters", nargs="*")
    parser.add_argument("--target", nargs="+", choices=TARGETS, default=TARGETS)
    args = parser.parse_args()
    for target, names in export_all(args.directory, args.target, args.filters).items():
        print(f"{len(names)} kernels for {target}: sh {args.directory}/{target}/run.sh")


if __name__ == "__main__":
    main()
