# SPDX-License-Identifier: Apache-2.0
"""Operators that a program registers with torch.library. torch takes the mode of the simulated GPU off while it handles a call, so their
functions enter it again; and those for CUDA are registered for the CPU, where the tensors are."""

import functools


def _inside(mode, function):
    @functools.wraps(function)
    def run(*args, **kwargs):
        with mode:
            return function(*args, **kwargs)

    return run


def _is_of_program(function):
    return callable(function) and (getattr(function, "__module__", None) or "").partition(".")[0] != "torch"


def _with_cpu(devices):
    given = (devices,) if isinstance(devices, str) else devices
    return given if given is None or "cuda" not in given else (*given, "cpu")


def replace(torch, mode, replacements):
    impl = torch.library.Library.impl

    @functools.wraps(impl)
    def library_impl(self, op_name, fn, dispatch_key="", **options):
        if not _is_of_program(fn):
            return impl(self, op_name, fn, dispatch_key, **options)
        return impl(self, op_name, _inside(mode, fn), "CPU" if dispatch_key == "CUDA" else dispatch_key, **options)

    replacements.put(torch.library.Library, "impl", library_impl)
    kind = getattr(getattr(getattr(torch, "_library", None), "custom_ops", None), "CustomOpDef", None)
    if kind is None:  # torch before 2.4
        return
    register = kind.register_kernel

    @functools.wraps(register)
    def register_kernel(self, device_types, fn=None, /):
        if fn is None:
            return lambda fn: register_kernel(self, device_types, fn)
        register(self, _with_cpu(device_types), _inside(mode, fn))
        return fn

    replacements.put(kind, "register_kernel", register_kernel)
