# SPDX-License-Identifier: Apache-2.0
"""The machine code of a kernel for an NVIDIA GPU, as nvdisasm shows it, and the registers that it uses. Needs NVRTC, but no GPU."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from .. import _core
from .._compiler.errors import UsageError, refuse
from .._gpu import devices

_TOOL = "nvdisasm"
_USE = re.compile(r"EIATTR_(REGCOUNT|FRAME_SIZE)\b.*?index@\((\w+)\).*?\.word\s+(0x[0-9a-f]+)", re.S)
_CODE = re.compile(r"^\.text\.(\w+):\n(.*?)(?=^//-----|\Z)", re.S | re.M)
_PADDING = re.compile(r"(?:^(?:\s*/\*[0-9a-f]+\*/\s*NOP;|\.L\w+:)\n)+\Z", re.M)


def text(kernel):
    """The instructions of every kernel, each with the number of its registers and the bytes of its stack. ValueError for other targets;
    UsageError if NVRTC or nvdisasm is missing."""
    if not kernel.target.startswith("sm_"):
        raise ValueError(f"kernel {kernel.name} is for {kernel.target}, but SASS is only for NVIDIA. Use another target: kernel.for_target('sm_90a')")
    tool = _find()
    devices.find_compiler()
    image, said = _core.gpu.machine_code(kernel._at_level("flat"))
    refuse(said)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.cubin")
        with open(path, "wb") as file:
            file.write(image)
        done = subprocess.run([tool, path], capture_output=True, text=True)
    if done.returncode:
        raise UsageError(f"{tool} cannot read the code of {kernel.name}: {done.stderr.strip()}; use one that is as new as NVRTC")
    return listing(done.stdout)


def listing(dump):
    """The code of nvdisasm's output."""
    uses = {}
    for what, name, value in _USE.findall(dump):
        uses.setdefault(name, {})[what] = int(value, 16)
    return "\n".join(f"// {name}: {uses[name].get('REGCOUNT', 0)} registers, {uses[name].get('FRAME_SIZE', 0)} bytes of stack\n"
                     f"{_PADDING.sub('', code.rstrip() + chr(10))}"
                     for name, code in sorted(_CODE.findall(dump)) if name in uses)


def _find():
    """The path of nvdisasm: on PATH, of a CUDA toolkit, or of a Python package."""
    toolkits = [os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"]
    packages = [found for folder in sys.path for found in sorted(glob.glob(os.path.join(folder or ".", "nvidia", "*", "bin", _TOOL)), reverse=True)]
    for path in (shutil.which(_TOOL), *(os.path.join(t, "bin", _TOOL) for t in toolkits if t), *packages):
        if path and os.access(path, os.X_OK):
            return path
    raise UsageError(f"SASS needs {_TOOL}, which is not on PATH: pip install nvidia-cuda-nvdisasm, or install the CUDA toolkit")
