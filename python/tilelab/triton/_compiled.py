# SPDX-License-Identifier: Apache-2.0
"""What a launch returns: the kernel of tilelab, with the attributes of Triton's compiled kernels."""

import re
from types import SimpleNamespace

_REGISTERS = 32  # per thread, where no compiler has counted them


class CompiledKernel:
    """A kernel for one combination of argument types. Attributes of the kernel of tilelab, such as ir() and check(), are its own."""

    def __init__(self, kernel, function, options):
        self.kernel, self.function, self.options = kernel, function, options

    def _init_handles(self):
        """Nothing to load."""

    n_regs, n_spills = _REGISTERS, 0

    @property
    def metadata(self):
        found = re.search(r"smem=(\d+)", self.kernel._at_level("flat").text())
        shared = max(1, int(found[1])) if found else 1
        return SimpleNamespace(shared=shared, name=self.kernel.name, num_warps=self.options.get("num_warps", 4),
                               num_stages=self.options.get("num_stages", 3), num_ctas=1)

    @property
    def asm(self):
        """The texts of the kernel by stage."""
        return {"ttir": str(self.kernel.ir()), "ttgir": str(self.kernel.ir(level="thread")), "source": self.kernel.get_kernel_source()}

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.function.run(*args, grid=grid, **{**self.options, **kwargs})

    def __getattr__(self, name):
        return getattr(self.kernel, name)

    def __repr__(self):
        return repr(self.kernel)
