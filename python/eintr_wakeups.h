// SPDX-License-Identifier: Apache-2.0
// Handles interrupts just before a system call. Python checks for one and then makes the call; a
// signal between the two, or in C code before the call, ends nothing, and a sleep, a lock or a read
// blocks for its full time. So an interrupt is followed by EINTR wake-ups: signals (SIGURG, which
// programs ignore) that only interrupt a system call of the main thread. Python checks again and,
// without an interrupt, restarts the call (PEP 475).
#pragma once

namespace tilelab::python {

/// On the main thread, before the others. If SIGURG gets another handler, then or later, there are
/// no wake-ups.
void enable_wakeups();

/// Sends wake-ups after 10, 30, 70, 150 ms, ...: the delay of an interrupt at most doubles. They
/// continue, ever rarer, until stop_wakeups(), since Python does not report when it has raised the
/// interrupt. Async-signal-safe. Restarts the sequence.
void start_wakeups();

/// Stops the wake-ups: the cell has ended, or other code handles the interrupt. On the main thread.
void stop_wakeups();

}  // namespace tilelab::python
