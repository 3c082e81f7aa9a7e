# SPDX-License-Identifier: Apache-2.0
"""run.py [--bless] [FILTER...]: each file here is a mistake; Python's output is at its
end as `#> ` lines. tilelang.compile checks as with check=True. No message may show a C++ frame, an assertion or the package's own files."""
import functools
import os
import re
import sys
import warnings

import tilelab
import tilelab._session.imports

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "python")]
import golden

tilelab._session.imports.install()
tilelab.compile = functools.partial(tilelab.compile, check=True)
INTERNAL = re.compile(r"\.cpp|\.h:\d|CHECK|assert failed|InternalError|terminate called|0x[0-9a-f]{6}|python/tilelab/")


def message_of(name, text):
    """The output of running the file: warnings, then the exception."""
    said = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(text, name, "exec"), {"__name__": "__main__", "__file__": name})
        except Exception as error:
            said.append(f"{type(error).__name__}: {str(error).strip()}")
    said = [f"{w.category.__name__}: {str(w.message).strip()}" for w in caught] + said
    message = "\n".join(said)
    assert message, "nothing was said"
    assert not INTERNAL.search(message), f"tilelab's own affairs\n{message}"
    return message


if __name__ == "__main__":
    sys.exit(golden.main(HERE, message_of, "wrong kernels"))
