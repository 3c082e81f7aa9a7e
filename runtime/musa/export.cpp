// SPDX-License-Identifier: Apache-2.0
#include "runtime/musa/export.h"

#include <cstdio>
#include <filesystem>

#include "codegen/c_family/host.h"
#include "codegen/c_family/names.h"
#include "codegen/c_family/types.h"
#include "codegen/codegen.h"
#include "codegen/process.h"
#include "core/analysis/effects.h"
#include "core/ir/text/print.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "runtime/device_header.h"
#include "runtime/musa/mcc.h"

namespace tilelab::runtime {

namespace {

/// The mcc options of this machine's calls, as written to the script; the architecture is a
/// property of each kernel there, and the program has a host part.
std::string shell_options() {
  const std::vector<std::string> options = mcc_options(*find_target("mp_31"));
  return join(std::vector<std::string>(options.begin() + 3, options.end()), " ");
}

/// Writes the files that a directory has once, for all kernels in it.
std::string write_frame(const std::string& directory) {
  std::error_code ignored;  // missing directories are reported when a file is written
  for (const char* part : {"/device", "/data"})
    std::filesystem::create_directories(directory + part, ignored);
  for (const auto& [name, text] : device_header())
    if (!write_file(directory + "/device/" + name, text)) return "cannot write into " + directory;
  std::string script = read_text(codegen::device_directory() + "/run.sh");
  const std::string place = "@OPTIONS@";
  const size_t at = script.find(place);
  if (at == std::string::npos) return "the device header's directory has no run.sh";
  script.replace(at, place.size(), shell_options());
  return write_file(directory + "/run.sh", script) ? "" : "cannot write into " + directory;
}

class ProgramWriter {
 public:
  ProgramWriter(const Func& flat, const std::string& name,
                const std::vector<ExportedArgument>& arguments, const std::string& directory)
      : flat_(flat),
        name_(name),
        arguments_(arguments),
        data_(directory + "/data/" + name + "."),
        touched_(touched(*flat.body)) {}

  /// "" or the error.
  std::string write(const codegen::Rendered& kernels, const std::string& host,
                    const std::string& path) {
    std::string calls;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const Param& param = to<Param>(flat_.params[i]);
      calls += "  const auto a" + std::to_string(i) + " = " +
               (arguments_[i].given.tensor ? tensor(param, arguments_[i])
                                           : scalar(param, arguments_[i].given)) +
               ";\n";
      if (!problem_.empty()) return problem_;
    }
    return write_file(path, "// target: " + flat_.target + "\n" + kernels.text +
                                "\n#ifndef TL_STUB" + host + program(kernels, calls) + "#endif\n")
               ? ""
               : "cannot write " + path;
  }

 private:
  std::string program(const codegen::Rendered& rendered, const std::string& calls) const {
    std::string arguments, table;
    for (size_t i = 0; i < arguments_.size(); ++i) arguments += "a" + std::to_string(i) + ", ";
    bool records = false;
    for (const codegen::RenderedKernel& kernel : rendered.kernels) {
      records |= kernel.records;
      table += "TL_EMU_KERNEL(" + kernel.name + ") ";
    }
    if (records) arguments += "run.events(), ";
    return "\n#include \"tl_run.h\"\n\nint main(int argc, char** argv) {\n  tl_run::program "
           "run(\"" +
           name_ + "\", argc, argv);\n" + calls +
           "  return run.finish(tl_host::" + codegen::c_identifier(flat_.name.str() + "_host") +
           "(" + arguments + "run.stream()));\n}\n#ifdef TL_EMU\nTL_EMU_MODULE(" + table +
           ")\n#endif\n";
  }

  std::string scalar(const Param& param, const sim::Argument& given) const {
    char bits[32];
    std::snprintf(bits, sizeof bits, "0x%llxull", static_cast<unsigned long long>(given.bits));
    return "tl_run::scalar<" + codegen::c_type(param.dtype) + ">(" + bits + ")";
  }

  std::string tensor(const Param& param, const ExportedArgument& argument) {
    const sim::Argument& given = argument.given;
    const std::string& name = param.name.str();
    const bool poisoned = touched_.written.count(param.name) && !touched_.read.count(param.name);
    if (!poisoned) save(name + ".in", given.data, size_t(given.bytes));
    std::string call = argument.expected ? "run.result(" : "run.tensor(";
    call += "\"" + name + "\", " + codegen::dtype_code(given.dtype) + ", " + list(given.shape) +
            ", " + list(given.strides) + ", " + std::to_string(given.bytes) +
            (poisoned ? ", true" : ", false");
    if (!argument.expected) return call + ")";
    size_t count = is_float(given.dtype) ? sizeof(double) : size_t(bytes(given.dtype));
    for (int64_t extent : given.shape) count *= size_t(extent);
    save(name + ".want", argument.expected, count);
    char allowed[64];
    std::snprintf(allowed, sizeof allowed, "{%.17g, %.17g}", argument.relative, argument.absolute);
    return call + ", " + allowed + ")";
  }

  void save(const std::string& what, const void* data, size_t bytes) {
    if (!write_file(data_ + what, {static_cast<const char*>(data), bytes}))
      problem_ = "cannot write " + data_ + what;
  }

  static std::string list(const std::vector<int64_t>& values) {
    return "tl_host::tl_dims(" + join(values, ", ") + ")";
  }

  const Func& flat_;
  const std::string& name_;
  const std::vector<ExportedArgument>& arguments_;
  std::string data_, problem_;
  Touched touched_;
};

}  // namespace

std::string export_program(const Func& flat, const std::string& name,
                           const std::vector<ExportedArgument>& arguments,
                           const std::string& directory, Diagnostics& sink) {
  const Target* target = find_target(flat.target);
  if (!target || target->family != Family::musa)
    return "programs are only generated for targets of Moore Threads, not for " + flat.target;
  codegen::RenderOptions call;
  call.kernels = false, call.host = true;
  const auto kernels = codegen::render(flat, *target, {}, sink);
  const auto host = codegen::render(flat, *target, call, sink);
  if (!kernels || !host) return "";
  if (std::string wrong = write_frame(directory); !wrong.empty()) return wrong;
  const std::string path = directory + "/" + name;
  if (!write_file(path + ".tile", print(flat))) return "cannot write " + path + ".tile";
  return ProgramWriter(flat, name, arguments, directory).write(*kernels, host->text, path + ".mu");
}

}  // namespace tilelab::runtime
