# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of a page in the shell: blocks ```python, each followed by what the shell prints, ```text."""

import dataclasses
import os
import re
import subprocess
import tempfile

MARK = "that was a block"
# Text that varies between runs.
MEASURED = re.compile(r"\b\d+(\.\d+)? (ms|us|ns|s)\b")
CELL = re.compile(r"\bcell (\d+)(?=[,:(])")
BLOCK = re.compile(r"^```python(?P<flags>[^\n]*)\n(?P<code>.*?)^```\n(?P<between>\n*)(?:^```text\n(?P<output>.*?)^```\n)?",
                   re.M | re.S)


@dataclasses.dataclass
class Block:
    code: str
    fails: bool     # marked `error`
    varies: bool    # marked `varies`: the output on the page is one of many
    output: str     # as on the page
    start: int      # offset in the page
    end: int
    section: int    # 0 before the first


def blocks_of(page):
    found = []
    for match in BLOCK.finditer(page):
        section = len(re.findall(r"^## ", page[:match.start()], re.M))
        end = match.end() if match["output"] is not None else match.end() - len(match["between"])
        found.append(Block(match["code"], "error" in match["flags"].split(), "varies" in match["flags"].split(), match["output"] or "", match.start(), end, section))
    return found


def run(program, blocks):
    """For each block, in one session: what the shell prints, whether a cell failed, and the numbers of its cells."""
    system = "__import__('sys')"  # no name that an example could delete
    mark = f"print({MARK!r}, len(In), getattr({system}, 'last_value', None) is not None); {system}.last_value = None"
    lines = ["%device sim", mark]
    for block in blocks:
        lines += [block.code, "", mark]
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([program, "--quiet", "--no-init", "--no-pager", "--keep-going"], input="\n".join(lines) + "\n", text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=home,
                              env={**os.environ, "PATH": f"{os.path.dirname(program)}:{os.environ['PATH']}", "COLUMNS": "88", "NO_COLOR": "1", "TILELAB_TENSORS": "tilelab",
                                   "EDITOR": "true", "VISUAL": "true", "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home,
                                   "TILELAB_WATCH_SECONDS": "10"})  # as long as a slow build needs
    pieces = re.split(rf"{MARK} (\d+) (True|False)\n", done.stdout.replace(home, "/home/me"))
    outputs, cells, failed = pieces[3::3], [int(number) for number in pieces[1::3]], [word == "True" for word in pieces[2::3]]
    if len(outputs) < len(blocks) + 1:
        raise SystemExit(f"the session ended early:\n{done.stdout[-2000:]}")
    return outputs[:len(blocks)], failed[1:], [range(a, b - 1) for a, b in zip(cells, cells[1:])]  # the last cell printed the mark


def tidy(output, numbers, times=False):
    """Without times, unless they are wanted, and with other numbers of cells; text aligned under a line of a cell stays aligned."""
    lines, shift = [], 0
    for line in output.rstrip().lstrip("\n").split("\n") if output.strip() else []:
        made = CELL.sub(lambda m: f"cell {numbers.get(int(m[1]), m[1])}", line)
        if re.match(r" +cell ", line):
            shift = len(line) - len(made)
        elif shift and line.startswith(" " * 10):
            made = made[shift:]
        else:
            shift = 0
        lines.append((made if times else MEASURED.sub(r"# \2", made)).rstrip() + "\n")
    return "".join(lines)


def outputs_of(program, blocks):
    """(output, failed) of each block; cells are counted from 1 in each section."""
    outputs, failed, cells = run(program, blocks)
    numbers, counts = {}, {}
    for block, own in zip(blocks, cells):
        for cell in own:
            numbers[cell] = counts[block.section] = counts.get(block.section, 0) + 1
    return [(tidy(output, numbers, block.varies), bad) for block, output, bad in zip(blocks, outputs, failed)]


def outputs_alone(program, blocks):
    """The same with a new session for each section, which the blocks before the first section begin."""
    setup = [block for block in blocks if block.section == 0]
    found = outputs_of(program, setup)
    for section in sorted({block.section for block in blocks} - {0}):
        own = [block for block in blocks if block.section == section]
        found += outputs_of(program, setup + own)[len(setup):]
    return found


def comparable(output):
    """A column of times is as wide as its longest: without blanks, if there are times."""
    return "".join(output.split()) if re.search(r"# (ms|us|ns|s)\b", output) else output


def problems(page, blocks, outputs):
    for block, (output, failed) in zip(blocks, outputs):
        line = page.count("\n", 0, block.start) + 1
        if block.fails != failed:
            yield f"line {line}: {'no error, although marked as one' if block.fails else 'fails'}:\n{output}"
        elif comparable(output) != comparable(block.output) and not (block.varies and output and block.output):
            yield f"line {line}: the example prints\n{output}---- not\n{block.output}----"


def blessed(page, blocks, outputs):
    """The page with these outputs."""
    out, at = "", 0
    for block, (output, _) in zip(blocks, outputs):
        output = block.output or output if block.varies else output
        head = re.match(r"```python[^\n]*\n.*?^```\n", page[block.start:], re.M | re.S)[0]
        out += page[at:block.start] + head + (f"\n```text\n{output}```\n" if output else "")
        at = block.end
    return out + page[at:]
