// SPDX-License-Identifier: Apache-2.0
// The embedded CPython: start it once, call into it, let it call back, interrupt it.
// Only interpreter.cpp, convert.cpp and bindings include Python.h; other code uses Value.
#pragma once

#include <string>
#include <vector>

#include "python/value.h"

namespace tilelab::python {

/// A function that Python code can call. Runs with the GIL held; to fail it throws HostError.
struct HostFunction {
  const char* name;
  Value (*call)(const std::vector<Value>& arguments);
};

/// Becomes the builtin Python exception `type` ("KeyboardInterrupt", "EOFError", ...).
struct HostError {
  const char* type;
  std::string message;
};

/// Makes `functions` importable as the builtin module `name`. Only before start(); both live on.
void add_module(const char* name, std::vector<HostFunction> functions);

struct StartOptions {
  std::vector<std::string> argv;      // sys.argv; empty = [""]
  std::vector<std::string> packages;  // directories put in front of sys.path
};

/// Starts Python (the one this was built with; an active virtual environment of the same minor
/// version is honoured) and releases the GIL. The calling thread becomes Python's main thread.
/// Does nothing if it runs already. Returns "" or why it could not start.
std::string start(const StartOptions& options);
bool started();
/// What a user should know about the start: "virtual environment X has Python 3.12 ...", or "".
const std::string& start_note();
/// Runs exit handlers and flushes streams; Python can't be started again.
void finish();
/// "3.11.2"
std::string version();

/// Holds the GIL while it lives. May nest.
class Gil {
 public:
  Gil();
  ~Gil();
  Gil(const Gil&) = delete;

 private:
  int state_;
};

/// Gives the GIL away while it lives: around waits and long C++ work inside a HostFunction.
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
  std::string error;         // else the formatted traceback
  bool interrupted = false;  // the error is a KeyboardInterrupt
};

/// Calls `module.function(*arguments)`, importing the module first. Takes the GIL itself.
CallResult call(const char* module, const char* function, const std::vector<Value>& arguments);

/// Conversions of convert.cpp; both need the GIL. to_python gives a new PyObject* reference or null
/// with the Python error set.
void* to_python(const Value& value);
Value to_value(void* object);

/// While it lives, SIGINT interrupts Python code and everything that polls interrupted() of
/// core/support/interrupt.h. Made on Python's main thread around user code. A front end that blocks
/// SIGINT everywhere else loses interrupts that come too early or too late for the code; for one
/// that catches it, and sets interrupt_flag, the former interrupt the code at once and the latter
/// set the flag.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;

 private:
  struct Saved;
  Saved* saved_;
};

/// Whether an interrupt came that Python has not raised yet; takes it away. With the GIL, on the
/// main thread: before a wait that has its own way of noticing interrupts, and after it.
bool take_interrupt();

/// Ends what runs inside an Interruptible; does nothing otherwise. Any thread, never waits.
void interrupt();

}  // namespace tilelab::python
