# SPDX-License-Identifier: Apache-2.0
"""A model of an NVIDIA GPU: its target's published figures, and the properties of the device that runs kernels."""

import re

from ... import _core
from ..._gpu.targets import target_name
from . import driver


class TileDevice:
    """A GPU as a model: `.target` (of tilelab), `.compute_max_core` multiprocessors, `.bandwidth` in MB/s, `.peaks` in units per second."""

    platform = ""


class CUDA(TileDevice):
    """The NVIDIA GPU of a target ("cuda": the device; without one, H200). UsageError for a target of another vendor."""

    platform = "CUDA"

    def __init__(self, target="cuda"):
        name = target_name(target)
        if name[:3] != "sm_":
            from ..._compiler.errors import UsageError
            from ..._compiler.messages import message

            raise UsageError(message("target-unknown", repr(target), "it is not an NVIDIA GPU", help='CUDA("sm_90a")'))
        self.target, self.peaks = name, _core.peaks(name)
        self.sm_version = check_sm_version(name)
        self.compute_capability = str(self.sm_version)
        self.name = driver.get_device_name()
        self.compute_max_core, self.warp_size, self.sm_partition, self.reg_cap = driver.get_num_sms(), 32, 4, 65536
        self.smem_cap, self.max_smem_usage = driver.get_shared_memory_per_block(), driver.get_max_dynamic_shared_size_bytes()
        self.transaction_size = [32, 128]
        # Of memory and of the L2 cache, whose rate is not published: sixteen times, as in TileLang.
        memory = int(self.peaks.get("memory", 750e9) / 1e6)
        self.bandwidth = [memory, 16 * memory]

    def __repr__(self):
        return f"CUDA({self.target})"


def check_sm_version(arch):
    """The number of an architecture: 90 of "sm_90a" or "90"; -1 of other texts."""
    found = re.fullmatch(r"(?:sm_)?(\d+)[a-zA-Z]*", arch)
    return int(found[1]) if found else -1


def is_cuda_arch(arch):
    return isinstance(arch, CUDA)


def is_ampere_arch(arch):
    return is_cuda_arch(arch) and 80 <= arch.sm_version < 89


def is_ada_arch(arch):
    return is_cuda_arch(arch) and arch.sm_version == 89


def is_hopper_arch(arch):
    return is_cuda_arch(arch) and arch.sm_version == 90


def has_mma_support(arch):
    return is_cuda_arch(arch) and arch.sm_version >= 80
