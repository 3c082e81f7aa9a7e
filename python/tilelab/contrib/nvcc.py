# SPDX-License-Identifier: Apache-2.0
"""Capabilities of NVIDIA GPUs, which programs query before they choose widths and copy engines. Calls no compiler."""

from ..names import attributes as _attributes

__all__ = ["get_target_arch", "get_target_compute_version", "have_bf16", "have_fp16", "have_fp8", "have_int8",
           "have_mbarrier", "have_pdl", "have_tensorcore", "have_tma", "is_hopper", "parse_compute_version"]
__getattr__ = _attributes(__name__)


def get_target_compute_version(target=None):
    """"9.0" for sm_90a; without a target, or for another GPU, that of torch.cuda.get_device_capability."""
    from .._gpu.targets import target_name
    from .._redirect import capability

    major, minor = capability.digits(target_name(target), "sm_") or capability.cuda()
    return f"{major}.{minor}"


def parse_compute_version(compute_version):
    try:
        major, minor = (int(part) for part in str(compute_version).split(".")[:2])
    except ValueError:
        raise RuntimeError(f"compute version {compute_version!r}: write major.minor, such as '9.0'") from None
    return major, minor


def get_target_arch(compute_version):
    given = isinstance(compute_version, str)
    major, minor = parse_compute_version(compute_version) if given else compute_version
    return f"{major * 10 + minor}{'a' if major >= 9 else ''}"


def _at_least(*version):
    return lambda compute_version: parse_compute_version(compute_version) >= version


have_fp16 = _at_least(5, 3)
have_int8 = _at_least(6, 1)
have_bf16 = _at_least(8, 0)
have_fp8 = _at_least(8, 9)


def have_tensorcore(compute_version=None, target=None):
    return parse_compute_version(compute_version or get_target_compute_version(target)) >= (7, 0)


def _is_cuda(target):
    from .._gpu.targets import target_name

    return target_name(target).startswith("sm_")


def have_tma(target):
    return _is_cuda(target) and parse_compute_version(get_target_compute_version(target)) >= (9, 0)


have_pdl = have_mbarrier = have_tma


def is_hopper(target):
    return _is_cuda(target) and parse_compute_version(get_target_compute_version(target)) == (9, 0)
