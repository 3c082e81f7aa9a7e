// SPDX-License-Identifier: Apache-2.0
// The embedded CPython. The interrupt path: Python 3.11 notices PyErr_SetInterrupt at once only
// when the main thread calls it, and only a real signal ends a blocking system call. So interrupt()
// sends SIGINT to the main thread, whose handler sets both flags, ours and Python's, and handles
// calls that block just after the signal (eintr_wakeups.h).
#define PY_SSIZE_T_CLEAN
#include "python/interpreter.h"

#include <Python.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <new>
#include <unordered_map>

#include "core/support/check.h"
#include "core/support/interrupt.h"
#include "core/support/text.h"
#include "python/eintr_wakeups.h"
#include "python/gil.h"

#ifndef TILELAB_PYTHON_EXECUTABLE
#define TILELAB_PYTHON_EXECUTABLE "/usr/bin/python3"
#endif

#ifdef TILELAB_BINDINGS
// Defined in bindings.cpp; Python requires the name.
extern "C" PyObject* PyInit__core();  // NOLINT(bugprone-reserved-identifier)
#endif

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
PyThreadState* parked_thread = nullptr;  // the main thread's state while it does not hold the GIL
std::atomic<bool> user_code_runs{false};
/// An interrupt of user code that is about to start.
enum class Early { none, expected, came };
std::atomic<Early> early_interrupt{Early::none};
std::string note;

std::string real_path(const std::string& path) {
  char buffer[PATH_MAX];
  return realpath(path.c_str(), buffer) ? buffer : path;
}

/// The contents of a virtual environment's pyvenv.cfg.
struct Environment {
  std::string root, home, version;
  bool alone = true;  // does not use the packages of its base Python
};

/// Packages of an environment that another build of Python has made, "" if none, and those of that
/// Python, "" if the environment does not use them.
struct LentPackages {
  std::string directory, base;
};

Environment active_environment() {
  Environment env;
  const char* root = std::getenv("VIRTUAL_ENV");
  if (!root || !*root) return env;
  std::ifstream config(std::string(root) + "/pyvenv.cfg");
  for (std::string line; std::getline(config, line);) {
    size_t eq = line.find('=');
    if (eq == std::string::npos) continue;
    std::string key(strip(std::string_view(line).substr(0, eq)));
    std::string value(strip(std::string_view(line).substr(eq + 1)));
    if (key == "home") env.home = value;
    if (key == "version" || key == "version_info") env.version = value;
    if (key == "include-system-site-packages") env.alone = value != "true" && value != "True";
  }
  if (!env.version.empty()) env.root = root;
  return env;
}

std::string minor_version() {
  return std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION);
}

/// Chooses the executable from which Python derives its paths, and packages to add later.
std::string choose_executable(LentPackages& lent) {
  std::string own = TILELAB_PYTHON_EXECUTABLE;
  Environment env = active_environment();
  if (env.root.empty()) return own;
  if (env.version.rfind(minor_version() + ".", 0) != 0) {
    note = "the virtual environment " + env.root + " has Python " + env.version +
           "; tilelab runs " + minor_version() + " and does not use it";
    return own;
  }
  // An environment of the embedded Python is activated completely; one of another build of the same
  // version only provides its packages, because its standard library need not match this binary.
  if (real_path(env.home + "/python" + minor_version()) == real_path(own))
    return env.root + "/bin/python3";
  const std::string packages = "/lib/python" + minor_version() + "/site-packages";
  lent = {env.root + packages, env.alone ? "" : env.home + "/.." + packages};
  return own;
}

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

void add_package_directories(const std::vector<std::string>& directories) {
  PyObject* path = PySys_GetObject("path");
  for (size_t i = directories.size(); path && i-- > 0;) {
    Object entry = Object::steal(PyUnicode_DecodeFSDefault(directories[i].c_str()));
    PyList_Insert(path, 0, static_cast<PyObject*>(entry.get()));
  }
}

/// Inserted before the packages of the embedded Python, as in the environment itself; in place of
/// them if the environment is isolated and has the one package needed.
constexpr const char* kLend = R"(
import os, site, sys
def lend(packages, base):
    before = list(sys.path)
    for directory in filter(None, (packages, base)):
        site.addsitedir(os.path.abspath(directory))
    new = [p for p in sys.path if p not in before]
    own = (*site.getsitepackages(), site.getusersitepackages())
    first = next((i for i, p in enumerate(before) if p.startswith(own)), len(before))
    rest = before[first:]
    if not base and os.path.isdir(os.path.join(packages, "numpy")):
        rest = [p for p in rest if not p.startswith(own)]
    sys.path[:] = before[:first] + new + rest
)";

void add_lent(const LentPackages& lent) {
  if (lent.directory.empty()) return;
  Object names = Object::steal(PyDict_New());
  auto* scope = static_cast<PyObject*>(names.get());
  Object made = Object::steal(PyRun_String(kLend, Py_file_input, scope, scope));
  PyObject* lend = made ? PyDict_GetItemString(scope, "lend") : nullptr;
  if (lend)
    Object::steal(PyObject_CallFunction(lend, "ss", lent.directory.c_str(), lent.base.c_str()));
  PyErr_Clear();
}

std::string initialize(const StartOptions& options, const std::string& executable) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.parse_argv = 0;
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, executable.c_str());
  if (!PyStatus_Exception(status))
    status = PyConfig_SetBytesString(&config, &config.executable, executable.c_str());
  std::vector<char*> argv;
  for (const std::string& arg : options.argv) argv.push_back(const_cast<char*>(arg.c_str()));
  if (argv.empty()) argv.push_back(const_cast<char*>(""));
  if (!PyStatus_Exception(status))
    status = PyConfig_SetBytesArgv(&config, Py_ssize_t(argv.size()), argv.data());
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (!PyStatus_Exception(status)) return "";
  return status.err_msg ? status.err_msg : "Python did not start";
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
  LentPackages lent;
  std::string executable = choose_executable(lent);
#ifdef TILELAB_BINDINGS
  PyImport_AppendInittab("tilelab._core", &PyInit__core);
#endif
  if (std::string error = initialize(options, executable); !error.empty()) return error;
  main_thread = pthread_self();
  enable_wakeups();
  pthread_atfork(nullptr, nullptr, [] { main_thread = pthread_self(); });
  add_lent(lent);
  add_package_directories(options.packages);
  std::string error;
  for (HostModule& module : host_modules())
    if (error.empty() && !publish_module(module)) error = take_error();
  parked_thread = PyEval_SaveThread();
  return error;
}

bool started() { return Py_IsInitialized() != 0; }

const std::string& start_note() { return note; }

void finish() {
  if (!started()) return;
  PyEval_RestoreThread(parked_thread);
  Py_FinalizeEx();
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
    PyTuple_SET_ITEM(static_cast<PyObject*>(tuple.get()), Py_ssize_t(i), item);
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
