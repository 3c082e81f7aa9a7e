// SPDX-License-Identifier: Apache-2.0
// The CPython of the front ends. The interrupt path: Python 3.11 notices PyErr_SetInterrupt at once
// only when the main thread calls it, and only a real signal ends a blocking system call. So
// interrupt() sends SIGINT to the main thread, whose handler sets both flags, ours and Python's,
// and handles calls that block just after the signal (eintr_wakeups.h).
#define PY_SSIZE_T_CLEAN
#include "python/interpreter.h"

#include <Python.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <new>
#include <unordered_map>

#include "core/support/check.h"
#include "core/support/interrupt.h"
#include "python/eintr_wakeups.h"
#include "python/form.h"
#include "python/gil.h"

namespace tilelab::python {
namespace {

struct HostModule {
  const char* name;
  std::vector<HostFunction> functions;
};
std::vector<HostModule>& host_modules() {
  static std::vector<HostModule> modules;
  return modules;
}

pthread_t main_thread;
bool running = false;
PyThreadState* parked_thread = nullptr;  // the main thread's state while it does not hold the GIL
std::atomic<bool> user_code_runs{false};
/// An interrupt of user code that is about to start.
enum class Early { none, expected, came };
std::atomic<Early> early_interrupt{Early::none};
std::string note;

PyObject* raise_host_error(const char* type, const std::string& message) {
  PyObject* builtins = PyEval_GetBuiltins();
  PyObject* exception = builtins ? PyDict_GetItemString(builtins, type) : nullptr;
  PyErr_SetString(exception ? exception : PyExc_RuntimeError, message.c_str());
  return nullptr;
}

/// The callback for each HostFunction; `self` is a capsule that holds it.
PyObject* call_host(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  auto* function = static_cast<HostFunction*>(PyCapsule_GetPointer(self, nullptr));
  if (!function) return nullptr;
  try {
    std::vector<Value> arguments;
    arguments.reserve(size_t(count));
    for (Py_ssize_t i = 0; i < count; ++i) arguments.push_back(to_value(args[i]));
    return static_cast<PyObject*>(to_python(function->call(arguments)));
  } catch (const HostError& e) {
    return raise_host_error(e.type, e.message);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& e) {
    return raise_host_error("RuntimeError", std::string("a bug in tilelab: ") + e.what());
  }
}

bool publish_module(HostModule& module) {
  static PyMethodDef methods[64];
  static size_t used = 0;
  Object object = Object::steal(PyModule_New(module.name));
  auto* raw = static_cast<PyObject*>(object.get());
  for (HostFunction& function : module.functions) {
    CHECK(used < std::size(methods), "more host functions than places");
    PyMethodDef& method = methods[used++];
    method = {function.name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_host)),
              METH_FASTCALL, nullptr};
    Object self = Object::steal(PyCapsule_New(&function, nullptr, nullptr));
    PyObject* callable = PyCFunction_New(&method, static_cast<PyObject*>(self.get()));
    if (!callable || PyModule_AddObject(raw, function.name, callable) < 0) return false;
  }
  return PyDict_SetItemString(PyImport_GetModuleDict(), module.name, raw) == 0;
}

std::string take_error() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Object owned_type = Object::steal(type), owned_value = Object::steal(value),
         owned_trace = Object::steal(trace);
  Object module = Object::steal(PyImport_ImportModule("traceback"));
  if (module) {
    Object lines = Object::steal(
        PyObject_CallMethod(static_cast<PyObject*>(module.get()), "format_exception", "OOO", type,
                            value ? value : Py_None, trace ? trace : Py_None));
    std::string text;
    Value all = lines ? to_value(lines.get()) : Value();  // outlives the loop over its list
    for (const Value& line : all.list()) text += line.text();
    if (!text.empty()) return text;
  }
  PyErr_Clear();
  return "an exception that cannot be shown";
}

void handle_sigint(int) {
  if (!pthread_equal(pthread_self(), main_thread)) {
    pthread_kill(main_thread, SIGINT);
    return;
  }
  interrupt_flag.store(true, std::memory_order_relaxed);
  PyErr_SetInterrupt();
  start_wakeups();
}

/// Consumes an interrupt that came too late for the intended code.
bool take_stale_interrupt() {
  Gil gil;
  return take_interrupt();
}

/// Clears Python's flag only; interrupt_flag may be set at any moment and is not changed.
void drop_python_interrupt() {
  Gil gil;
  if (PyErr_CheckSignals() < 0) PyErr_Clear();
}

}  // namespace

void add_module(const char* name, std::vector<HostFunction> functions) {
  CHECK(!started(), "host modules are added before Python starts");
  host_modules().push_back({name, std::move(functions)});
}

