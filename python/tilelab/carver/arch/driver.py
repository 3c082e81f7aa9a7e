# SPDX-License-Identifier: Apache-2.0
"""Properties of the device that runs kernels; without a GPU, of the simulated one (`_redirect`)."""

from ..._redirect import device_properties

__all__ = ["get_device_name", "get_max_dynamic_shared_size_bytes", "get_num_sms", "get_shared_memory_per_block"]


def get_num_sms(device_id=0):
    """The number of multiprocessors: the grid size of a persistent kernel."""
    return device_properties(device_id).multi_processor_count


def get_device_name(device_id=0):
    return device_properties(device_id).name


def _bytes(count, format):
    if format not in ("bytes", "kb", "mb"):
        raise ValueError(f"format must be 'bytes', 'kb' or 'mb', not {format!r}")
    return count // {"bytes": 1, "kb": 1 << 10, "mb": 1 << 20}[format]


def get_shared_memory_per_block(device_id=0, format="bytes"):
    """The default limit of a block."""
    return _bytes(48 << 10, format)


def get_max_dynamic_shared_size_bytes(device_id=0, format="bytes"):
    """The limit of a block with opt-in."""
    return _bytes(device_properties(device_id).shared_memory_per_block_optin, format)
