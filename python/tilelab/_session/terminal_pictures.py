# SPDX-License-Identifier: Apache-2.0
"""Pictures in a terminal: by the protocol of kitty, of iTerm or by sixels where the terminal has one, otherwise as a file."""

import os

from .pristine import __builtins__  # unaffected by user code

PROTOCOLS = ("kitty", "iterm", "sixel", "file", "off")
_SIXEL_TERMINALS = ("foot", "mlterm", "contour", "yaft", "sixel")
_KITTY_PIECE = 4096  # bytes of base64 in one escape sequence
_folder = None  # of the files


def protocol(environment=os.environ):
    """What the terminal understands. TILELAB_PICTURES overrides it. A multiplexer would drop the sequences."""
    given = environment.get("TILELAB_PICTURES", "")
    if given in PROTOCOLS:
        return given
    terminal, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("TMUX") or terminal.startswith(("screen", "tmux")):
        return "file"
    if environment.get("KITTY_WINDOW_ID") or terminal in ("xterm-kitty", "xterm-ghostty"):
        return "kitty"
    if program in ("iTerm.app", "WezTerm") or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    return "sixel" if any(name in terminal for name in _SIXEL_TERMINALS) else "file"


def shown(bundle):
    """The text of a display with its picture, ending in a line end; None: the display has no PNG."""
    png = bundle.get("image/png")
    if not isinstance(png, str) or (how := protocol()) == "off":
        return None
    text = bundle.get("text/plain", "")
    try:
        if how != "file":
            return {"kitty": _kitty, "iterm": _iterm, "sixel": _sixel}[how]("".join(png.split())) + "\n"
    except (ValueError, ImportError):  # no sixels of this picture, or no NumPy
        pass
    return f"{text}   {_file_of(png)}\n" if text else _file_of(png) + "\n"


def _file_of(png):
    """The name of a new file in a folder of this process."""
    import atexit
    import base64
    import shutil
    import tempfile

    global _folder
    if _folder is None or not os.path.isdir(_folder):
        _folder = tempfile.mkdtemp(prefix="tilelab-figures-")
        atexit.register(shutil.rmtree, _folder, True)
    name = os.path.join(_folder, f"figure-{len(os.listdir(_folder)) + 1}.png")
    with open(name, "wb") as file:
        file.write(base64.b64decode(png))
    return name


def _kitty(png):
    """Graphics protocol of kitty: f=100 is PNG, a=T shows it, m=1 announces another piece, q=2 forbids answers."""
    pieces = [png[at:at + _KITTY_PIECE] for at in range(0, len(png), _KITTY_PIECE)]
    out = []
    for number, piece in enumerate(pieces):
        first = "a=T,f=100,q=2," if number == 0 else ""
        out.append(f"\033_G{first}m={int(number + 1 < len(pieces))};{piece}\033\\")
    return "".join(out)


def _iterm(png):
    """Inline images of iTerm2."""
    import base64

    return f"\033]1337;File=inline=1;size={len(base64.b64decode(png))}:{png}\a"


def _sixel(png):
    """DEC's sixels: bands of six rows; in a band one line for each of its colours, of a cube of 6 x 6 x 6."""
    import base64

    import numpy

    pixels = png_pixels(base64.b64decode(png))
    levels = (pixels[..., :3].astype(int) * 5 + 127) // 255
    colours = levels @ numpy.array([36, 6, 1])
    height, width = colours.shape
    out = [f'\033Pq"1;1;{width};{height}']
    out += [f"#{c};2;{c // 36 * 20};{c // 6 % 6 * 20};{c % 6 * 20}" for c in numpy.unique(colours)]
    for top in range(0, height, 6):
        band = colours[top:top + 6]
        weights = 1 << numpy.arange(len(band))
        out.append("$".join(f"#{c}{_runs((band == c).T @ weights)}" for c in numpy.unique(band)) + "-")
    return "".join(out) + "\033\\"


def _runs(bits):
    """Sixels of a line; `!COUNT` repeats the next one."""
    import numpy

    starts = numpy.flatnonzero(numpy.diff(bits, prepend=-1))
    lengths = numpy.diff(numpy.append(starts, len(bits)))
    return "".join((f"!{n}" if n > 3 else "") + chr(63 + int(bits[at])) * (1 if n > 3 else int(n)) for at, n in zip(starts, lengths))


_SAMPLES = {0: 1, 2: 3, 4: 2, 6: 4}  # by PNG's colour type


def png_pixels(data):
    """(height, width, 3) of a PNG with 8 bits a sample and neither palette nor interlacing, on white; ValueError for others."""
    import zlib

    import numpy

    chunks, at = {}, 8
    while at < len(data):
        length, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        chunks[kind] = chunks.get(kind, b"") + data[at + 8:at + 8 + length]
        at += 12 + length
    width, height = (int.from_bytes(chunks[b"IHDR"][i:i + 4], "big") for i in (0, 4))
    depth, colour, _, _, interlaced = chunks[b"IHDR"][8:13]
    if depth != 8 or colour not in _SAMPLES or interlaced:
        raise ValueError("this form of PNG has no sixels")
    samples = _SAMPLES[colour]
    rows = numpy.frombuffer(zlib.decompress(chunks[b"IDAT"]), numpy.uint8).reshape(height, 1 + width * samples)
    out = numpy.zeros((height + 1, width, samples), numpy.uint8)
    for y in range(height):
        out[y + 1] = _unfiltered(rows[y, 0], rows[y, 1:].reshape(width, samples), out[y])
    pixels = out[1:].astype(int)
    if samples in (2, 4):
        alpha = pixels[..., -1:]
        pixels = (pixels[..., :-1] * alpha + 255 * (255 - alpha)) // 255
    return numpy.broadcast_to(pixels, (height, width, 3)).astype(numpy.uint8)


def _unfiltered(kind, row, above):
    """A row of a PNG without its filter: 0 none, 1 left, 2 above, 3 average, 4 Paeth."""
    import numpy

    if kind == 0:
        return row
    if kind == 1:
        return numpy.cumsum(row, axis=0, dtype=numpy.uint8)
    if kind == 2:
        return row + above
    out, left, corner = numpy.zeros_like(row), numpy.zeros(row.shape[1], int), numpy.zeros(row.shape[1], int)
    for x, (value, up) in enumerate(zip(row.astype(int), above.astype(int))):
        if kind == 3:
            predicted = (left + up) // 2
        else:
            guess = left + up - corner
            a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
            predicted = numpy.where((a <= b) & (a <= c), left, numpy.where(b <= c, up, corner))
        left, corner = (value + predicted) & 255, up
        out[x] = left
    return out
