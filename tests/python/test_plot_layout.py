# SPDX-License-Identifier: Apache-2.0
"""tilelang.tools.plot_layout and Layout.plot(): the programs of TileLang's examples/plot_layout in other words, and their files."""

import contextlib
import io
import os
import re
import tempfile
import unittest
import zlib
from xml.etree import ElementTree

import support  # noqa: F401  (the path to the package)
import tilelab
import tilelab.language as T
from tilelab.cuda.intrinsics.layout import mma_layout
from tilelab.cuda.intrinsics.layout.utils import get_mma_micro_size
from tilelab.layout import (make_full_bank_swizzled_layout, make_half_bank_swizzled_layout,
                            make_quarter_bank_swizzled_layout)
from tilelab.names import NotHere
from tilelab.tools import plot_layout
from tilelab.tvm.tirx import IndexMap


def cells(svg):
    """The texts of the colored cells, in order."""
    items = list(ElementTree.fromstring(svg))
    return [items[i + 1].text for i, item in enumerate(items) if item.get("stroke")]


def mma_operand(transposed, matrix):
    """As TileLang's example builds it: the map of an instruction as functions of a thread and of an element."""
    m, n, k = get_mma_micro_size(T.float16)
    order = "rs" if transposed else "sr"
    index_map = IndexMap.from_func(getattr(mma_layout, f"shared_16x16_to_mma_32x8_layout_{order}_{matrix}"), index_dtype=T.int32)
    return T.Fragment([m, k], forward_thread_fn=lambda i, j: index_map.map_indices([i, j])[0],
                      forward_index_fn=lambda i, j: index_map.map_indices([i, j])[1])


