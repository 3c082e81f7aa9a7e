// SPDX-License-Identifier: Apache-2.0
// The form of the front ends that embeds Python. It alone uses more than the limited C API.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <limits.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/support/text.h"
#include "python/form.h"

#ifndef TILELAB_PYTHON_EXECUTABLE
#define TILELAB_PYTHON_EXECUTABLE "/usr/bin/python3"
#endif

// Defined in bindings.cpp; Python requires the name.
extern "C" PyObject* PyInit__core();  // NOLINT(bugprone-reserved-identifier)

namespace tilelab::python::form {
namespace {

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
std::string choose_executable(LentPackages& lent, std::string& note) {
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

void add_package_directory(const std::string& directory) {
  PyObject* path = PySys_GetObject("path");
  Object entry = Object::steal(PyUnicode_DecodeFSDefault(directory.c_str()));
  if (path) PyList_Insert(path, 0, static_cast<PyObject*>(entry.get()));
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

/// The path of this program.
std::string own_path() {
  char buffer[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", buffer, sizeof buffer);
  if (size <= 0) {  // no /proc, as in some containers
    const auto* given = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    size = given && realpath(given, buffer) ? ssize_t(std::strlen(buffer)) : 0;
  }
  return {buffer, size_t(size)};
}

}  // namespace

std::string enter(const StartOptions& options, std::string& note) {
  LentPackages lent;
  std::string executable = choose_executable(lent, note);
  PyImport_AppendInittab("tilelab._core", &PyInit__core);
  if (std::string error = initialize(options, executable); !error.empty()) return error;
  add_lent(lent);
  if (const std::string data = data_directory(); !data.empty())
    add_package_directory(data + "/python");
  return "";
}

std::vector<std::string> command() { return {own_path()}; }

/// <prefix>/bin/tilelab and <build>/bin/tilelab have it in ../lib/tilelab; the programs of the test
/// suite are one or two levels deeper.
std::string data_directory() {
  std::string up = own_path();
  for (int level = 0; level < 4; ++level) {
    up = up.substr(0, up.rfind('/') == std::string::npos ? 0 : up.rfind('/'));
    std::string candidate = up + "/lib/tilelab";
    struct stat info;
    if (stat((candidate + "/python/tilelab/_session/shell.py").c_str(), &info) == 0)
      return candidate;
  }
  return "";
}

}  // namespace tilelab::python::form
