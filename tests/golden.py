# SPDX-License-Identifier: Apache-2.0
"""Files that are Python text with what is said about it at the end, as `#> ` lines: run, compared,
and rewritten by --bless."""

import os
import sys
import time
import traceback


def split_expectation(content):
    """(text, expected) of a file's content."""
    lines = content.splitlines()
    end = len(lines)
    while end and lines[end - 1].startswith("#>"):
        end -= 1
    text = "\n".join(lines[:end]).rstrip() + "\n"
    return text, "\n".join(line[2:].removeprefix(" ") for line in lines[end:])


def tidy(said):
    """Without spaces at the ends of lines and empty lines at the end, as editors keep it."""
    return "\n".join(line.rstrip() for line in said.splitlines()).rstrip()


def check_file(name, say, bless):
    """"" or why the file fails. `say(name, text)` gives what is said; AssertionError: a plain failure."""
    with open(name, encoding="utf-8") as file:
        text, expected = split_expectation(file.read())
    try:
        said = tidy(say(name, text))
    except AssertionError as error:
        return f"FAILED {name}: {error}"
    except Exception:
        return f"FAILED {name}\n{traceback.format_exc()}"
    if said == expected:
        return ""
    if bless:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text + "".join(f"#> {line}".rstrip() + "\n" for line in said.splitlines()))
        return ""
    return f"FAILED {name}\n--- expected\n{expected}\n--- said\n{said}"


def main(directory, say, what):
    """[--bless] [FILTER...] of sys.argv over the directory's files; the exit status."""
    os.chdir(directory)
    filters = [a for a in sys.argv[1:] if a != "--bless"]
    start, failed, count = time.time(), 0, 0
    for name in sorted(os.listdir(".")):
        if not name.endswith(".py") or name == "run.py" or filters and not any(f in name for f in filters):
            continue
        count += 1
        problem = check_file(name, say, "--bless" in sys.argv)
        if problem:
            failed += 1
            print(problem)
    print(f"{count} {what}; {failed} failed; {time.time() - start:.1f} s")
    return 1 if failed else 0
