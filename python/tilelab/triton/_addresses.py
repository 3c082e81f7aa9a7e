# SPDX-License-Identifier: Apache-2.0
"""Tensors of addresses: the tensors of torch to which they point are packed into one, and copied back after the run.

An address that a kernel loads cannot be checked. Its offset in the packed tensor can, and means the same on every device.
"""

import gc
import sys

from .._compiler.errors import UsageError


def _tensors():
    """All tensors of torch that exist; those without memory are left out."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    found = [one for one in gc.get_objects() if issubclass(type(one), torch.Tensor)]
    return [one for one in found if one.layout is torch.strided and one.device.type != "meta"]


class Packed:
    """The tensors of one table: `table` has their offsets in `memory`."""

    def __init__(self, name, table, dtype, device):
        import torch

        addresses = table.tolist()
        element = getattr(torch, dtype.tile)
        self.parts = [self._at(name, address, element, _tensors()) for address in dict.fromkeys(addresses)]
        sizes = [len(part) for part in self.parts]
        starts = dict(zip(dict.fromkeys(addresses), (sum(sizes[:i]) for i in range(len(sizes)))))
        self.table = torch.tensor([starts[address] for address in addresses], dtype=table.dtype, device=device)
        self.memory = torch.cat(self.parts)

    @staticmethod
    def _at(name, address, element, tensors):
        """The memory from an address to the end of the tensor around it."""
        import torch

        for one in tensors:
            storage = one.untyped_storage()
            begin, size = storage.data_ptr(), storage.nbytes()
            if one.dtype is element and begin <= address < begin + size:
                first = (address - begin) // one.element_size()
                return torch.as_strided(one.detach(), (size // one.element_size() - first,), (1,), first)
        raise UsageError(f"{name} has the address {address:#x}, at which no tensor of torch with dtype {element} begins")

    def copy_back(self):
        at = 0
        for part in self.parts:
            part.copy_(self.memory[at:at + len(part)])
            at += len(part)
