# SPDX-License-Identifier: Apache-2.0
"""Settings from TileLang's environment variables, as far as they apply."""

import os

from .._compiler import settings


def _variable(name, default):
    """A property that reads an environment variable."""
    return property(lambda self: os.environ.get(name) or default(self))


class _Environment:
    CUDA_HOME = _variable("CUDA_HOME", lambda self: os.environ.get("CUDA_PATH", ""))
    MUSA_HOME = _variable("MUSA_HOME", lambda self: "")
    TILELANG_CACHE_DIR = _variable("TILELANG_CACHE_DIR", lambda self: os.path.expanduser("~/.tilelang/cache"))
    TILELANG_TMP_DIR = _variable("TILELANG_TMP_DIR", lambda self: os.path.join(self.TILELANG_CACHE_DIR, "tmp"))
    cache_enabled = True

    def is_cache_enabled(self):
        return self.cache_enabled

    def enable_cache(self):
        self.cache_enabled = True

    def disable_cache(self):
        self.cache_enabled = False

    _printing = None

    @property
    def TILELANG_PRINT_ON_COMPILATION(self):
        """For compatibility: compilation prints nothing."""
        return self._printing or os.environ.get("TILELANG_PRINT_ON_COMPILATION", "1")

    @TILELANG_PRINT_ON_COMPILATION.setter
    def TILELANG_PRINT_ON_COMPILATION(self, value):
        self._printing = str(value)

    def get_default_target(self):
        """The target of kernels that name none, as set by %target."""
        return settings.target


env = _Environment()


def __getattr__(name):
    """In TileLang `tilelang.env` is the object: the module forwards its attributes."""
    if not name.startswith("__") and hasattr(env, name):
        return getattr(env, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class CacheState:
    """Whether kernels may be cached."""

    enable = env.enable_cache
    disable = env.disable_cache
    is_enabled = env.is_cache_enabled


enable_cache, disable_cache, is_cache_enabled = CacheState.enable, CacheState.disable, CacheState.is_enabled
