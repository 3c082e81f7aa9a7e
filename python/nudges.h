// SPDX-License-Identifier: Apache-2.0
// Interrupts that come just before a system call. Python looks whether there is one and then calls;
// a signal between the two, or in C code in front of the call, ends nothing, and a sleep, a lock or
// a read lasts as long as it would have. So an interrupt is followed by nudges: signals (SIGURG,
// which programs ignore) that do nothing but end a system call of the main thread. Python looks
// again and, without an interrupt, goes on with the call (PEP 475).
#pragma once

namespace tilelab::python {

/// On the main thread, before the others. Where SIGURG has another handler, then or later, there
/// are no nudges.
void allow_nudges();

/// Nudges after 10, 30, 70, 150 ms, ...: what is late by some time is late by twice that at most.
/// That Python has raised the interrupt is not told here: they go on, ever rarer, until somebody
/// stops them. In a signal handler, too. Begins anew if there were some already.
void start_nudges();

/// None comes behind this: the cell has ended, or somebody else takes the interrupt. On the main
/// thread.
void stop_nudges();

}  // namespace tilelab::python
