# SPDX-License-Identifier: Apache-2.0
"""@T.prim_func: elaborated at its definition, with the values of captured names there."""

from .. import _core
from .._compiler import bridge, ignored_options, source
from .._compiler.errors import compiling, refuse
from .._compiler.kernel_warnings import show_warnings
from .._gpu import devices

factory = []  # names of the running factories, innermost last


def elaborate(function, local_names, recorded=None, **options):
    """_core.elaborate of a Python function; raises CompileError."""
    tree, scope = source.capture(function, local_names)
    before = bridge.recording(recorded)
    name = options.get("name") or getattr(function, "__name__", "")
    try:
        with compiling(name):
            result = _core.elaborate(tree, scope, **options)
    finally:
        bridge.recording(before)
    refuse(result["diagnostics"])
    return result


class PrimFunc:
    """A function of the IR."""

    def __init__(self, func, recorded=(), identity=None):
        self.func = func
        self.recorded = list(recorded)
        self.identity = identity or func.text  # of its source, for warnings

    @property
    def name(self):
        return self.func.name

    @property
    def params(self):
        from .._kernel.params import KernelParam

        return [KernelParam(p["dtype"], p["shape"], p["name"]) for p in self.func.params]

    @property
    def buffer_map(self):
        """{name: tensor} of the signature."""
        from .._kernel.params import DeclaredBuffer

        return {p["name"]: DeclaredBuffer(p) for p in self.func.params if p["shape"] is not None}

    def __call__(self, *values, **options):
        if factory:
            raise TypeError(f"the kernel that {factory[-1]} makes is called here; return it without calling it")
        raise TypeError(f"{self.name} is the source of a kernel; compile it first: kernel = tilelang.compile"
                        f"({self.name}), or write @tilelang.jit above the function that makes it")

    def script(self, **unread):
        ignored_options.take("PrimFunc.script", unread)
        return self.func.text()

    def show(self, **unread):
        print(self.script(**unread))

    def __repr__(self):
        return f"<prim_func {self.name}>"

    def __str__(self):
        return self.script()


def prim_func(function=None, private=False, check_well_formed=True):
    """Decorator: a kernel whose parameters are annotated with T.Tensor and dtypes. It is always checked."""
    ignored_options.take("T.prim_func", {"private": private})
    if function is None:
        return prim_func
    devices.expect_calls()
    recorded = []
    result = elaborate(function, source.caller_locals(), recorded, name=factory[-1] if factory else "")
    made = PrimFunc(result["func"], recorded, lambda: source.identity(function))
    show_warnings(result["diagnostics"], made.identity, made.func)
    return made
