# SPDX-License-Identifier: Apache-2.0
"""run.py [--bless] [FILTER...]: each file here makes kernels and calls check(kernel, arguments...); what
%check prints is stored at the end of the file as `#> ` lines, and kernel.check() must agree. check(kernel) is %check without
a call."""
import io
import json
import os
import sys

import numpy as np
import tilelab
import tilelab._session.imports
from tilelab._kernel import arguments, watched
from tilelab._tools import check

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import golden

tilelab._session.imports.install()


def report_of(kernel, values):
    described, _, _ = arguments.describe(kernel, values)
    return check.report(kernel, check.run_levels(kernel, described), kernel.name)


def raised(kernel, values):
    try:
        kernel.check(*values)
    except tilelab.KernelError as error:
        return [f["kind"] for f in error.findings], str(error)
    return [], ""


def what_is_shown(name, text):
    out = io.StringIO()

    def check(kernel, *values):
        if not values:
            print(watched.report(kernel, kernel.name)["text"], file=out)
            return
        report = report_of(kernel, [v.copy() for v in values])
        kinds, message = raised(kernel, [v.copy() for v in values])
        assert bool(kinds) == (json.loads(report.json)["verdict"] == "findings"), "kernel.check() and %check disagree"
        for line in message.split("\n")[:-1]:  # the last one names the kernel
            assert line in str(report), f"only the exception says {line!r}"
        print(report, file=out)

    exec(compile(text, name, "exec"), {"__name__": "checked", "check": check, "np": np})
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(golden.main(HERE, what_is_shown, "checked programs"))
