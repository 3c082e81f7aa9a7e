# SPDX-License-Identifier: Apache-2.0
"""TileLang's keywords that have no effect here (docs/adr/0012): accepted so that scripts run unchanged, and reported once, as a note of the
kernel (%explain, %check) or as a line on stderr. Unknown keywords are errors."""

import sys

from .errors import UsageError
from .messages import message

_HOST = "kernels run on tilelab's devices; there is no host code to compile"
_CLOCK = "runs are timed by the clock of this machine"
_MAKING = {
    "target_host": _HOST, "execution_backend": _HOST, "compile_flags": "tilelab selects the flags of the GPU compiler",
    "verbose": "use %passes and %explain to see decisions", "debug_root_path": "use %source and %ir to see the output",
    "instruments": "tilelab has different passes; %passes and %diff show each of them",
}
_TUNING = {name: "each configuration is timed completely" for name in ("timeout", "early_stop", "early_stop_factor")}
_TIMING = {"fast_flush": _CLOCK, "device": _CLOCK}
TABLE = {
    "tilelang.jit": _MAKING, "tilelang.compile": _MAKING, "tilelang.lower": {**_MAKING, "runtime_only": _HOST,
    "enable_host_codegen": _HOST, "enable_device_compile": _HOST}, "tilelang.autotune": _TUNING,
    "AutoTuner.set_profile_args": _TUNING,
    "do_bench": _TIMING,
}
_ORDER = "kernels are compiled sequentially"
TABLE["AutoTuner.run"] = {**_TUNING, **dict.fromkeys(("enable_grouped_compile", "group_compile_size", "use_pipeline"), _ORDER),
                          **dict.fromkeys(("benchmark_devices", "benchmark_multi_gpu"), "one GPU times all of them")}
_TEXT = "it shows the IR of tilelab"
TABLE.update({
    "PassContext": {name: "tilelab has different passes; %passes shows them" for name in (
        "required_pass", "disabled_pass", "instruments")},
    "T.prim_func": {"private": "a kernel has no linkage here"},
    "PrimFunc.script": {name: _TEXT for name in (
        "name", "show_meta", "ir_prefix", "module_alias", "buffer_dtype", "int_dtype", "float_dtype", "verbose_expr",
        "indent_spaces", "print_line_numbers", "num_context_lines", "syntax_sugar", "show_object_address", "style", "black_format")},
    "Target": {"host": _HOST}, "par_compile": {"num_workers": _ORDER},
    "AutoTuner.set_compile_args of a jit function": {name: "@tilelang.jit has separate ones" for name in (
        "out_idx", "execution_backend", "target", "target_host", "verbose", "pass_configs", "compile_flags")},
})
_reported = set()


def _asked(given):
    """Names of keywords with an effect in TileLang; None, False and "auto" are the default behavior."""
    return [name for name, value in given.items() if value not in (None, False, "auto", (), [])]


def note(func, where, given):
    """Adds a note to the IR function for each given keyword."""
    for name in _asked(given):
        func = func.with_note("option-no-effect", [f"`{name}` of {where}"], TABLE[where][name])
    return func


def report_keyword(kernel, name):
    """Reports once a keyword of a call that the kernel does not have."""
    if (kernel, name) in _reported:
        return
    _reported.add((kernel, name))
    _print(message("option-no-effect", f"`{name}` of this call of {kernel}", note="the kernel has no such parameter or constant"))


def take(where, given):
    """Raises for keywords that `where` does not have, and reports the others once."""
    for name in given:
        if name not in TABLE[where]:
            raise UsageError(message("call-keyword", where, name, help=f"it also takes: {', '.join(TABLE[where])}"))
    for name in _asked(given):
        if (where, name) not in _reported:
            _reported.add((where, name))
            _print(message("option-no-effect", f"`{name}` of {where}", note=TABLE[where][name]))


def _print(said):
    print(said["ansi" if sys.stderr.isatty() else "text"].rstrip(), file=sys.stderr)
