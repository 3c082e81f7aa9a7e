# SPDX-License-Identifier: Apache-2.0
"""nvidia.py: what is written for NVIDIA's chips of every kernel of the corpus, held against NVIDIA's own compilers
where they are installed: CUDA C against NVRTC's front end, PTX against ptxas. Without them: that PTX is written of
the kernels that ought to have it, and that each of its registers is declared, and set before it is used."""
import concurrent.futures
import ctypes
import ctypes.util
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

import case
import suites
import tilelab
import tilelab._session.imports
from tilelab import _core

TARGETS = ("sm_90a", "sm_80")
# Kernels with matrix products of groups that come from C: what PTX is not written of.
FROM_C = {"worked_scores_of_any_width": "exp", "models_latent_decode": "log2", "models_attention_of_sequences": "log2",
          "narrow_dequantised_gemm": "conversions of narrow floats", "parts_of_a_product": "cluster_store"}
TOGETHER = 32  # kernels in a file


def corpus():
    """(name and target, function at flat level, C) of each kernel at its first size."""
    for name in case.MODULES:
        __import__(name)
    for one in case.CASES:
        for target in TARGETS:
            try:
                flat = tilelab.compile(one.factory(**one.sizes[0]), target=target)._at_level("flat")
            except tilelab.CompileError as refused:  # what sm_80 lacks
                assert "error[target-lacks]" in str(refused), f"{one.name} for {target}: {refused}"
                continue
            text, said = _core.render(flat, target, False)
            assert text, f"{one.name} for {target}: {said}"
            yield one.name, target, flat, text


# ---- PTX

_REGISTER = re.compile(r"%([phrd])(\d+)\b")
_STORES = ("st.", "red.", "bar.", "@", "bra", "mbarrier.init", "mbarrier.arrive", "mbarrier.expect", "cp.async", "stmatrix",
           "fence", "wgmma.fence", "wgmma.commit", "wgmma.wait", "setmaxnreg", "ret", ".")


def lint(text):
    """Problems of registers and labels, line by line: a register must be set above its first use, and no label may be
    twice or is missing."""
    declared, known, labels, jumps = {}, set(), [], set()
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if found := re.match(r"\.reg \.\w+ %([phrd])<(\d+)>", line):
            declared[found[1]] = int(found[2])
            continue
        if found := re.match(r"(\$L\d+):", line):
            labels.append(found[1])
            continue
        jumps.update(re.findall(r"bra (\$L\d+)", line))
        if line.startswith(".") and not line.startswith(".pragma"):
            continue
        opcode, _, rest = line.partition(" ")
        if opcode.startswith("@"):
            before = set(_REGISTER.findall(opcode))
            opcode, _, rest = rest.partition(" ")
        else:
            before = set()
        target = re.match(r"\{[^}]*\}|[^,;]*", rest)[0] if not opcode.startswith(_STORES) else ""
        sets = set(_REGISTER.findall(target))
        reads = before | set(_REGISTER.findall(rest[len(target):]))
        if opcode.startswith(("wgmma.mma", "mma.")):  # sums are read, too; those of a zeroing product are not
            sets, reads = sets, reads
        if missing := reads - known - (sets if opcode.startswith(("wgmma.mma", "bfi")) else set()):
            return f"line {number}: {line}: %{''.join(sorted(missing)[0])} has no value"
        known |= sets
        if wrong := [r for r in sets if int(r[1]) >= declared.get(r[0], 0)]:
            return f"line {number}: %{''.join(wrong[0])} is not declared"
    if len(labels) != len(set(labels)) or jumps - set(labels):
        return f"labels: {sorted(jumps - set(labels))} are missing"
    return ""


