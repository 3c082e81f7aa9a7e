# SPDX-License-Identifier: Apache-2.0
"""References and tolerances of Moore Threads' TileLang, for its tests."""

# By profile and dtype of torch: (rtol, atol).
_BASELINE = {"float32": (1e-5, 3e-5), "float16": (1e-3, 1e-3), "bfloat16": (7.9e-3, 7.9e-3), "float8_e4m3fn": (0.125, 0.125)}
_PROFILES = {
    "baseline": _BASELINE,
    "gemm_contract": _BASELINE,
    "gemm_algorithm": {"float32": (1e-5, 3e-5), "float16": (2e-2, 2e-2), "bfloat16": (5e-2, 5e-2), "float8_e4m3fn": (0.25, 0.25)},
}


def is_fp8_dtype(dtype):
    """Whether a dtype of torch has 8 bits and is a float."""
    return dtype.is_floating_point and dtype.itemsize == 1


def cast_to_output_dtype(tensor, out_dtype, *, saturate_fp8=True):
    """A tensor of torch in `out_dtype`. Floats of 8 bits saturate, unless `saturate_fp8` is False."""
    if saturate_fp8 and is_fp8_dtype(out_dtype):
        import torch

        limits = torch.finfo(out_dtype)
        tensor = tensor.clamp(limits.min, limits.max)
    return tensor.to(out_dtype)


def matmul_reference(a, b, *, accum_dtype=None, out_dtype=None, saturate_fp8=True):
    """a @ b of tensors of torch, computed in `accum_dtype` (float32), as `out_dtype` if it is given."""
    import torch

    accum_dtype = accum_dtype or torch.float32
    product = torch.matmul(a.to(accum_dtype), b.to(accum_dtype))
    return product if out_dtype is None else cast_to_output_dtype(product, out_dtype, saturate_fp8=saturate_fp8)


def list_tolerance_profiles():
    """The names of the profiles of get_tolerance."""
    return tuple(sorted(_PROFILES))


def get_tolerance(dtype, profile="baseline", *, overrides=None):
    """(rtol, atol) for results of a dtype of torch; `overrides`, {dtype: (rtol, atol)}, come first."""
    if profile not in _PROFILES:
        raise ValueError(f"unknown tolerance profile {profile!r}: one of {', '.join(list_tolerance_profiles())}")
    if overrides and dtype in overrides:
        return overrides[dtype]
    name = str(dtype).rpartition(".")[2]
    if name not in _PROFILES[profile]:
        raise KeyError(f"the tolerance profile {profile!r} has no {name}: pass overrides={{dtype: (rtol, atol)}}")
    return _PROFILES[profile][name]
