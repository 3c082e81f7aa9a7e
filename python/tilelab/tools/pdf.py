# SPDX-License-Identifier: Apache-2.0
"""A drawing of layouts as PDF: the rectangles and texts of its SVG as one page, in the standard font Courier, which every reader has
(ISO 32000-1, 9.6.2.2). The page is as large as the drawing, a pixel is 0.75 points."""

import zlib
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"
_POINTS = 0.75  # of a pixel
_CHARACTER = 0.6  # width of a character of Courier, in font sizes
_ANCHORS = {"start": 0, "middle": 0.5, "end": 1}


def _color(text):
    digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
    return " ".join(f"{int(digits[i:i + 2], 16) / 255:.3f}" for i in (0, 2, 4))


def _rectangle(element, height):
    x, y, wide, high = (float(element.get(name, 0)) for name in ("x", "y", "width", "height"))
    box = f"{x:g} {height - y - high:g} {wide:g} {high:g} re"
    stroke = element.get("stroke")
    return f"{_color(element.get('fill'))} rg {box} f" + (f" {_color(stroke)} RG {box} S" if stroke else "")


def _text(element, height, size):
    text = element.text or ""
    x = float(element.get("x")) - _ANCHORS[element.get("text-anchor", "start")] * _CHARACTER * size * len(text)
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"0 g BT /F {size:g} Tf {x:g} {height - float(element.get('y')):g} Td ({escaped}) Tj ET"


def pdf_of_svg(svg):
    """The bytes of a PDF file with the drawing."""
    root = ElementTree.fromstring(svg)
    width, height, size = (float(root.get(name)) for name in ("width", "height", "font-size"))
    drawn = [f"{_POINTS} 0 0 {_POINTS} 0 0 cm"]
    for element in root:
        if element.tag == _SVG + "rect":
            drawn.append(_rectangle(element, height))
        elif element.tag == _SVG + "text":
            drawn.append(_text(element, height, size))
    content = zlib.compress("\n".join(drawn).encode("latin-1", "replace"))
    page = (f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width * _POINTS:g} {height * _POINTS:g}] /Contents 4 0 R "
            "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >> >> >>")
    return _file([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page.encode(),
                  b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content)])


def _file(objects):
    """Numbered objects, the table of their offsets, and the trailer."""
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + (b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
                  % (len(objects) + 1, table, len(objects) + 1, len(out)))
