// SPDX-License-Identifier: Apache-2.0
// The form of the front ends that runs inside the environment's Python: the module
// tilelab._frontend, whose main() is the command line.
#include <dlfcn.h>
#include <signal.h>

#include <cstdlib>

#include "python/form.h"
#include "python/object.h"

// Defined in bindings.cpp; Python requires the name.
extern "C" PyObject* PyInit__core();  // NOLINT(bugprone-reserved-identifier)

namespace tilelab::python {
namespace {

PyThreadState* caller = nullptr;  // of main(), without the GIL until a session starts

/// Makes sys as it is in the program: its arguments, no directory of the script, an empty __main__.
constexpr const char* kPrepare = R"(
def prepare(argv):
    import sys, types
    if not sys.flags.safe_path:
        del sys.path[0]
    sys.argv[:] = argv or [""]
    module = types.ModuleType("__main__")
    module.__builtins__ = sys.modules["builtins"]
    sys.modules["__main__"] = module
)";

/// The front ends link the compiler core; another copy would have separate source tables and
/// interrupt flags.
void provide_core() {
  PyObject* modules = PyImport_GetModuleDict();
  if (PyDict_GetItemString(modules, "tilelab._core"))
    throw_error(PyExc_ImportError,
                "tilelab._core is imported already: start tilelab by its command");
  const Object core = checked(PyInit__core());
  check(PyDict_SetItemString(modules, "tilelab._core", raw(core)));
  check(PyObject_SetAttrString(raw(module_named("tilelab")), "_core", raw(core)));
}

/// A virtual environment need not be active for its own command.
void activate() {
  const auto path = [](const char* name) { return text_of(PySys_GetObject(name)); };
  if (path("prefix") != path("base_prefix")) setenv("VIRTUAL_ENV", path("prefix").c_str(), 1);
}

/// As Python does when it starts: a front end has reset the signal, which a script may have
/// ignored.
void handle_interrupts() {
  struct sigaction now;
  if (sigaction(SIGINT, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  const Object signals = module_named("signal");
  const Object handler = checked(PyObject_GetAttrString(raw(signals), "default_int_handler"));
  checked(PyObject_CallMethod(raw(signals), "signal", "iO", SIGINT, raw(handler)));
}

/// Returns the exit status. A session finalizes Python, as the program does: exit handlers and
/// finalizers run while its front end exists. So the process ends here once a session has started.
int run_main(const std::vector<std::string>& arguments) {
  provide_core();
  activate();
  caller = PyEval_SaveThread();
  const int status = run_command_line(arguments);
  if (started() || !Py_IsInitialized()) std::exit(status);
  PyEval_RestoreThread(caller);
  return status;
}

std::string own_directory() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&run_main), &info) || !info.dli_fname) return "";
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/'));
}

}  // namespace

std::string form::enter(const StartOptions& options, std::string&) {
  PyEval_RestoreThread(caller);
  try {
    const Object scope = dict_of();
    const Object code = checked(Py_CompileString(kPrepare, "<tilelab>", Py_file_input));
    checked(PyEval_EvalCode(raw(code), raw(scope), raw(scope)));
    const Object arguments = tuple_of(options.argv);
    checked(PyObject_CallObject(raw(entry(scope, "prepare")), raw(arguments)));
    handle_interrupts();
    return "";
  } catch (const PythonError&) {
    return text_of(raw(checked(PyObject_Str(raw(take_exception())))));
  }
}

std::vector<std::string> form::command() {
  Gil gil;
  const Object executable = Object::borrow(PySys_GetObject("executable"));
  return {text_of(raw(executable)), "-m", "tilelab"};
}

std::string form::data_directory() { return own_directory() + "/_data"; }

}  // namespace tilelab::python

/// Python requires the name.
PyMODINIT_FUNC PyInit__frontend() {  // NOLINT(bugprone-reserved-identifier)
  using namespace tilelab::python;
  static PyModuleDef definition =
      module_definition("tilelab._frontend", "the command line, the shell and the notebook kernel");
  return guarded([] {
    const Object module = checked(PyModule_Create(&definition));
    add_functions(module, {function<run_main>("main", "arguments")});
    return module;
  });
}
