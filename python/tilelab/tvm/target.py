# SPDX-License-Identifier: Apache-2.0
"""Target: the compilation target of kernels."""

from .._compiler import ignored_options, settings


class Kind(str):
    """The kind of a target: "cuda". Older programs use `target.kind.name`."""

    @property
    def name(self):
        return str(self)


_VENDORS = {"sm_": "cuda", "mp_": "musa"}


class Target:
    """`Target("cuda -arch=sm_80")`, `Target({"kind": "cuda", "arch": "sm_80"})`; as a context, the default target of kernels."""

    def __init__(self, target, host=None):
        ignored_options.take("Target", {"host": host})
        if isinstance(target, dict):
            self.kind, self.arch = target["kind"], target.get("arch", "")
        else:
            self.kind, *options = str(target).split()
            named = dict(option.lstrip("-").partition("=")[::2] for option in options)
            self.arch = named.get("arch", named.get("mcpu", ""))
            if self.kind[:3] in _VENDORS:  # tilelab's name of a GPU
                self.kind, self.arch = _VENDORS[self.kind[:3]], self.kind
        self.kind = Kind(self.kind)
        self._outer = []

    @property
    def attrs(self):
        return {"arch": self.arch} if self.arch else {}

    @classmethod
    def current(cls, allow_none=True):
        return None if settings.target == "auto" else cls(settings.target)

    def with_host(self, host):
        """The same target: kernels have no code of a host that is compiled."""
        ignored_options.take("Target", {"host": host})
        return self

    def __str__(self):
        return f"{self.kind} -arch={self.arch}" if self.arch else self.kind

    def __repr__(self):
        return f"Target({str(self)!r})"

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def __enter__(self):
        self._outer.append(settings.target)
        settings.target = str(self)
        return self

    def __exit__(self, *error):
        settings.target = self._outer.pop()
