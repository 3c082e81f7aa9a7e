# SPDX-License-Identifier: Apache-2.0
"""Markdown of the documents as plain text for a terminal, and as HTML for a notebook: paragraphs, items, code, tables, headings."""

import html
import re
import textwrap

_ITEM = re.compile(r"(\s*)([-*]|\d+\.) ")
WIDTH = 79


def blocks(text):
    """(kind, lines) in order; kinds are text, item, code, table, heading and blank. Items and paragraphs may have several lines."""
    kind, lines, fence = "blank", [], ""
    for line in text.split("\n"):
        if fence:
            if line.strip() == fence:
                fence = ""
            else:
                lines.append(line)
            continue
        indented = line.startswith("    ") and kind not in ("text", "item")
        match = re.match(r"(`{3,})", line)
        new = ("code" if match or indented else "heading" if re.match(r"#+ ", line) else "blank" if not line.strip() else
               "table" if line.startswith("|") else "item" if _ITEM.match(line) else kind if kind in ("text", "item") else "text")
        begins = match or new == "heading" or new == "item" and _ITEM.match(line)
        if new != kind or begins:
            if lines or kind == "code":
                yield kind, lines
            kind, lines = new, []
        if match:
            fence = match[1]
        else:
            lines.append(line[4:] if indented else line)
    yield kind, lines


def _filled(lines, width):
    """A paragraph or an item of a list."""
    text = " ".join(line.strip() for line in lines)
    match = _ITEM.match(lines[0])
    indent = match[1] if match else ""
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=" " * match.end() if match else "",
                         break_long_words=False, break_on_hyphens=False)


def plain(text, width=WIDTH):
    out = []
    for kind, lines in blocks(text):
        if kind in ("text", "item"):
            out.append(_filled(lines, width))
        elif kind == "code":
            out += [("    " + line).rstrip() for line in lines]
        elif kind == "heading":
            title = lines[0].lstrip("#").strip()
            out += [title, "-" * len(title)]
        else:
            out += [line.rstrip() for line in lines]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip("\n")


def _inline(text):
    """Code, bold and links of a line; a link is its text, because the session has no pages to link to."""
    parts = re.split(r"(`[^`]+`)", text)
    for i, part in enumerate(parts):
        shown = html.escape(part.strip("`") if i % 2 else part, quote=False)
        parts[i] = f"<code>{shown}</code>" if i % 2 else re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", shown))
    return "".join(parts)


def _table(lines):
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
    rows = [("th" if i == 0 else "td", row) for i, row in enumerate(cells) if not set("".join(row)) <= set("-: ")]
    return "<table>" + "".join("<tr>" + "".join(f'<{tag} style="text-align:left">{_inline(cell)}</{tag}>' for cell in row) + "</tr>"
                               for tag, row in rows) + "</table>"


def to_html(text):
    out = []
    for kind, lines in blocks(text):
        if kind == "item":
            item = f"<li>{_inline(_ITEM.sub('', ' '.join(line.strip() for line in lines)))}</li>"
            if out and out[-1].endswith("</ul>"):
                out[-1] = out[-1][:-len("</ul>")] + item + "</ul>"
            else:
                out.append(f"<ul>{item}</ul>")
        elif kind == "code":
            out.append('<pre style="margin-left:1em">' + html.escape("\n".join(lines)) + "</pre>")
        elif kind == "heading":
            out.append(f"<p><b>{_inline(lines[0].lstrip('#').strip())}</b></p>")
        elif kind == "table":
            out.append(_table(lines))
        elif kind == "text":
            out.append(f"<p>{_inline(' '.join(lines))}</p>")
    return "\n".join(out)