def find_ptxas():
    places = [shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"]
    return next((place for place in places if place and os.path.exists(place)), None)


def assemble(ptxas, target, text):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([ptxas, f"-arch={target}", file.name, "-o", "/dev/null"], capture_output=True, text=True)
    return done.stderr[:400] if done.returncode else ""


def check_ptx(kernels):
    """Messages of what is wrong, and how many texts there were."""
    wrong, from_c, texts = [], {}, []
    for name, target, flat, _ in kernels:
        text, why = _core.ptx(flat, target)
        if text:
            texts.append((name, target, text))
        elif "wgmma" in flat.text():
            from_c[name] = why
    if from_c != FROM_C:
        wrong.append(f"kernels with products of groups that come from C: {from_c}, not {FROM_C}")
    for name, target, text in texts:
        for kernel in text.split(".visible .entry")[1:]:
            if said := lint(kernel):
                wrong.append(f"{name} for {target}: {said}")
    if ptxas := find_ptxas():
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            said = pool.map(lambda entry: assemble(ptxas, entry[1], entry[2]), texts)
            wrong += [f"{name} for {target}: {one}" for (name, target, _), one in zip(texts, said) if one]
    print(f"{len(texts)} of {len(kernels)} kernels as PTX; {ptxas or 'no ptxas here: they were not assembled'}")
    return wrong


# ---- CUDA C

def find_nvrtc():
    places = [os.environ.get("TILELAB_NVRTC"), ctypes.util.find_library("nvrtc"),
              *sorted(glob.glob("/usr/local/cuda/lib64/libnvrtc.so*"))]
    for place in filter(None, places):
        try:
            return ctypes.CDLL(place)
        except OSError:
            pass
    return None


def parse(nvrtc, target, text, headers):
    """The errors of NVRTC's front end, or ""."""
    program = ctypes.c_void_p()
    names = (ctypes.c_char_p * len(headers))(*(name.encode() for name in headers))
    sources = (ctypes.c_char_p * len(headers))(*(source.encode() for source in headers.values()))
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", len(headers), sources, names) == 0
    options = [f"--gpu-architecture={target}", "--std=c++17", "--fmad=false", "--fdevice-syntax-only"]
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    said = ""
    if nvrtc.nvrtcCompileProgram(program, len(options), given) != 0:
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        said = log.value.decode()
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return said


def together(texts):
    """Kernels in one file, each in a separate namespace, where equal names don't collide."""
    header = re.compile(r'#include "tl_\w+\.h"\n')
    headers = sorted({line for text in texts for line in header.findall(text)})  # tl_device.h before tl_foreign.h
    parts = [header.sub("", text).replace('extern "C" ', "") for text in texts]
    for i, part in enumerate(parts):  # the source of a user is in each namespace that needs it
        guards = re.findall(r"#ifndef (\w+)\n#define \1\n", part)
        parts[i] = f"namespace k{i} {{\n{part}\n}}\n" + "".join(f"#undef {guard}\n" for guard in guards)
    return "".join(headers) + "\n".join(parts)


def check_c(kernels):
    nvrtc = find_nvrtc()
    print(f"{len(kernels)} kernels as CUDA C; {'taken by NVRTC' if nvrtc else 'no NVRTC here: they were not parsed'}")
    if not nvrtc:
        return []
    folder = os.path.join(suites.TESTS, "../codegen/musa/device")
    headers = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.h"))):
        with open(path, encoding="utf-8") as file:
            headers[os.path.basename(path)] = file.read()
    wrong = []
    for target in TARGETS:
        entries = [(name, text) for name, of, _, text in kernels if of == target]
        for begin in range(0, len(entries), TOGETHER):
            part = entries[begin:begin + TOGETHER]
            if said := parse(nvrtc, target, together([text for _, text in part]), headers):
                wrong.append(f"{target}: {said[:2000]}\nin {', '.join(name for name, _ in part)}")
    return wrong


def main():
    tilelab._session.imports.install()
    warnings.simplefilter("ignore")
    kernels = list(corpus())
    wrong = check_ptx(kernels) + check_c(kernels)
    for message in wrong:
        print(f"FAILED {message}")
    return 1 if wrong or len(kernels) < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
