# SPDX-License-Identifier: Apache-2.0
"""run.py [--bless] [FILTER...]: each file here is a mistake; what Python says about it stands at its
end as `#> ` lines. No message may show a C++ frame, an assertion or the package's own files."""
import os
import re
import sys
import time
import warnings

import tilelab
import tilelab._session_import

tilelab._session_import.install()
HERE = os.path.dirname(os.path.abspath(__file__))
INTERNAL = re.compile(r"\.cpp|\.h:\d|CHECK|assert failed|InternalError|terminate called|0x[0-9a-f]{6}|python/tilelab/")


def take_apart(content):
    lines = content.splitlines()
    while lines and lines[-1].startswith("#>"):
        lines.pop()
    text = "\n".join(lines).rstrip() + "\n"
    expected = [line[2:].removeprefix(" ") for line in content.splitlines() if line.startswith("#>")]
    return text, "\n".join(expected)


def message_of(text, name):
    """What running the file says: warnings, then the exception."""
    said = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(text, name, "exec"), {"__name__": "__main__", "__file__": name})
        except Exception as error:
            said.append(f"{type(error).__name__}: {str(error).strip()}")
    said = [f"{w.category.__name__}: {str(w.message).strip()}" for w in caught] + said
    return "\n".join(line.rstrip() for line in "\n".join(said).splitlines())


def check_file(name, bless):
    with open(name, encoding="utf-8") as file:
        content = file.read()
    text, expected = take_apart(content)
    said = message_of(text, name)
    if not said or INTERNAL.search(said):
        return f"FAILED {name}\n{said or 'nothing was said'}"
    if said == expected:
        return ""
    if bless:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text + "".join(f"#> {line}".rstrip() + "\n" for line in said.splitlines()))
        return ""
    return f"FAILED {name}\n--- expected\n{expected}\n--- said\n{said}"


def main(arguments):
    os.chdir(HERE)
    filters = [a for a in arguments if a != "--bless"]
    start, failed, count = time.time(), 0, 0
    for name in sorted(os.listdir(".")):
        if not name.endswith(".py") or name == "run.py" or filters and not any(f in name for f in filters):
            continue
        count += 1
        said = check_file(name, "--bless" in arguments)
        if said:
            failed += 1
            print(said)
    print(f"{count} wrong kernels, {failed} failed; {time.time() - start:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
