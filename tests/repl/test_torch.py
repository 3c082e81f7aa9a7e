# SPDX-License-Identifier: Apache-2.0
"""PyTorch in a session without a GPU. What needs torch is skipped where the session cannot import it."""

import os
import subprocess
import sys

LINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_lines.py")


def _run(command, text="", **environment):
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=900, env={**os.environ, **environment})


def _has_torch(program):
    has = "2." == _run([program, "-c", "import torch; print(torch.__version__)"]).stdout[:2]
    if not has:
        print("skipped: no torch 2 in the session")
    return has


def _outcomes(*command, **environment):
    done = _run(command, **environment)
    device, *outcomes = done.stdout.splitlines()
    with open(LINES) as file:
        assert len(outcomes) == file.read().count("\n@line\n"), done.stdout + done.stderr
    return device, outcomes


def test_everyday_torch_is_as_in_plain_python(program):
    """Everything that torch_lines.py does."""
    if not _has_torch(program):
        return
    plain = _outcomes(sys.executable, LINES)
    assert plain[0] == "device cpu" and not [line for line in plain[1] if " fails: " in line], plain
    assert _outcomes(program, LINES) == plain
    assert _outcomes(program, LINES, "tilelang", TILELAB_TORCH="off") == plain
    for module in ("tilelang", "tilelab.language", "torch_musa"):
        device, outcomes = _outcomes(program, LINES, module)
        assert device == "device cuda"
        assert outcomes == plain[1], [pair for pair in zip(outcomes, plain[1]) if pair[0] != pair[1]]


def test_the_simulated_gpu_is_on_where_a_program_asks_for_it(program):
    if not _has_torch(program):
        return
    text = "\n".join(["import torch", "asked = torch.cuda.is_available", "print(asked())", "import tilelang", "print(torch.cuda.is_available())",
                      "%config torch = off", "print(torch.cuda.is_available(), torch.cuda.is_available is asked)", "%config torch = auto",
                      "with torch.no_grad():\n    print(torch.cuda.is_available())\n", "%device"])
    done = _run([program], text)
    assert done.stdout.startswith("False\nTrue\nFalse True\nTrue\n"), done
    assert 'torch device "cuda" is simulated on the CPU (%config torch = off)\n' in done.stdout, done


def test_a_kernel_in_compiled_code_is_a_graph_break(program):
    if not _has_torch(program):
        return
    with open("k.py", "w") as file:
        file.write("""
import tilelang, torch
import tilelang.language as T

@tilelang.jit
def relu(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    C = T.empty((N,), "float32")
    with T.Kernel(1) as _:
        for i in T.Parallel(N):
            C[i] = T.max(A[i], 0)
    return C

function = lambda x: relu(x * 2) + 1
x = torch.linspace(-1, 1, 8, device="cuda")
print(torch.equal(torch.compile(function, backend="eager")(x), function(x)))
""")
    done = _run([program, "k.py"])
    assert done.stdout == "True\n" and "Dynamo" not in done.stderr, done


def test_a_module_that_is_asked_for_names_is_not_used(program):
    """As pickle does for a function without a module; the language, whose import asks for the simulated GPU, stays unloaded."""
    text = "import sys, tilelab\nprint([hasattr(tilelab, name) for name in ('locals', 'no_such')], 'tilelab.language' in sys.modules)\ntilelab.gem"
    done = _run([program], text)
    assert done.stdout == "[False, False] False\n", done
    assert "AttributeError: module 'tilelab' has no attribute 'gem'" in done.stderr and "_NoAttribute" not in done.stderr, done


def test_torch_finds_no_substitute_for_triton(program):
    """A torch that looks for Triton and TVM, as torch.compile does."""
    os.mkdir("torch")
    with open("torch/__init__.py", "w") as file:
        file.write("""
import importlib.util

found = [importlib.util.find_spec(name) for name in ("triton", "tvm")]
for name in ("triton", "tvm", "triton.language"):
    try:
        found.append(importlib.import_module(name))
    except ImportError:
        pass
""")
    done = _run([program, "-c", "import torch; print(torch.found)\nimport triton.language, tvm; print(triton.__name__, tvm.__name__)"], PYTHONPATH=".")
    assert done.stdout == "[None, None]\ntilelab.triton tilelab.tvm\n", done


def test_bad_choices_are_reported(program):
    assert _run([program, "-c", "1"], TILELAB_TORCH="on\n").stderr == "tilelab: TILELAB_TORCH=on\\n is not one of auto, on, off; it is ignored\n"
    for value in ("maybe", "", "[1]", "None"):
        done = _run([program], f"%config torch = {value}\n")
        assert done.stderr.endswith("is not one of auto, on, off\n") and "Traceback" not in done.stderr, done
    assert "there are InlineBackend.figure_formats and torch" in _run([program], "%config tork = off\n").stderr
    assert _run([program], "%config torch = off\n%config torch\n%device").stdout.endswith("torch unchanged (%config torch = auto)\n")
