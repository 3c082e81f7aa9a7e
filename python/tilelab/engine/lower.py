# SPDX-License-Identifier: Apache-2.0
"""Runs a function of the IR through all passes, without a callable kernel."""

from .._compiler import ignored_options


def __getattr__(name):  # the module loads slowly
    if name != "CompiledArtifact":
        raise AttributeError(f"module {__package__!r} has no attribute {name!r}")
    from .artifact import CompiledArtifact

    return CompiledArtifact


def lower(func, target=None, target_host=None, pass_configs=None, **unread):
    """Compiles a @T.prim_func for `target`; raises CompileError on failure."""
    from ..jit import compile
    from .artifact import CompiledArtifact

    ignored_options.take("tilelang.lower", {"target_host": target_host, **unread})
    if isinstance(func, dict):  # an IRModule
        if len(func) != 1:
            raise ValueError(f"lower takes one kernel at a time; this module has {len(func)}")
        (func,) = func.values()
    kernel = compile(func, target=target, pass_configs=pass_configs)
    return CompiledArtifact(kernel.passes()[-1]["func"], kernel.params, kernel.get_kernel_source())


def extrac_params(func):
    """Its parameters; the misspelled name is TileLang's."""
    return func.params
