# SPDX-License-Identifier: Apache-2.0
"""Entry points that torch.compile calls without tracing them, as after torch.compiler.disable, which would slow down every call."""

import sys

_functions = []  # their frames are still to be excluded


def untraced(function):
    function._torchdynamo_disable = True  # a call is a graph break
    function._torchdynamo_disable_msg = "tilelab compiles its kernels itself"
    _functions.append(function)
    return function


def exclude_frames():
    """Excludes the frames of the functions, and those of what they call, once torch is imported."""
    frames = getattr(getattr(sys.modules.get("torch._C"), "_dynamo", None), "eval_frame", None)
    if _functions and hasattr(frames, "set_code_exec_strategy"):  # torch 2.7 and later
        skip = frames._FrameExecStrategy(frames._FrameAction.SKIP, frames._FrameAction.SKIP)
        while _functions:
            frames.set_code_exec_strategy(_functions.pop().__code__, skip)
