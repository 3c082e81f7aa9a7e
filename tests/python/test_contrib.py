# SPDX-License-Identifier: Apache-2.0
"""Questions about a target's compute version, and what programs read of a Target."""

import unittest

import support  # noqa: F401
import tilelab as tilelang
from tilelab.contrib import nvcc
from tilelab.names import NotHere
from tilelab.tvm.target import Target
from tilelab.utils.target import determine_target


class Contrib(unittest.TestCase):
    def test_compute_version(self):
        for spelled, version in (("sm_90a", "9.0"), ("sm_80", "8.0"), ("cuda -arch=sm_90a", "9.0"), ("mp_31", "8.0")):
            with self.subTest(spelled):
                self.assertEqual(nvcc.get_target_compute_version(spelled), version)
                target = determine_target(spelled, return_object=True)
                self.assertEqual(nvcc.get_target_compute_version(target), version)
        self.assertEqual(nvcc.parse_compute_version("10.3"), (10, 3))
        self.assertEqual(nvcc.get_target_arch("9.0"), "90a")
        self.assertEqual(nvcc.get_target_arch((8, 0)), "80")
        with self.assertRaisesRegex(RuntimeError, "major.minor"):
            nvcc.parse_compute_version("nine")

    def test_what_a_target_has(self):
        hopper, ampere, mp_31 = (determine_target(name, return_object=True) for name in ("sm_90a", "sm_80", "mp_31"))
        self.assertEqual([nvcc.have_tma(t) for t in (hopper, ampere, mp_31)], [True, False, False])
        self.assertEqual([nvcc.is_hopper(t) for t in (hopper, ampere, mp_31)], [True, False, False])
        self.assertTrue(nvcc.have_pdl(hopper) and nvcc.have_fp8("8.9") and not nvcc.have_fp8("8.6"))
        self.assertEqual(nvcc.have_tensorcore(target=ampere), True)

    def test_kind_and_arch(self):
        for name, kind in (("sm_90a", "cuda"), ("mp_31", "musa"), ("cpu", "cpu")):
            with self.subTest(name):
                target = Target(name)
                self.assertEqual((target.kind, target.kind.name), (kind, kind))
                self.assertEqual(determine_target(target), name)
        self.assertEqual(Target("sm_90a").attrs, {"arch": "sm_90a"})
        self.assertEqual(Target("cuda").attrs, {})

    def test_compilers_are_not_called(self):
        with self.assertRaisesRegex(NotHere, "get_kernel_source"):
            nvcc.compile_cuda("")
        with self.assertRaises(NotHere):
            tilelang.contrib.hipcc.compile_hip("")


if __name__ == "__main__":
    unittest.main()
