# SPDX-License-Identifier: Apache-2.0
"""kernel.show_sass: the machine code of a GPU, by nvdisasm. NVRTC and nvdisasm are replaced by programs that print."""
import contextlib
import io
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import support  # noqa: F401
import fake_gpu
import tilelab as tilelang
import tilelab.language as T

fake_gpu.install()

DUMP = """
	//----- nvinfo : EIATTR_REGCOUNT
.L_0:
        /*0004*/ 	.word	index@(twice_k0)
        /*0008*/ 	.word	0x000000a8
	//----- nvinfo : EIATTR_FRAME_SIZE
        /*0010*/ 	.word	index@(twice_k0)
        /*0014*/ 	.word	0x00000100
//--------------------- .nv.constant0.twice_k0    --------------------------
	.section	.nv.constant0.twice_k0,"a",@progbits
//--------------------- .text.twice_k0            --------------------------
	.section	.text.twice_k0,"ax",@progbits
twice_k0:
.text.twice_k0:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   BRA `(.L_x_0);
        /*0020*/                   NOP;
        /*0030*/                   NOP;
.L_x_4:
"""
LISTING = """// twice_k0: 168 registers, 256 bytes of stack
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   BRA `(.L_x_0);
"""


def twice(target="sm_90a"):
    @T.prim_func
    def twice(A: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            for i in T.Parallel(8):
                A[i] = A[i] * 2

    return tilelang.compile(twice, target=target)


class Sass(unittest.TestCase):
    def with_tool(self, script):
        """A folder on PATH with this nvdisasm, and nothing else."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        if script:
            tool = pathlib.Path(scratch.name, "nvdisasm")
            tool.write_text("#!/bin/sh\n" + script)
            tool.chmod(0o755)
        environment = {"PATH": scratch.name, "CUDA_HOME": "", "CUDA_PATH": ""}
        patch = mock.patch.dict(os.environ, environment)
        patch.start()
        self.addCleanup(patch.stop)
        return scratch.name

    def test_shows_instructions_and_registers(self):
        folder = self.with_tool('[ -s "$1" ] || exit 3\nwhile read -r line; do printf "%s\\n" "$line"; done < "${0%/*}/dump"\n'.replace("read -r", "IFS= read -r"))
        pathlib.Path(folder, "dump").write_text(DUMP)
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            twice().show_sass()
        self.assertEqual(shown.getvalue(), LISTING)
        twice().export_sass(f"{folder}/out/a.sass")
        self.assertEqual(pathlib.Path(folder, "out", "a.sass").read_text(), LISTING)

    def test_says_what_is_missing(self):
        self.with_tool("")
        with mock.patch("glob.glob", return_value=[]), mock.patch("os.access", return_value=False), \
                self.assertRaisesRegex(tilelang.UsageError, "pip install nvidia-cuda-nvdisasm"):
            twice().show_sass()
        with self.assertRaisesRegex(ValueError, "SASS is only for NVIDIA"):
            twice("mp_31").show_sass()

    def test_an_old_tool(self):
        self.with_tool("echo unknown architecture >&2; exit 1\n")
        with self.assertRaisesRegex(tilelang.UsageError, "unknown architecture; use one that is as new as NVRTC"):
            twice().show_sass()


if __name__ == "__main__":
    unittest.main()