class Plots(unittest.TestCase):
    def plotted(self, layout, formats="svg", **options):
        with tempfile.TemporaryDirectory() as folder:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                plot_layout(layout, os.path.join(folder, "made"), "it", formats=formats, **options)
            files = {}
            for name in sorted(os.listdir(os.path.join(folder, "made"))):
                with open(os.path.join(folder, "made", name), "rb") as file:
                    files[name] = file.read()
        self.assertEqual(len(re.findall(r"wrote .*/made/it\.", printed.getvalue())), len(files))
        return files, printed.getvalue()

    def test_offsets(self):
        transposed = T.Layout([4, 4], lambda i, j: (j, i))
        files, _ = self.plotted(transposed)
        self.assertEqual(list(files), ["it.svg"])
        self.assertEqual(cells(files["it.svg"]), [str(j * 4 + i) for i in range(4) for j in range(4)])
        deep = T.Layout([2, 4, 8], lambda i, j, k: (k, i * 4 + j))
        self.assertEqual(cells(deep.svg), [str(k * 8 + i * 4 + j) for i in range(2) for j in range(4) for k in range(8)])
        uneven = T.Layout([8, 4], lambda i, j: (i % 4 * 2 + i // 4, j))
        self.assertEqual(cells(uneven.plot(view="output").svg), [str((r % 2 * 4 + r // 2) * 4 + j) for r in range(8) for j in range(4)])
        self.assertEqual(cells(transposed.plot(dtype="float64", banks=True).svg)[:3], ["0", "8", "16"])
        files, _ = self.plotted(transposed, grid_shape=(2, 8))
        self.assertIn("columns 0 to 7" if "columns" in files["it.svg"].decode() else "offset", files["it.svg"].decode())
        self.assertEqual(len(cells(T.Layout((128, 64), lambda i, j: (i, j)).svg)), 128 * 64)

    def test_swizzles(self):
        for make, bits in ((make_quarter_bank_swizzled_layout, 1), (make_half_bank_swizzled_layout, 2), (make_full_bank_swizzled_layout, 3)):
            columns = 8 << bits  # of float16: one panel
            made = make(32, columns, 16)
            want = T.Layout((32, columns), lambda i, j, bits=bits: i * (8 << bits) + ((j // 8) ^ (i // (8 >> bits) % (1 << bits))) * 8 + j % 8)
            self.assertEqual(made._linear(), want._linear())
            self.assertIn("f16[32", made.plot().svg)
        for wrong, error, text in ((lambda: make_full_bank_swizzled_layout(4, 64, 16), ValueError, "multiple of 8 rows"),
                                   (lambda: make_full_bank_swizzled_layout(8, 64, 12), ValueError, "element_bits is 8, 16, 32 or 64, not 12"),
                                   (lambda: make_half_bank_swizzled_layout(8), tilelab.NoBuilderError, r"write .*\(rows, columns, element_bits\)")):
            with self.assertRaisesRegex(error, text):
                wrong()

    def test_operands_of_mma(self):
        for transposed in (False, True):
            a, b = mma_operand(transposed, "a"), mma_operand(transposed, "b")
            for i in range(16):
                for j in range(16):
                    at = (j, i) if transposed else (i, j)
                    self.assertEqual((a.map_forward_thread(at), a.map_forward_index(at)), (i % 8 * 4 + j % 8 // 2, [j // 8 * 4 + i // 8 * 2 + j % 2]))
                    self.assertEqual((b.map_forward_thread(at), b.map_forward_index(at)), (i % 8 * 4 + j % 8 // 2, [i // 8 * 4 + j // 8 * 2 + j % 2]))
        self.assertEqual(get_mma_micro_size("int8"), (16, 16, 32))
        wide = T.Fragment((16, 32), mma_layout.shared_16x32_to_mma_32x16_layout_sr_a)
        self.assertEqual(wide.thread, "i0 % 8 * 4 + i1 // 4 % 4")
        warp = mma_operand(False, "a").repeat([2, 1], repeat_on_thread=True).replicate(2)
        block = warp.repeat([4, 4], repeat_on_thread=False, lower_dim_first=False)
        files, _ = self.plotted(block, "all")
        self.assertEqual(sorted(files), ["it.pdf", "it.svg"])
        self.assertEqual(len(cells(files["it.svg"])), 128 * 64)

    def test_pdf(self):
        files, _ = self.plotted(T.Fragment((2, 4), lambda i, j: (i * 4 + j, 0)), "pdf")
        pdf = files["it.pdf"]
        self.assertTrue(pdf.startswith(b"%PDF-1.4\n") and pdf.endswith(b"%%EOF\n"))
        table = int(re.search(rb"startxref\n(\d+)", pdf)[1])
        self.assertEqual(pdf[table:table + 4], b"xref")
        for number, offset in enumerate(re.findall(rb"(\d{10}) 00000 n", pdf), 1):
            self.assertTrue(pdf[int(offset):].startswith(b"%d 0 obj\n" % number))
        content = zlib.decompress(re.search(rb"stream\n(.*)\nendstream", pdf, re.S)[1]).decode()
        self.assertEqual(content.count(" re S"), 8)
        self.assertIn("(7:0) Tj", content)

    def test_words(self):
        files, printed = self.plotted(T.Fragment((1, 2), lambda i, j: (j, 0)), verbose=True)
        self.assertIn("[0, 1] -> thread 1, register [0]\n", printed)
        with self.assertRaisesRegex(TypeError, "draws a T.Layout or a T.Fragment, not int"):
            plot_layout(3)
        layout = T.Layout((2, 2), lambda i, j: (i, 0))
        with self.assertRaisesRegex(ValueError, 'writes "pdf" and "svg", not "png"'):
            plot_layout(layout, formats="png,svg")
        with self.assertRaisesRegex(ValueError, "view is"):
            layout.plot(view="both")
        with self.assertWarnsRegex(UserWarning, "ignores colormap"):
            self.plotted(layout, colormap="RdPu")
        shown = T.Layout((2, 2), lambda i, j: (j, i)).plot()._repr_mimebundle_()
        self.assertEqual(set(shown), {"text/plain", "text/html", "image/svg+xml", "text/latex"})
        self.assertIn("offset of each element", shown["text/plain"])

    def test_layouts_of_amd_gpus(self):
        from tilelab.rocm.intrinsics.mfma_layout import shared_16x16_to_local_64x4_layout_A
        from tilelab.rocm.intrinsics.utils import get_mma_micro_size as of_amd

        for absent in (of_amd, shared_16x16_to_local_64x4_layout_A):
            with self.assertRaisesRegex(NotHere, "no target for AMD GPUs.*cuda.intrinsics.layout.mma_layout"):
                absent("float16")


if __name__ == "__main__":
    unittest.main()
