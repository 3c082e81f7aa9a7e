# SPDX-License-Identifier: Apache-2.0
"""names.py LIBRARY [COUNT [SEED]]: kernels whose names are those that C, its headers and tilelab make up.

One kernel, called in ever other names: its tensors, scalars, buffers, variables and loops, beside and in
one another, with bounds that are known at run time only. Whatever the names, it computes the same at
every level and in C (run.check_one, L1 and L2), and its text with the host section is valid C++ for
MUSA and, where nvcc is there, for CUDA.
"""
import builtins
import itertools
import keyword
import linecache
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np  # noqa: E402

import run  # noqa: E402  (names tilelab as tilelang)
import case  # noqa: E402
import tilelab._core as core  # noqa: E402
import tilelang.language as T  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEVICE = os.path.join(ROOT, "codegen/musa/device")
FOLDERS = ("codegen/c_family", "codegen/musa", "codegen/cuda", "core/passes", "core/ir")

KERNEL = """
{extent} = T.dynamic("{extent}")
@T.prim_func
def {kernel}({a}: T.Tensor(({extent},), "int32"), {b}: T.Tensor((8,), "int32"), {scalar}: T.int32,
             {c}: T.Tensor(({extent},), "int32")):
    with T.Kernel(T.ceildiv({extent}, 32), threads=64) as {block}:
        {shared} = T.alloc_shared((32,), "int32")
        {fragment} = T.alloc_fragment((32,), "int32")
        {let} = {b}[{scalar}]
        {variable} = T.alloc_var("int32", init=1)
        T.device_assert({scalar} < 5)
        for {i} in T.Parallel(32):
            {shared}[{i}] = {a}[{block} * 32 + {i}]
        for {k} in T.serial(T.ceildiv({extent} - {let}, 32)):
            {inner} = {b}[{k} % 8]
            for {m} in T.serial({b}[{inner} % 8]):
                {deep} = {b}[{m} % 8] + {variable}
                {variable} = {variable} + {deep} % 7 * {m}
            for {m} in T.serial({variable} % 5):
                {variable} = {variable} + {inner} * {m}
        for {k} in T.serial({variable} % 5):
            {variable} = {variable} + {let} + {k}
        T.copy({shared}, {fragment})
        for {j} in T.Parallel(32):
            {c}[{block} * 32 + {j}] = {fragment}[{j}] * {scalar} + {variable} + {let}
"""
ROLES = sorted(set(re.findall(r"{(\w+)}", KERNEL)))


