// SPDX-License-Identifier: Apache-2.0
#include "jupyter/install.h"

#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <system_error>

#include "core/support/environment.h"
#include "core/support/escape.h"

namespace tilelab {

namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: tilelab install-kernel [--user | --sys-prefix | --prefix P] [--name N] [--remove]\n"
    "  --user        installs for you only (the default): $JUPYTER_DATA_DIR, or "
    "~/.local/share/jupyter\n"
    "  --sys-prefix  installs in the active virtual environment, or for all users: /usr/local\n"
    "  --prefix P    installs in P/share/jupyter/kernels\n"
    "  --name N      sets the name of the kernel (tilelab)\n"
    "  --remove      removes the kernel\n";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  fs::path data;            // the Jupyter data directory
  std::string environment;  // the virtual environment that the kernel uses
  std::string name = "tilelab";
  bool remove = false;
};

fs::path user_data() {
  if (std::string dir = environment("JUPYTER_DATA_DIR"); !dir.empty()) return dir;
  if (std::string dir = environment("XDG_DATA_HOME"); !dir.empty())
    return fs::path(dir) / "jupyter";
  std::string home = environment("HOME");
  if (home.empty()) throw std::runtime_error("HOME is not set; use --prefix P");
  return fs::path(home) / ".local/share/jupyter";
}

bool is_environment(const fs::path& directory) { return fs::exists(directory / "pyvenv.cfg"); }

fs::path environment_prefix() {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::string prefix = environment(name); !prefix.empty()) return prefix;
  return "/usr/local";
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    auto value = [&]() -> const std::string& {
      if (++i == arguments.size()) throw UsageError(argument + " needs a value");
      return arguments[i];
    };
    if (argument == "--user") {
      options.data = user_data();
    } else if (argument == "--sys-prefix") {
      options.data = environment_prefix() / "share/jupyter";
    } else if (argument == "--prefix") {
      fs::path prefix = fs::absolute(value()).lexically_normal();
      options.data = prefix / "share/jupyter";
      if (is_environment(prefix)) options.environment = prefix;
    } else if (argument == "--name") {
      options.name = value();
    } else if (argument == "--remove") {
      options.remove = true;
    } else {
      throw UsageError("unknown argument " + argument);
    }
  }
  if (!jupyter::is_kernel_name(options.name))
    throw UsageError("the name of a kernel has only letters, digits, '-', '.' and '_': " +
                     options.name);
  if (options.data.empty()) options.data = user_data();
  std::string active = environment("VIRTUAL_ENV");
  if (options.environment.empty() && is_environment(active))
    options.environment = fs::absolute(active);
  return options;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

void print_python(const Options& options, KernelPython (*describe)()) {
  if (!options.environment.empty()) setenv("VIRTUAL_ENV", options.environment.c_str(), 1);
  KernelPython python = describe();
  std::string packages = options.environment.empty() || !python.problem.empty()
                             ? ""
                             : ", with the packages of " + options.environment;
  std::printf("it runs %s%s\n", python.text.c_str(), packages.c_str());
  if (!python.problem.empty()) std::printf("note: %s\n", python.problem.c_str());
  if (options.environment.empty())
    std::printf(
        "and takes the virtual environment that is active when Jupyter starts; to keep "
        "one, install again inside it\n");
}

void install(const Options& options, const KernelProgram& program, KernelPython (*describe)()) {
  fs::path dir = options.data / "kernels" / options.name;
  fs::create_directories(dir);
  write_file(dir / "kernel.json",
             jupyter::kernel_json(program.command, options.name, options.environment));
  for (const char* name : {"logo-svg.svg", "logo-32x32.png", "logo-64x64.png"})
    fs::copy_file(fs::path(program.logos) / name, dir / name, fs::copy_options::overwrite_existing);
  std::printf("installed the kernel %s in %s\n", options.name.c_str(), dir.c_str());
  print_python(options, describe);
}

void remove(const Options& options) {
  fs::path dir = options.data / "kernels" / options.name;
  if (!fs::exists(dir / "kernel.json"))
    throw std::runtime_error("no kernel " + options.name + " in " + dir.string());
  fs::remove_all(dir);
  std::printf("removed the kernel %s from %s\n", options.name.c_str(), dir.c_str());
}

std::string text_at(const nlohmann::json& spec, const char* place) {
  nlohmann::json::json_pointer pointer(place);
  bool is_there = spec.is_object() && spec.contains(pointer) && spec[pointer].is_string();
  return is_there ? spec[pointer].get<std::string>() : "";
}

}  // namespace

int install_kernel(const std::vector<std::string>& arguments, const KernelProgram& program,
                   KernelPython (*describe)()) try {
  Options options = parse(arguments);
  options.remove ? remove(options) : install(options, program, describe);
  return 0;
} catch (const UsageError& e) {
  std::fprintf(stderr, "tilelab install-kernel: %s\n%s", terminal_text(e.what()).c_str(), kUsage);
  return 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "tilelab install-kernel: %s\n", terminal_text(e.what()).c_str());
  return 1;
}

std::vector<InstalledKernel> installed_kernels(const std::string& prefix) {
  std::vector<fs::path> places;
  if (!environment("HOME").empty()) places.push_back(user_data());
  if (!prefix.empty()) places.push_back(fs::path(prefix) / "share/jupyter");
  places.push_back(environment_prefix() / "share/jupyter");
  places.insert(places.end(), {"/usr/local/share/jupyter", "/usr/share/jupyter"});
  std::vector<InstalledKernel> found;
  std::set<fs::path> seen;
  std::error_code ignored;
  for (const fs::path& place : places) {
    if (!seen.insert(place).second) continue;
    for (const auto& entry : fs::directory_iterator(place / "kernels", ignored)) {
      std::ifstream file(entry.path() / "kernel.json");
      nlohmann::json spec = nlohmann::json::parse(file, nullptr, false);
      std::string program = text_at(spec, "/argv/0");
      // Of a wheel: `python -m tilelab`, or -c with a program that calls its main().
      const std::string option = text_at(spec, "/argv/1"), code = text_at(spec, "/argv/2");
      const bool module = (option == "-m" && code == "tilelab") ||
                          (option == "-c" && code.find("tilelab.__main__") != code.npos);
      if (!module && fs::path(program).filename() != "tilelab") continue;
      found.push_back(
          {entry.path().filename(), entry.path(), program, text_at(spec, "/env/VIRTUAL_ENV")});
    }
  }
  return found;
}

namespace jupyter {

bool is_kernel_name(const std::string& name) {
  for (unsigned char c : name)
    if (!(c < 128 && std::isalnum(c)) && c != '-' && c != '.' && c != '_') return false;
  return !name.empty() && name != "." && name != "..";
}

std::string kernel_json(std::vector<std::string> command, const std::string& name,
                        const std::string& environment) {
  nlohmann::ordered_json spec;
  command.insert(command.end(), {"kernel", "-f", "{connection_file}"});
  spec["argv"] = std::move(command);
  spec["display_name"] = name == "tilelab" ? "tilelab" : "tilelab (" + name + ")";
  spec["language"] = "python";
  // A message also reaches the kernel through gateways and from other machines, and interrupts only
  // the running cell; a signal would go to every process that a cell has started. (A signal works
  // as well.)
  spec["interrupt_mode"] = "message";
  // Otherwise a Jupyter started outside the environment would use another Python.
  if (!environment.empty()) spec["env"]["VIRTUAL_ENV"] = environment;
  spec["metadata"]["debugger"] = true;
  spec["metadata"]["supported_encryption"] = {"curve"};
  return spec.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace jupyter

}  // namespace tilelab