std::string start(const StartOptions& options) {
  if (started()) return "";
  if (std::string error = form::enter(options, note); !error.empty()) return error;
  running = true;
  main_thread = pthread_self();
  enable_wakeups();
  pthread_atfork(nullptr, nullptr, [] { main_thread = pthread_self(); });
  std::string error;
  for (HostModule& module : host_modules())
    if (error.empty() && !publish_module(module)) error = take_error();
  parked_thread = PyEval_SaveThread();
  return error;
}

bool started() { return running; }

const std::string& start_note() { return note; }

void finish() {
  if (!started()) return;
  PyEval_RestoreThread(parked_thread);
  Py_FinalizeEx();
  running = false;
}

std::string version() {
  std::string text = Py_GetVersion();
  return text.substr(0, text.find(' '));
}

Gil::Gil() : state_(never_unwound(PyGILState_Ensure)) {}
Gil::~Gil() { PyGILState_Release(static_cast<PyGILState_STATE>(state_)); }

NoGil::NoGil() : thread_(PyEval_SaveThread()) {}
NoGil::~NoGil() { take_gil_again(static_cast<PyThreadState*>(thread_)); }

/// A module cached by call(), so that changes of sys.modules by the user have no effect. Needs the
/// GIL. Never released, as Python ends first.
static Object& kept_module(const std::string& name) {
  static auto* modules = new std::unordered_map<std::string, Object>;
  return (*modules)[name];
}

CallResult call(const char* module, const char* function, const std::vector<Value>& arguments) {
  Gil gil;
  auto failed = [] {
    bool interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    return CallResult{false, {}, take_error(), interrupted};
  };
  Object& imported = kept_module(module);
  if (!imported) imported = Object::steal(PyImport_ImportModule(module));
  if (!imported) return failed();
  Object callee =
      Object::steal(PyObject_GetAttrString(static_cast<PyObject*>(imported.get()), function));
  if (!callee) return failed();
  Object tuple = Object::steal(PyTuple_New(Py_ssize_t(arguments.size())));
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto* item = static_cast<PyObject*>(to_python(arguments[i]));
    if (!item) return failed();
    PyTuple_SetItem(static_cast<PyObject*>(tuple.get()), Py_ssize_t(i), item);
  }
  Object result = Object::steal(never_unwound([&] {
    return PyObject_CallObject(static_cast<PyObject*>(callee.get()),
                               static_cast<PyObject*>(tuple.get()));
  }));
  if (!result) return failed();
  return {true, to_value(result.get()), ""};
}

struct Interruptible::Saved {
  struct sigaction action;
  sigset_t mask;
};

Interruptible::Interruptible() : saved_(new Saved) {
  CHECK(pthread_equal(pthread_self(), main_thread), "user code runs on Python's main thread");
  sigset_t sigint;
  sigemptyset(&sigint);
  sigaddset(&sigint, SIGINT);
  pthread_sigmask(SIG_SETMASK, nullptr, &saved_->mask);
  struct timespec now = {0, 0};
  bool blocked = sigismember(&saved_->mask, SIGINT) == 1;
  if (blocked) sigtimedwait(&sigint, nullptr, &now);
  if (blocked)
    take_stale_interrupt();
  else
    drop_python_interrupt();
  struct sigaction action = {};
  action.sa_handler = handle_sigint;  // without SA_RESTART: a blocking call must end
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &saved_->action);
  user_code_runs = true;
  pthread_sigmask(SIG_UNBLOCK, &sigint, nullptr);
  const bool came_early = early_interrupt.exchange(Early::none) == Early::came;
  if (came_early || (!blocked && interrupt_flag.load(std::memory_order_relaxed))) raise(SIGINT);
}

Interruptible::~Interruptible() {
  user_code_runs = false;
  pthread_sigmask(SIG_SETMASK, &saved_->mask, nullptr);
  bool unanswered = take_stale_interrupt();
  if (unanswered && !sigismember(&saved_->mask, SIGINT)) interrupt_flag = true;
  sigaction(SIGINT, &saved_->action, nullptr);
  delete saved_;
}

bool take_interrupt() {
  if (!pthread_equal(pthread_self(), main_thread)) return false;
  stop_wakeups();
  // In this order: an interrupt between the two is seen by the second.
  interrupt_flag.store(false, std::memory_order_relaxed);
  bool came = PyErr_CheckSignals() < 0;
  if (came) PyErr_Clear();
  return came;
}

void expect_interrupts() { early_interrupt = Early::expected; }

void interrupt() {
  Early expected = Early::expected;
  if (!user_code_runs && early_interrupt.compare_exchange_strong(expected, Early::came)) return;
  if (user_code_runs) pthread_kill(main_thread, SIGINT);
}

}  // namespace tilelab::python
