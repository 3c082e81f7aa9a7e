# SPDX-License-Identifier: Apache-2.0
"""builtin_types.py MU_CHECK [--all]: every function of T on elements of every dtype is rejected by a message, or its C compiles.

A call with as many elements as the function has required arguments, as a value and as a statement. MUSA C is checked by clang (L1),
C++ by the system's compiler, CUDA C by NVRTC where TILELAB_NVRTC names it. Without --all: a third of the functions with one dtype, by the
seed of the run, and those with the most forms with every dtype."""
import ctypes
import glob
import linecache
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings

import tilelab
import tilelab.language as T
from tilelab import _core

import suites

DTYPES = """bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 float8_e4m3fn float8_e5m2
float4_e2m1fn""".split()
ALWAYS = re.compile("atomic|ieee|fmul|cast|ceildiv|dp4a")  # those with the most forms
SHARE = 3
DEVICE = os.path.join(os.path.dirname(suites.TESTS), "codegen", "musa", "device")
TARGETS = ("mp_31", "mp_22", "cpu", "sm_90a")
HEAD = """@T.prim_func
def main(A: T.Tensor((64,), "{dtype}"), B: T.Tensor((64,), "{dtype}")):
    with T.Kernel(1, threads={threads}) as bx:
        {line}
"""
problems = []


def calls(name, signature):
    """Texts of a call as a statement of the kernel."""
    required = [p.strip() for p in signature.split(",") if p.strip() and "=" not in p and "*" not in p]
    arguments = ", ".join(f"A[{i}]" for i in range(len(required)))
    return [f"B[0] = T.cast(T.{name}({arguments}), B.dtype)", f"T.{name}({arguments})"] if required else []


def compiled(name, line, dtype, target):
    """The kernel, or None where a message rejects it."""
    text = HEAD.format(dtype=dtype, line=line, threads=1 if target == "cpu" else 32)
    file = f"<{name} {dtype}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"T": T}
    try:
        exec(compile(text, file, "exec"), names)
        return tilelab.compile(names["main"], target=target)
    except (tilelab.CompileError, tilelab.UsageError) as error:
        if any(d["name"] == "ir-rule" for d in error.diagnostics):
            problems.append(f"{target} {dtype}: {line}\n{error}")
    except tilelab.NotHere:
        pass
    except Exception as error:
        problems.append(f"{target} {dtype}: {line}\n{type(error).__name__}: {error}")
    return None


def texts(chance, everything):
    """{target: [(call, C)]}"""
    made = {target: {} for target in TARGETS}
    for name, signature, status, *_ in _core.builtins():
        if status != "works" or "." in name:
            continue
        for dtype in DTYPES if everything or ALWAYS.search(name) else chance.sample(DTYPES, chance.randrange(SHARE) == 0):
            for line in calls(name, signature):
                for target in TARGETS:
                    kernel = compiled(name, line, dtype, target)
                    if kernel is None:
                        break  # as a rule for all
                    code, said = _core.render(kernel._at_level("flat"), target, False)
                    if any(d["error"] for d in said):
                        problems.append(f"{target} {dtype}: {line}\n{said[0]['text']}")
                    else:
                        made[target].setdefault(re.sub(r"//.*|<.*>", "", code), (f"{dtype}: {line}", code))
    return {target: list(entries.values()) for target, entries in made.items()}


def one_file(entries):
    """The kernels together, each under its own name."""
    return "".join(code.replace("main_k0", f"main_{i}") for i, (_, code) in enumerate(entries))


def host_log(entries):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(one_file(entries))
        done = subprocess.run(["c++", "-std=c++17", "-w", "-fsyntax-only", f"-I{DEVICE}", path], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr


def nvrtc_log(entries):
    library = ctypes.CDLL(os.environ["TILELAB_NVRTC"])
    headers = {os.path.basename(path): open(path, "rb").read() for path in glob.glob(os.path.join(DEVICE, "*.h"))}
    names = (ctypes.c_char_p * len(headers))(*(name.encode() for name in headers))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    text = one_file(entries).encode()
    library.nvrtcCreateProgram(ctypes.byref(program), text, b"kernels.cu", len(headers), (ctypes.c_char_p * len(headers))(*headers.values()), names)
    options = (ctypes.c_char_p * 3)(b"--gpu-architecture=sm_90a", b"-std=c++17", b"--fmad=false")
    status = library.nvrtcCompileProgram(program, 3, options)
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    return log.value.decode() if status else ""


def log_of(mu_check, target, entries):
    if target == "cpu":
        return host_log(entries)
    if target.startswith("sm_"):
        return nvrtc_log(entries) if os.environ.get("TILELAB_NVRTC") else ""
    return suites.check(mu_check, target, [(who, code) for who, code in entries])


def main(mu_check, everything):
    seed = int(os.environ.get("TILELAB_SEED") or time.time_ns() % 1_000_000)
    warnings.simplefilter("ignore")
    made = texts(random.Random(seed), everything)
    failed = 0
    for target, entries in made.items():
        for begin in range(0, len(entries), 4 * suites.TOGETHER):
            if log := log_of(mu_check, target, entries[begin:begin + 4 * suites.TOGETHER]):
                failed += 1
                print(f"FAILED for {target}\n" + "\n".join(log.splitlines()[:60]))
    print("\n\n".join(dict.fromkeys(problems)))
    print(f"{sum(map(len, made.values()))} calls as C; {failed} files failed, {len(problems)} problems (TILELAB_SEED={seed})")
    return 1 if failed or problems or not all(made.values()) else 0


if __name__ == "__main__":
    everything = "--all" in sys.argv or bool(os.environ.get("TILELAB_LONG"))
    sys.exit(main(next(a for a in sys.argv[1:] if not a.startswith("--")), everything))
