# SPDX-License-Identifier: Apache-2.0
"""%banks: shared-memory bank conflicts of a kernel's accesses, and layouts that avoid them."""

from .._compiler.layouts import row_major
from .._kernel.registry import known
from .._kernel.shown import Shown
from .counters import Counters, merged, with_layout
from .page import Page

BLOCKS = 4  # sampled: blocks have the same conflicts, except at edges

LEGEND = ("degree: wavefronts of an access relative to those without conflicts (1 is ideal); extra: "
          "wavefronts lost to conflicts, of all blocks")
_COUNTED = ("runs", "lanes", "idle", "ideal", "wavefronts")


def degree(row):
    return row["wavefronts"] / row["ideal"] if row["ideal"] else 1.0


def degree_text(row):
    value = degree(row)
    text = f"{value:.3g}"
    return text if row["worst"] <= max(1, round(value, 2)) else f"{text} (up to {row['worst']})"


def padded_rows(buffer, padded, pad):
    """(text, shape, layout) of rows padded by `pad` unused elements."""
    shape = [*padded[:-1], padded[-1] - pad]
    digits = ", ".join(f"[a({extent}, {stride})]" for extent, stride in zip(shape, row_major(padded)))
    return (f"T.annotate_layout({{{buffer}: T.Layout(({shape[-2]}, {shape[-1]}), lambda i, j: i * {padded[-1]} + j)}})",
            shape, f"lay=[{digits}]")


def total(sites, buffer):
    """Actual and ideal wavefronts of a buffer."""
    rows = [row for row in sites if row["shared"] and row["buffer"] == buffer]
    return {key: sum(row[key] for row in rows) for key in ("wavefronts", "ideal")}


class Banks(Shown):
    """The result: .rows (line, buffer, access, bytes, degree, too_many, ...), .buffers (name, layout, suggestions), .clean."""

    def __init__(self, kernel, values=None, line=0, buffer="", extents=None):
        counted = Counters(kernel, values, extents or {}, BLOCKS, suggestions=True)
        self.kernel, self.counted = known(kernel).full_name, counted
        sites = [{**s, "line": s["span"]["line"], "code": s["span"]["text"].strip()} for s in counted.sites if s["shared"]]
        names = list(dict.fromkeys(b["name"] for b in counted.buffers))
        if buffer and buffer not in names:
            raise ValueError(f"{self.kernel} has no shared buffer {buffer}" +
                             (f"; it has {', '.join(names)}" if names else ": it has none"))
        lines = sorted({s["line"] for s in sites})
        if line and line not in lines:
            raise ValueError(f"line {line} of {self.kernel} does not access shared memory" +
                             (f"; lines {', '.join(map(str, lines))} do" if lines else ": nothing does"))
        sites = [s for s in sites if (not line or s["line"] == line) and (not buffer or s["buffer"] == buffer)]
        rows = merged(sites, ("line", "buffer", "write", "by", "bytes"), _COUNTED, ("worst",))
        self.units = [row for row in rows if not row["bytes"]]
        self.rows = sorted((row for row in rows if row["bytes"]), key=lambda row: (row["line"], row["buffer"], row["write"]))
        for row in self.rows:
            row["degree"], row["too_many"] = degree(row), row["wavefronts"] - row["ideal"]
        seen = {row["buffer"] for row in rows}
        self.buffers = [b for b in counted.buffers if b["name"] in seen]
        for b in self.buffers:
            b["suggestions"] = [suggestion for suggestion in b["suggestions"] if self._tried(kernel, b["name"], suggestion, values, extents)]
        self.clean = not any(row["too_many"] for row in self.rows)
        super().__init__(_view(self))

    def _tried(self, kernel, buffer, suggestion, values, extents):
        """Compiles the kernel with a suggested layout, which may change the owners of elements; whether it has fewer wavefronts."""
        shape, pad = suggestion.pop("shape"), suggestion.pop("pad")
        made = with_layout(kernel, buffer, shape, suggestion.pop("layout"))
        if made is None and pad:  # an operation uses the whole buffer: keep its shape
            suggestion["text"], shape, layout = padded_rows(buffer, shape, pad)
            made = with_layout(kernel, buffer, shape, layout)
        if made is None:
            return False
        sites = [s for s in Counters(made, values, extents or {}, BLOCKS).sites if s["shared"] and s["buffer"] == buffer]
        for key in ("wavefronts", "ideal"):
            suggestion[key] = sum(site[key] for site in sites)
        suggestion["worst"] = max(site["worst"] for site in sites)
        return suggestion["wavefronts"] < total(self.counted.sites, buffer)["wavefronts"]

    def of(self, buffer):
        """The rows of a buffer."""
        return [row for row in self.rows if row["buffer"] == buffer]


