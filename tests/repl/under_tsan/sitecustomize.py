# SPDX-License-Identifier: Apache-2.0
"""ThreadSanitizer holds a signal back until its thread calls a function that the sanitizer intercepts. A loop in Python calls none, so
Ctrl-C would not end it. This thread asks for the GIL time and again, and handing over the GIL is such a call."""
import threading
import time


def ask_for_the_gil():
    while True:
        time.sleep(0.02)


threading.Thread(target=ask_for_the_gil, daemon=True).start()
