# SPDX-License-Identifier: Apache-2.0
"""fuzz.py LIBRARY [COUNT [SEED]]: random kernels through passes, levels, texts and C. With TILELAB_LONG 10,000, on all cores.

Each kernel (random_kernel.py) is held against NumPy to the bit, at every level, after every pass, for
all targets (without COUNT: for the cpu and one GPU of each vendor), with all watchers on, and so is its
emitted C. A seed alone repeats one kernel: COUNT 1.
What the compiler refuses is counted by its diagnostic; a rejection is not a failure, but few should be.
"""
import collections
import itertools
import linecache
import os
import random
import re
import subprocess
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

os.environ.setdefault("TILELAB_ALLOW", "extent-zero")  # drawn on purpose

import run  # noqa: E402  (names tilelab as tilelang)
import case  # noqa: E402
from tilelab._compiler.errors import CompileError  # noqa: E402
import tilelang.language as T  # noqa: E402
from random_barriers import with_barriers  # noqa: E402
from random_blocks import BlocksKernel  # noqa: E402
from random_clusters import ClusterKernel  # noqa: E402
from random_expressions import cast  # noqa: E402
from random_floats import FloatKernel  # noqa: E402
from random_function import FunctionKernel  # noqa: E402
from random_kernel import ExactKernel  # noqa: E402
from random_names import with_shared_names  # noqa: E402
from random_nested import NestedKernel  # noqa: E402
from random_simt import SimtKernel  # noqa: E402
from random_units import UnitsKernel  # noqa: E402
from random_views import ViewsKernel  # noqa: E402


# What is rightly reported: a condition may pick nothing but a tail out of a line's accesses, and an element beyond the end of an argument,
# which reads as 0, may be stored.
RIGHTLY_REPORTED = re.compile(r"^ *after elaboration: finished *$|^ *out-of-bounds: .*, like all other accesses of this line$|"
                              r"^ *out-of-bounds: .*\n *line \d+ .*\n *line \d+  stores a result of it in \w+$|^ *line \d+ .*$", re.M)


def factory_of(source, name):
    """exec's the source the way a front end does, so that its lines can be shown."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"T": T}
    exec(compile(source, name, "exec"), space)
    return lambda: space["main"]


def Kernel(seed):
    """Out of eight, one with inexact floats, one for hardware units, one of several whole kernels, one of single threads
    or, alternately, of blocks that wait for each other or form clusters, one with tiles of outer loops or, alternately, parts of
    memory; TILELAB_UNITS=1: all for units and of whole kernels; TILELAB_SIMT=1: all of single threads; TILELAB_BLOCKS=1: all of
    blocks; TILELAB_CLUSTERS=1: all with clusters; TILELAB_NESTED=1: all with such tiles; TILELAB_VIEWS=1: all with such parts."""
    for name, of_these in (("TILELAB_SIMT", SimtKernel), ("TILELAB_BLOCKS", BlocksKernel), ("TILELAB_CLUSTERS", ClusterKernel),
                           ("TILELAB_NESTED", NestedKernel), ("TILELAB_VIEWS", ViewsKernel)):
        if os.environ.get(name):
            return of_these(seed)
    if os.environ.get("TILELAB_UNITS"):
        return (UnitsKernel, FunctionKernel)[seed % 2](seed)
    of_threads = (ClusterKernel if seed % 32 == 9 else BlocksKernel) if seed % 16 == 9 else SimtKernel
    of_tiles = NestedKernel if seed % 32 in (14, 22) else ViewsKernel
    return {7: FloatKernel, 3: UnitsKernel, 5: FunctionKernel, 1: of_threads, 6: of_tiles}.get(seed % 8, ExactKernel)(seed)


def source_of(kernel, seed):
    """Every other kernel has names that occur in several scopes, and one of four barriers; with TILELAB_BARRIERS=1 all have them."""
    source = kernel.source() if seed // 8 % 2 else with_shared_names(kernel.source(), random.Random(seed))
    if not isinstance(kernel, (SimtKernel, BlocksKernel)) and (seed // 16 % 4 == 1 or os.environ.get("TILELAB_BARRIERS")):
        source = with_barriers(source, random.Random(f"barriers of {seed}"))
    return source


def check(library, kernel, seed, target):
    """"" when all agree, "refused: NAME" for a diagnostic, or what is wrong."""
    try:
        factory = factory_of(source_of(kernel, seed), f"<kernel {seed}>")
        one = case.Case(f"random_{seed}", factory, [{}], lambda rng: kernel.inputs(rng),
                        lambda inputs: kernel.reference(inputs), kernel.outputs(), lambda: kernel.terms, kernel.magnitude, wider=3)
        said = run.check_one(library, one, 0, target, seed)
        # Layouts and memory are passes' work, so what they refuse the user hears of there.
        found = re.search(r"error\[(layout-conflict|layout-form(?=\]: .* of this address adjacent)|shared-memory-size|target-lacks)\]", said) if said.lstrip().startswith("passes: ") else None
        if said and not RIGHTLY_REPORTED.sub("", said).strip():
            return f"refused: outside\n{said}"
        return f"refused: {found.group(1)}\n{said}" if found else said
    except CompileError as error:
        found = re.search(r"error\[([\w-]+)\]", str(error))
        return f"refused: {found.group(1) if found else type(error).__name__}\n{error}"
    except Exception:
        return traceback.format_exc()


def shrink(check_again, kernel, said):
    """Leaves out statements and operations, or takes simpler choices, as long as the same check still fails."""
    def kind(text):
        return re.sub(r"/tmp/\S*|[\d-]+", "", text)[:50]

    def lists(steps):
        yield steps
        for step in steps:
            for inner in step.bodies:
                yield from lists(inner)

    def smaller(e):
        """Expressions of e's dtype with one operation less."""
        whole = (cast(part, e.dtype) for part in e.parts if part.dtype != "bool")
        yield from (less for less in whole if len(less.text) < len(e.text))
        for number, part in enumerate(e.parts):
            for less in smaller(part) if e.rebuild else ():
                yield e.rebuild(*e.parts[:number], less, *e.parts[number + 1:])

    again = True
    while again:
        again = False
        for take, take_back in kernel.simpler():
            take()
            found = check_again()
            if kind(found) == kind(said):
                said, again = found, True
                break  # what may be simpler has changed
            take_back()
        if again:
            continue
        for step in [step for steps in lists(kernel.steps) for step in steps if step.value]:
            before = step.value[0]
            for less in smaller(before):
                step.value[0] = less
                found = check_again()
                if kind(found) == kind(said):
                    said, again, before = found, True, less
                    break
            step.value[0] = before
        for steps in list(lists(kernel.steps)):
            for i in reversed(range(len(steps) - (steps is kernel.steps))):
                left_out = steps.pop(i)
                found = check_again()
                if kind(found) == kind(said):
                    said, again = found, True
                else:
                    steps.insert(i, left_out)
    return said


