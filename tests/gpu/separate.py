# SPDX-License-Identifier: Apache-2.0
"""Parts of the suite whose kernels run in separate processes: faults, and the sanitizer's tools."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

from counts import Counts

HERE = pathlib.Path(__file__).resolve().parent


def faults(args):
    counts = Counts("faults")
    for what, says in (("far_away", "device-fault device-lost lives"), ("full", "device-memory"),
                       ("forever", "continues on the GPU lives")):
        done = subprocess.run([sys.executable, str(HERE / "broken.py"), what], capture_output=True, text=True, timeout=120)
        said = done.stdout + done.stderr
        counts.runs += 1
        print("  " + what + ": " + "\n    ".join(line for line in said.splitlines() if re.search("Error|Interrupt|lives", line)))
        if not all(word in said for word in says.split()):
            counts.fail(what, said)
    return counts


# Between them: rings with and without roles, copy engines in both directions, wgmma and mma.sync, sums and scans over threads,
# atomics, transposition through shared memory, and persistent blocks.
SANITIZED = ("units_gemm units_gemm_of_groups units_gemm_of_a_fragment units_gemm_of_bytes units_attention "
             "units_blocks_that_stay units_in_two_kernels attention_online scan_lines gemm_of_swizzled_tiles").split()
TOOLS = ("memcheck", "racecheck", "synccheck")


def sanitize(tool, name, seed):
    """The corpus's part of a kernel under one of the sanitizer's tools: (status, what it said)."""
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "86", "--print-limit", "3", sys.executable, "-W",
               "ignore", str(HERE / "suite.py"), "--only", "corpus", "--cases", name, "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def sanitized(args):
    counts = Counts("sanitized")
    jobs = [(tool, name) for name in args.cases or SANITIZED for tool in TOOLS]
    with concurrent.futures.ThreadPoolExecutor(max(1, os.cpu_count() // 2)) as pool:
        for (tool, name), (status, said) in zip(jobs, pool.map(lambda job: sanitize(*job, args.seed), jobs)):
            counts.runs += 1
            summary = [line for line in said.splitlines() if "ERROR SUMMARY" in line or "RACECHECK SUMMARY" in line]
            print(f"  {tool} {name}: {' '.join(summary) or 'no summary'}", flush=True)
            if status or not summary:
                counts.fail(f"{tool} {name}", said)
    return counts
