# SPDX-License-Identifier: Apache-2.0
"""The simulator: kernels of the puzzles' sizes, the GEMM beside OpenBLAS, Triton's interpreter, thread level."""

import functools
import os
import statistics

from measure import Measured, Missing, Setup, child, has_module, median_and_best

CORES = 2  # that the budget speaks of


def puzzle(number):
    def measure(setup):
        out = child(setup, "simulate.py", "puzzle", number, setup.repeats(5))
        best = min(out["wall"])
        return Measured(best, None, "", f"min of {len(out['wall'])}, first {out['wall'][0]:.3f}; "
                                        f"CPU {min(out['cpu']):.3f} s, on {CORES} idle cores {min(out['cpu']) / CORES:.3f}")
    return measure


def tiny(setup):
    calls = [t * 1e6 for t in child(setup, "simulate.py", "tiny", setup.repeats(3000))["wall"]]
    return Measured(statistics.median(calls), None, "", median_and_best(calls))


def captured(setup):
    calls = [t * 1e3 for t in child(setup, "simulate.py", "captured", setup.repeats(50))["cpu"]]
    return Measured(min(calls), None, "", median_and_best(calls))


def sgemm(setup):
    """Ratio of CPU times: both use all cores, and other programs disturb the wall clock."""
    if not has_module(setup.peer_python, "numpy"):
        raise Missing("pip install numpy")
    size = 1024 if setup.quick else 4096
    cores = str(os.cpu_count() or 1)
    env = setup.environment(OPENBLAS_NUM_THREADS=cores, OMP_NUM_THREADS=cores)
    out = child(setup, "simulate.py", "sgemm", size, setup.repeats(5), python=setup.peer_python, env=env)
    if "openblas" not in out["blas"]:
        raise Missing(f"OpenBLAS: {setup.peer_python} has {out['blas']}; pip install numpy")
    ours, peer = out["ours"], out["peer"]
    wall = min(peer["wall"]) / min(ours["wall"])
    return Measured(min(ours["cpu"]), min(peer["cpu"]), f"OpenBLAS, {size}^3",
                    f"min of {len(ours['cpu'])}; wall {min(ours['wall']):.2f} and {min(peer['wall']):.2f} s: {wall:.2f}x")


def interpreter(name):
    def measure(setup):
        if not has_module(setup.peer_python, "triton"):
            raise Missing("pip install triton")
        ours = child(setup, "simulate.py", name, setup.repeats(20))["wall"]
        env = setup.environment(TRITON_INTERPRET="1")
        peer = child(setup, "triton_interpreter.py", name, 2, python=setup.peer_python, env=env)["wall"]
        return Measured(min(ours) * 1e3, min(peer) * 1e3, "Triton's interpreter", median_and_best([t * 1e3 for t in ours]))
    return measure


def first_call(setup):
    out = child(setup, "simulate.py", "first_call", setup.repeats(5))
    first, next_one = min(out["first"]) * 1e3, min(out["next"]) * 1e3
    return Measured(first - next_one, None, "", f"{first:.1f} ms, and {next_one:.1f} ms the next; min of {len(out['first'])}")


def checked(name):
    def measure(setup):
        out = child(setup, "simulate.py", "checked", name, setup.repeats(10))
        blocks, proved = out["blocks"]
        return Measured(min(out["wall"]) * 1e3, None, "", f"min of {len(out['wall'])}; CPU {min(out['cpu']) * 1e3:.0f} ms; "
                                                          f"{blocks} of {proved} blocks")
    return measure


def checked_beside_triton(setup):
    """The peer computes the values alone: its interpreter checks nothing."""
    return checked_beside(setup, "gemm", "triton", "Triton's interpreter", "triton_interpreter.py", ["gemm-128", 2], TRITON_INTERPRET="1")


def checked_beside_numba(setup):
    return checked_beside(setup, "gemm-32", "numba", "Numba's simulator", "numba_simulator.py", [2], NUMBA_ENABLE_CUDASIM="1")


def checked_beside(setup, name, module, peer_name, program, words, **variables):
    if not has_module(setup.peer_python, module):
        raise Missing(f"pip install {module}")
    ours = child(setup, "simulate.py", "checked", name, setup.repeats(10))["wall"]
    peer = child(setup, program, *words, python=setup.peer_python, env=setup.environment(**variables))["wall"]
    return Measured(min(ours) * 1e3, min(peer) * 1e3, peer_name, median_and_best([t * 1e3 for t in ours]))


def traced(level):
    def measure(setup):
        out = child(setup, "simulate.py", "traced", level, setup.repeats(10))
        return Measured(min(out["wall"]) * 1e3, None, "", f"min of {len(out['wall'])}; {out['events']} events")
    return measure


def traced_back(command, kernel):
    def measure(setup):
        times = child(setup, "simulate.py", "traced_back", command, kernel, setup.repeats(5))["wall"]
        return Measured(min(times) * 1e3, None, "", f"min of {len(times)}")
    return measure


@functools.lru_cache(maxsize=None)
def _threads(binary, python, quick, kernel):
    setup = Setup(binary, python, python, quick)
    return child(setup, "simulate.py", "threads", kernel, setup.repeats(5))


def thread_level(kernel):
    def measure(setup):
        out = _threads(setup.binary, setup.python, setup.quick, kernel)
        rates = [out["results"] / t / 1e6 for t in out["plain"]]
        return Measured(max(rates), None, "", f"best; median {statistics.median(rates):.0f}; {out['results'] / 1e6:.1f} M results")
    return measure


def watchers(kernel):
    def measure(setup):
        out = _threads(setup.binary, setup.python, setup.quick, kernel)
        watched, plain = min(out["watched"]), min(out["plain"])
        return Measured(watched / plain, None, "", f"{watched * 1e3:.1f} ms watched, {plain * 1e3:.1f} ms plain, CPU, min")
    return measure
