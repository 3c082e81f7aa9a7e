# SPDX-License-Identifier: Apache-2.0
"""Settings from TileLang's environment variables, as far as they apply."""

import os

from .._compiler import settings


class _Environment:
    @property
    def CUDA_HOME(self):
        return os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or ""

    @property
    def MUSA_HOME(self):
        return os.environ.get("MUSA_HOME", "")

    @property
    def TILELANG_CACHE_DIR(self):
        return os.environ.get("TILELANG_CACHE_DIR", os.path.expanduser("~/.tilelang/cache"))

    cache_enabled = True

    def is_cache_enabled(self):
        return self.cache_enabled

    def enable_cache(self):
        self.cache_enabled = True

    def disable_cache(self):
        self.cache_enabled = False

    @property
    def TILELANG_TMP_DIR(self):
        return os.environ.get("TILELANG_TMP_DIR", os.path.join(self.TILELANG_CACHE_DIR, "tmp"))

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
