# SPDX-License-Identifier: Apache-2.0
"""The samples of jupyter_kernel_test for this kernel. Every sample is set: a missing one would skip its
test in silence."""

import os
import unittest

import jupyter_kernel_test


class Conformance(jupyter_kernel_test.KernelTests):
    kernel_name = os.environ["TILELAB_KERNEL_NAME"]
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('oops', file=sys.stderr)"
    code_page_something = "%help"
    code_generate_error = "raise ValueError('as expected')"
    code_execute_result = [{"code": "6 * 7", "result": "42"}, {"code": "'a' + 'b'", "result": "'ab'"}]
    code_display_data = [{"code": "class Page:\n    def _repr_html_(self): return '<b>x</b>'\ndisplay(Page())",
                          "mime": "text/html"}]
    completion_samples = [{"text": "zi", "matches": {"zip"}}]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n  return x*2\n\n"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x*2", "for i in (1,"]
    invalid_code_samples = ["import = 7q", "x = )"]
    code_inspect_sample = "zip"
    code_history_pattern = "6*7"
    supported_history_operations = ("tail", "range", "search")
    code_clear_output = "from IPython.display import clear_output; clear_output()"


class Welcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = Conformance.kernel_name
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main()
