# SPDX-License-Identifier: Apache-2.0
"""run.py [--bless] [FILTER...]: each file here is an IR text that causes one kind of finding and has the kind's
name. The report of the simulator with all checks enabled (or, for the cpu, of a run of the compiled text) is stored
at the end of the file as `#> ` lines. %explain shows it. Kinds that kernels in Python cause have examples in tests/bugs."""
import ctypes
import os
import sys

from tilelab import _core

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import golden


def described(param):
    """(a tensor argument of zeros for Func.run, its memory)."""
    count, strides = 1, []
    for extent in reversed(param["shape"]):
        strides.insert(0, count)
        count *= extent
    memory = ctypes.create_string_buffer(count * param["bytes"] + 64)
    address = (ctypes.addressof(memory) + 63) // 64 * 64
    return (param["dtype"], address, list(param["shape"]), strides, count * param["bytes"]), memory


def what_is_found(name, text):
    func, said = _core.read_ir(name, text)
    assert func is not None, "\n".join(d["text"] for d in said)
    arguments = [described(param) for param in func.params]
    tensors = [a for a, _ in arguments]
    if func.target == "cpu":
        result = _core.compile_native(func)[0].run(tensors)
    else:
        result = func.run(tensors, notes=True, uninitialized=True, races=True, threads=1)
    assert result["status"] != "refused", result["error"]
    kind = name.removesuffix(".py").replace("_", "-")
    assert kind in [f["kind"] for f in result["findings"]], f"found is {result['findings']}"
    return _core.views.findings([(func.level, result)])["text"]


if __name__ == "__main__":
    sys.exit(golden.main(HERE, what_is_found, "texts with findings"))
