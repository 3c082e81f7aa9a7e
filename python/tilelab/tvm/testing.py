# SPDX-License-Identifier: Apache-2.0
"""`tvm.testing.main()`, `assert_allclose` and test marks."""

from ..testing import main, requires_cuda, requires_package

__all__ = ["assert_allclose", "main", "requires_cuda", "requires_package"]


def assert_allclose(actual, desired, rtol=1e-7, atol=1e-7):
    """NumPy's, for arrays and tensors."""
    import numpy

    from ..utils.tensor import values

    numpy.testing.assert_allclose(values(actual), values(desired), rtol=rtol, atol=atol)
