# SPDX-License-Identifier: Apache-2.0
"""triton.runtime.driver: the active device. Importing it makes the module an attribute of triton.runtime, where programs expect the driver:
the module has the driver's names."""

from types import SimpleNamespace

from .._device import current_target, properties


class _Utils:
    get_device_properties = staticmethod(properties)


class _Active:
    utils = _Utils()

    def get_active_torch_device(self):
        """torch's device of tensors for kernels: the GPU, or the CPU for the simulator."""
        import torch

        return torch.empty(0, device="cuda" if torch.cuda.is_available() else "cpu").device

    def get_current_target(self):
        return current_target()

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
