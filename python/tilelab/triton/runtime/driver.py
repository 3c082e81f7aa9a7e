# SPDX-License-Identifier: Apache-2.0
"""triton.runtime.driver: the active device. Importing it makes the module an attribute of triton.runtime, where programs expect the driver:
the module has the driver's names."""

from types import SimpleNamespace

from ..._gpu.targets import target_name


class _Utils:
    @staticmethod
    def get_device_properties(device=0):
        """The properties of the GPU, or of the one that is simulated."""
        from ... import _redirect

        found = _redirect.device_properties()
        return {"multiprocessor_count": found.multi_processor_count, "warpSize": 32, "max_shared_mem": 232448, "max_num_regs": 65536,
                "max_threads_per_sm": 2048, "sm_clock_rate": 1500000, "mem_clock_rate": 2000000, "mem_bus_width": 5120}


class _Active:
    utils = _Utils()

    def get_active_torch_device(self):
        """torch's device of tensors for kernels: the GPU, or the CPU for the simulator."""
        import torch

        return torch.empty(0, device="cuda" if torch.cuda.is_available() else "cpu").device

    def get_current_target(self):
        """Programs choose configurations by it: every GPU is one of CUDA, with the capability that torch.cuda has here."""
        name = target_name(None)
        digits = "".join(c for c in name.partition("_")[2] if c.isdigit())
        arch = int(digits) if name.startswith("sm_") else 90 if name == "mp_31" else 80
        return SimpleNamespace(backend="cpu" if name == "cpu" else "cuda", arch=arch, warp_size=32)

    def get_current_device(self):
        return 0

    def get_device_interface(self):
        import torch

        return torch.cuda

    def get_benchmarker(self):
        from ..testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        import torch

        return torch.empty(1, dtype=torch.int8)


active = _Active()


def set_active(driver):
    """Accepted: tilelab has one driver."""


driver = SimpleNamespace(active=active, set_active=set_active)