def reference(inputs, extent):
    a, b, scalar = inputs
    let, variable = int(b[scalar]), 1
    for k in range(-(-(extent - let) // 32)):
        inner = int(b[k % 8])
        for m in range(int(b[inner % 8])):
            variable += (int(b[m % 8]) + variable) % 7 * m
        for m in range(variable % 5):
            variable += inner * m
    for k in range(variable % 5):
        variable += let + k
    return [(a * scalar + variable + let).astype(np.int32)]


def usable(name):
    return not (keyword.iskeyword(name) or hasattr(builtins, name) or name in ("T", "_"))


def words_of_the_sources():
    """Every word of the writers, spelling tables, device headers, passes and the IR's own text."""
    found = set()
    for folder in FOLDERS:
        for base, _, files in os.walk(os.path.join(ROOT, folder)):
            for file in files:
                if file.endswith((".h", ".cpp", ".def")):
                    with open(os.path.join(base, file)) as text:
                        found.update(re.findall(r"\b[A-Za-z_]\w*", text.read()))
    return found


def macros():
    """Names that the preprocessor defines in a file with both headers, in GNU mode."""
    command = ["g++", "-dM", "-E", "-x", "c++", "-std=gnu++17", "-DTL_EMU", "-D__MUSA_ARCH__=310", f"-I{DEVICE}", "-"]
    text = '#include "tl_device.h"\n#include "tl_host.h"\n#include <math.h>\n#include <limits.h>\n'
    made = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^#define (\w+)", made, re.M))


def made_up_names(rng, all_words):
    """Names that C writing could make of one another: a stem, its end, its numbers."""
    stem = ("i", "k", "v", "at", "x", all_words[rng.integers(len(all_words))])[rng.integers(6)]
    near = [f"{stem}{end}" for end in ("", "_1", "_2", "_3", "_end", "_end_1", "_1_end", "_1_1", "_", "_0", "_part", "_round", "_v")]
    often = ("at", "at_1", "smem", "smem_", "tl_smem", "events", "stream", "wrong", "tid", "tid_1", "lane", "warp", "linux",
             "unix", "sync_phase_0", "threadIdx", "blockIdx", "bx", "i_1", "v", "v_1", "at_2", "kernel", "guard", "__restrict__")
    return [n for n in dict.fromkeys([*near, *rng.permutation(often).tolist()]) if usable(n)]


def namings(rng, all_words):
    """Endless names for all roles: similar ones, then new words, alternating."""
    unseen = iter(())
    for number in itertools.count():
        if number % 2 == 0:
            names = made_up_names(rng, all_words)[:len(ROLES)]
            names = [names[i] for i in rng.permutation(len(names))]
        else:
            names = list(itertools.islice(unseen, len(ROLES)))
            if len(names) < len(ROLES):
                unseen = iter([all_words[i] for i in rng.permutation(len(all_words))])
                names = list(itertools.islice(unseen, len(ROLES)))
        yield dict(zip(ROLES, names))


def factory_of(names, file):
    source = KERNEL.format(**names)
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"T": T}
    exec(compile(source, file, "exec"), space)
    return lambda **_: space[names["kernel"]]


def c_of(func, target, tag):
    """The whole text for a target, its functions called by `tag`."""
    made = func.changed(name=tag, target=target).passes()
    text, said = core.render(made["snapshots"][-1]["func"], target, True)
    assert text, said
    kernel = re.search(r"^(\w+)\(", text, re.M).group(1)
    return re.sub(rf"\b{kernel}\b", f"{tag}_kernel", text)


def compiles(command, texts):
    """Messages of a compiler over each text."""
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            file = os.path.join(folder, f"{number}.cu")
            with open(file, "w") as out:
                out.write(text)
            made = subprocess.run([*command, f"-I{DEVICE}", file], capture_output=True, text=True)
            if made.returncode:
                return made.stderr[:3000] + text
    return ""


def check_hosts(kernels):
    said = compiles(["g++", "-x", "c++", "-std=gnu++17", "-w", "-fsyntax-only", "-DTL_EMU", "-D__MUSA_ARCH__=310"],
                    [c_of(func, "mp_31", tag) for tag, func in kernels])
    if shutil.which("nvcc"):
        one = "\n".join(c_of(func, "sm_80", tag) for tag, func in kernels)
        for standard in ("c++17", "gnu++17"):
            said = said or compiles(["nvcc", "-x", "cu", "-arch=sm_80", "-fmad=false", f"-Xcompiler=-std={standard}",
                                     "-std=c++17", "-ptx", "-o", os.devnull], [one])
    return said


def main(path, count=None, seed=None):
    library = run.load(path)
    all_words = sorted(filter(usable, words_of_the_sources() | macros() | set(dir(T))))
    count = count or (2 * len(all_words) // len(ROLES) if os.environ.get("TILELAB_LONG") else 12)
    seed = time.time_ns() % 10**6 if seed is None else seed
    print(f"{len(all_words)} words, seed {seed}", flush=True)
    failed, batch, start = 0, [], time.time()
    for number, names in zip(range(count), namings(np.random.default_rng(seed), all_words)):
        size = dict(extent=int(np.random.default_rng(number).integers(1, 200)))
        one = case.Case(f"names_{number}", factory_of(names, f"<names {number}>"), [size],
                        lambda rng, extent: [case.integers(rng, extent), case.integers(rng, 8, lo=0, hi=9), 3],
                        reference, [-1], lambda **_: 0)
        for target in run.TARGETS:
            try:
                said = run.check_one(library, one, 0, target, seed)
            except Exception:
                said = traceback.format_exc()
            if said:
                failed += 1
                print(f"FAILED {target}\n{said.rstrip()}\n{KERNEL.format(**names)}", flush=True)
        batch.append((f"n{number}", one.factory().func))
        if len(batch) == 32 or number == count - 1:
            for said in (*(library.tl_check_emitted(t.encode()).decode() for t in run.TARGETS), check_hosts(batch)):
                if said:
                    failed += 1
                    print(f"FAILED as C\n{said}", flush=True)
            batch = []
    print(f"{count} kernels in other names, {failed} failed; {time.time() - start:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:4])))
