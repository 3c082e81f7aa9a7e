// SPDX-License-Identifier: Apache-2.0
// The CPython of the front ends: starts it once, calls into it, handles callbacks, interrupts it.
// Only this folder includes Python.h; other code uses Value.
#pragma once

#include <string>
#include <vector>

#include "python/value.h"

namespace tilelab::python {

/// A function that Python code can call. Runs with the GIL held; throws HostError on failure.
struct HostFunction {
  const char* name;
  Value (*call)(const std::vector<Value>& arguments);
};

/// Becomes the builtin Python exception `type` ("KeyboardInterrupt", "EOFError", ...).
struct HostError {
  const char* type;
  std::string message;
};

/// Makes `functions` importable as the builtin module `name`. Only before start(); both must stay
/// alive.
void add_module(const char* name, std::vector<HostFunction> functions);

struct StartOptions {
  std::vector<std::string> argv;  // sys.argv; empty = [""]
};

/// Starts Python, or takes over the one that runs, as form.h describes, and releases the GIL. The
/// calling thread is Python's main thread. No effect if it has started already. Returns "" or why
/// it could not start. The program's Python is of the build's version; an active virtual
/// environment of the same minor version is used.
std::string start(const StartOptions& options);
bool started();
/// A note for the user about the start: "virtual environment X has Python 3.12 ...", or "".
const std::string& start_note();
/// Runs exit handlers and flushes streams; Python cannot be restarted.
void finish();
/// "3.11.2"
std::string version();

/// Holds the GIL during its lifetime. May nest.
class Gil {
 public:
  Gil();
  ~Gil();
  Gil(const Gil&) = delete;

 private:
  int state_;
};

/// Releases the GIL during its lifetime: around waits and long C++ work inside a HostFunction.
class NoGil {
 public:
  NoGil();
  ~NoGil();
  NoGil(const NoGil&) = delete;

 private:
  void* thread_;
};

struct CallResult {
  bool ok = true;
  Value value;               // if ok
  std::string error;         // otherwise the formatted traceback
  bool interrupted = false;  // the error is a KeyboardInterrupt
};

/// Calls `module.function(*arguments)`, importing the module first. Takes the GIL.
CallResult call(const char* module, const char* function, const std::vector<Value>& arguments);

/// Conversions of convert.cpp; both need the GIL. to_python returns a new PyObject* reference or
/// null with the Python error set.
void* to_python(const Value& value);
Value to_value(void* object);

/// During its lifetime, SIGINT interrupts Python code and everything that polls interrupted() of
/// core/support/interrupt.h. Create it on Python's main thread around user code. A front end that
/// blocks SIGINT everywhere else loses interrupts that come too early or too late; if it catches
/// SIGINT and sets interrupt_flag, early ones interrupt the code at once and late ones set the
/// flag.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;

 private:
  struct Saved;
  Saved* saved_;
};

/// Whether Python has a pending interrupt; clears it. With the GIL: before and after a wait that
/// detects interrupts itself. Other threads than the main one have none.
bool take_interrupt();

/// Interrupts the code inside an Interruptible, or the next such code after expect_interrupts().
/// Any thread, never waits.
void interrupt();
void expect_interrupts();

}  // namespace tilelab::python