def emitted(library, target):
    return library.tl_check_emitted(target.encode()).decode()


def check_with_c(library, kernel, seed, target):
    """check() of one kernel and then of its C alone; "" where there is none."""
    said = check(library, kernel, seed, target)
    return emitted(library, target) or ("" if said.startswith("refused") else said)


def report(library, number, target, said, checked):
    kernel = Kernel(number)
    said = shrink(lambda: checked(library, kernel, number, target), kernel, said)
    print(f"FAILED seed {number} {target}\n{said.rstrip()}\n{source_of(kernel, number)}", flush=True)


def shared_out(script, path, count, first):
    """The seeds in as many processes as there are cores."""
    share = -(-count // (os.cpu_count() or 1))
    shares = [(min(share, first + count - at), at) for at in range(first, first + count, share)]
    workers = [subprocess.Popen([sys.executable, script, path, *map(str, each)]) for each in shares]
    return max(worker.wait() for worker in workers)


def targets_of(number, everything):
    """The cpu and one GPU of each vendor, each in half of the kernels of a kind (Kernel, source_of); or all targets."""
    return [t for t in run.TARGETS if everything or (alike := run.of_vendor(t, run.TARGETS))[number // 16 % len(alike)] == t]


def main(path, count=None, seed=None):
    first = time.time_ns() % 10**6 if seed is None else seed
    if count is None and os.environ.get("TILELAB_LONG"):
        return shared_out(__file__, path, 10000, first)
    library = run.load(path)
    everything, count = count is not None, count or 60
    print(f"seed {first}", flush=True)
    refused, failed, start, batch = collections.Counter(), 0, time.time(), []
    for number in range(first, first + count):
        for target in targets_of(number, everything):
            said = check(library, Kernel(number), number, target)
            if said.startswith("refused"):
                refused[said.split("\n")[0][9:]] += 1
                if os.environ.get("TILELAB_SHOW_REFUSED"):
                    print(f"seed {number}\n{said}\n{source_of(Kernel(number), number)}")
            elif said:
                failed += 1
                report(library, number, target, said, check)
                for each in run.TARGETS:  # files left by shrinking
                    emitted(library, each)
                batch = []
                break
        else:
            batch.append(number)
        if len(batch) < run.EMITTED_AT_ONCE and number < first + count - 1:
            continue
        texts = [emitted(library, target) for target in run.TARGETS]  # all: they forget the batch
        if any(texts):
            failed += 1
            named = set(map(int, re.findall(r"(?:random_|kernel )(\d+)", "".join(texts))))
            batch.sort(key=lambda number: number not in named)  # each recompiles: the likely ones first
            for number, target in itertools.product(batch, run.TARGETS):
                if said := check_with_c(library, Kernel(number), number, target):
                    report(library, number, target, said, check_with_c)
                    break
            else:
                print("FAILED, but not alone:", batch, *texts, sep="\n", flush=True)
        batch = []
    print(f"{count} random kernels, {sum(refused.values())} refused {dict(refused)}, {failed} failed; "
          f"{time.time() - start:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:4])))
