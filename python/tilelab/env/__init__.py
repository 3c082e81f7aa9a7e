# SPDX-License-Identifier: Apache-2.0
"""Settings of TileLang's environment variables, as far as they mean something here."""

import os


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


env = _Environment()
