# SPDX-License-Identifier: Apache-2.0
"""`import tilelab` in a plain Python: time and memory over a bare interpreter."""

import json
import os
import statistics
import subprocess
import time

from measure import Measured, Missing, child, has_module, median_and_best

# Names are loaded when first used, so the import that counts is the one that uses them.
WHOLE = "import tilelab, tilelab.language as T; tilelab.jit; tilelab.compile"


def start_time(python, code, env):
    """CPU milliseconds of one process; wall-clock time would include other programs."""
    begun = time.perf_counter()
    child = subprocess.Popen([python, "-c", code], env=env)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        raise RuntimeError(f"{python} -c {code!r}: status {status}")
    return (usage.ru_utime + usage.ru_stime) * 1e3, (time.perf_counter() - begun) * 1e3


def time_over_bare(setup, code, repeats, python=None):
    """(CPU, wall): least milliseconds of `code` minus those of an empty program, interleaved."""
    python, env = python or setup.python, setup.environment()
    with_code, bare = [], []
    for _ in range(repeats):
        with_code.append(start_time(python, code, env))
        bare.append(start_time(python, "pass", env))
    def over(i):
        return min(t[i] for t in with_code) - min(t[i] for t in bare)
    middle = statistics.median(t[1] for t in with_code) - statistics.median(t[1] for t in bare)
    return over(0), over(1), middle


def import_time(setup):
    cpu, wall, middle = time_over_bare(setup, WHOLE, setup.repeats(30))
    peer, name = None, ""
    if has_module(setup.peer_python, "triton"):
        peer = time_over_bare(setup, "import triton", setup.repeats(10), setup.peer_python)[1]
        name = "import triton"
    return Measured(wall, peer, name, f"min; median {middle:.1f}, CPU {cpu:.1f}")


MEMORY = """
import json, sys
{0}
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(json.dumps([int(status["VmHWM"].split()[0]) / 1024,
                  [m for m in ("numpy", "torch") if m in sys.modules]]))
"""


def peak_memory(setup, code, python=None):
    done = subprocess.run([python or setup.python, "-c", MEMORY.format(code)], env=setup.environment(),
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().split("\n")[-1])


def import_memory(setup):
    mib, loaded = peak_memory(setup, WHOLE)
    if loaded:
        raise RuntimeError(f"import tilelab loads {', '.join(loaded)}")
    bare, _ = peak_memory(setup, "")
    peer = None
    if has_module(setup.peer_python, "triton"):
        peer = peak_memory(setup, "import triton", setup.peer_python)[0]
    return Measured(mib, peer, "import triton" if peer else "", f"bare python3 {bare:.1f}; neither NumPy nor torch")


def specialisation_memory(setup):
    count = setup.repeats(400)
    return Measured(child(setup, "specialisations.py", count), None, "", f"{count} of a kernel of one statement")


def need(setup, module, package):
    if not has_module(setup.peer_python, module):
        raise Missing(f"pip install {package}")
