# SPDX-License-Identifier: Apache-2.0
"""Callbacks that change the generated code before it is shown or compiled: `f(code, target) -> code`."""

__all__ = [f"register_{family}_{form}" for family in ("cuda", "musa", "c", "hip", "metal") for form in ("postproc", "postproc_callback")]

_callbacks = {}


def _registrars(family):
    def register(func, override=True):
        """Calls func(code, target) for all later code of this family."""
        if family in _callbacks and not override:
            raise ValueError(f"{family} already has a callback; override=True replaces it")
        _callbacks[family] = func

    def decorator(func=None, override=True):
        """The same as a decorator, with or without arguments."""
        if not callable(func):
            taken = override if func is None else func
            return lambda f: decorator(f, taken)
        register(func, override)
        return func

    return register, decorator


for _family in ("cuda", "musa", "c", "hip", "metal"):
    globals()[f"register_{_family}_postproc"], globals()[f"register_{_family}_postproc_callback"] = _registrars(_family)


def changed(code, target):
    """The code after the callback of its family."""
    family = "c" if target == "cpu" else "musa" if target.startswith("mp_") else "cuda"
    callback = _callbacks.get(family)
    return callback(code, target) if callback else code