def access_text(row):
    what = "" if row["by"] == "threads" else row["by"] + " "
    return f"{what}{'write' if row['write'] else 'read'}"


def _verdict(banks):
    count, width = banks.counted.banks
    if not banks.rows and not banks.units:
        return "nothing accesses shared memory"
    if not banks.rows:
        return "no thread accesses shared memory: only hardware units do, in their own layouts"
    if not (lost := sum(row["too_many"] for row in banks.rows)):
        return f"no bank conflicts: each access takes the minimum of wavefronts with {count} banks of {width} bytes"
    whole = sum(row["wavefronts"] for row in banks.rows)
    return f"{lost} of {whole} wavefronts are lost to bank conflicts ({count} banks of {width} bytes)"


def _cells(banks):
    worst = max((row["too_many"] for row in banks.rows), default=0)
    for row in banks.rows:
        yield [">" if worst and row["too_many"] == worst else "", str(row["line"] or ""), row["buffer"], access_text(row),
               str(row["bytes"]), degree_text(row), str(row["too_many"]), str(row["runs"])]


def _layouts(banks):
    """[(description of a buffer, [its suggested layouts])]"""
    out = []
    for b in banks.buffers:
        now = total(banks.counted.sites, b["name"])
        swizzle = f", swizzled {b['swizzle']}" if b["swizzle"] else ""
        shape = ", ".join(map(str, b["shape"]))
        said = f"{b['name']}  {b['dtype']} [{shape}]: {b['layout']}{swizzle}"
        out.append((said, _suggestions(b, degree(now)) if degree(now) > 1 else []))
    return out


def _suggestions(b, now):
    if b["units"]:
        return ["a hardware unit reads or writes it, in a fixed layout"]
    if not b["own"]:
        return ["the compiler generated this buffer and its layout"]
    if len(b["shape"]) < 2:
        return ["it has no rows to pad or swizzle: change which thread accesses which element"]
    lines = []
    for suggestion in b["suggestions"]:
        more = f", {suggestion['more_bytes']} more bytes" if suggestion["more_bytes"] else ", no extra memory"
        lines.append(f"{suggestion['kind']}: degree {degree_text(suggestion)} instead of {now:.3g}{more}")
        lines.append("  " + suggestion["text"])
    return lines or ["no tried swizzle or padding reduces the wavefronts: change which thread accesses which element"]


def _view(banks):
    page = Page(f"{banks.kernel}: {_verdict(banks)}")
    page.table(["", ">line", "buffer", "access", ">bytes", ">degree", ">extra", ">of a warp"], list(_cells(banks)))
    for said, suggestions in _layouts(banks):
        page.add(said, "<div><code>{}</code></div>")
        for suggestion in suggestions:
            page.add(suggestion, '<div style="margin-left:2em">{}</div>', indent="    ")
    page.notes(f"line {row['line']}: {row['buffer']} is {'written' if row['write'] else 'read'} by the {row['by']}, "
               "without threads" for row in banks.units)
    if any(row["by"] == "atomic" for row in banks.rows):
        page.add("atomics are counted by banks only: lanes that access one word also wait for each other")
    page.notes([banks.counted.ran_text()] + [LEGEND] * bool(banks.rows))
    keep = ("line", "code", "buffer", "write", "by", "bytes", "degree", "worst", "too_many", "wavefronts", "ideal", "runs", "lanes", "idle")
    return page.made({
        "kernel": banks.kernel, "blocks": banks.counted.blocks, "zeros": banks.counted.zeros, "banks": banks.counted.banks,
        "rows": [{k: row[k] for k in keep} for row in banks.rows],
        "units": [{k: row[k] for k in ("line", "buffer", "write", "by")} for row in banks.units], "buffers": banks.buffers})
