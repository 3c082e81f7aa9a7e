// SPDX-License-Identifier: Apache-2.0
// `tilelab compile`: the compiler as a batch tool, for IR text or the kernels of a Python file.
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "cli/input_file.h"
#include "cli/subcommand.h"
#include "codegen/codegen.h"
#include "core/diagnostics/render.h"
#include "core/ir/configs.h"
#include "core/ir/text/print.h"
#include "core/layout/code_paths.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/support/escape.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "runtime/device_header.h"
#include "runtime/export_library.h"
#include "runtime/failure.h"
#include "runtime/musa/export.h"
#include "views/json.h"
#include "views/pipeline_view.h"

namespace tilelab {
namespace {

struct CompileOptions {
  InputRequest input;
  std::string emit, after, directory, require;
};

const std::vector<std::string> kEmits = {"ir",   "c",       "layouts", "passes",
                                         "json", "program", "library"};

/// Whether the output is several files, or not text.
bool writes_files(const CompileOptions& options) {
  return options.emit == "program" || options.emit == "library";
}

/// The default output; for hardware that is not local, a program.
std::string usual_emit(const CompileOptions& options) {
  if (options.input.target.empty()) return "ir";
  const Target* target = parse_target(options.input.target);
  const bool elsewhere = target && target->family == Family::musa && !options.directory.empty();
  return elsewhere && options.after.empty() ? "program" : "ir";
}

/// Adds a shape for each line of the file that is not empty and no comment. "" or the error.
std::string read_shapes(const std::string& path, std::vector<std::string>& shapes) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (!file) return "cannot read " + path;
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;) text += char(c);
  std::fclose(file);
  for (const std::string& line : split(text, '\n'))
    if (const std::string shape(strip(line.substr(0, line.find('#')))); !shape.empty())
      shapes.push_back(shape);
  return shapes.empty() ? path + " has no shapes, such as M=512 N=512" : "";
}

/// "" or why the code paths cannot be required.
std::string check_required(const std::string& paths) {
  const Attr given = attr(kRequired, paths);
  const std::string needs = config_needs(kRequired, &given);
  return needs.empty() ? "" : "--require " + paths + ": use " + needs;
}

/// "" or the error in the command line.
std::string parse_options(const std::vector<std::string>& words, CompileOptions& options) {
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i], value;
    size_t equals = word.find('=');
    if (word.rfind("--", 0) != 0 && word != "-o") {
      if (options.input.file.empty())
        options.input.take_file(word);
      else if (equals != std::string::npos && equals > 0)
        options.input.constants.push_back(word);
      else
        return word + " is neither a file nor NAME=VALUE";
      continue;
    }
    bool joined = word != "-o" && equals != std::string::npos;
    if (joined)
      value = word.substr(equals + 1), word.resize(equals);
    else if (i + 1 < words.size())
      value = words[++i];
    else
      return word + " needs a value";
    if (word == "--target")
      options.input.target = value;
    else if (word == "--emit")
      options.emit = value;
    else if (word == "--after")
      options.after = value;
    else if (word == "-o")
      options.directory = value;
    else if (word == "--require")
      options.require += (options.require.empty() ? "" : ",") + value;
    else if (word == "--shape")
      options.input.shapes.push_back(value);
    else if (word == "--shapes") {
      if (std::string wrong = read_shapes(value, options.input.shapes); !wrong.empty())
        return wrong;
    } else
      return "unknown option " + word;
  }
  if (!options.require.empty())
    if (std::string wrong = check_required(options.require); !wrong.empty()) return wrong;
  if (options.input.file.empty()) return "no file";
  if (options.emit.empty()) options.emit = usual_emit(options);
  if (writes_files(options) && options.directory.empty())
    return "--emit " + options.emit + " needs -o DIRECTORY";
  for (const std::string& emit : kEmits)
    if (emit == options.emit) return "";
  return "--emit takes ir, c, layouts, passes, json, program or library, not " + options.emit;
}

struct Output {
  std::string ending, text;  // ".tile"
};

std::string layouts_text(const Func& func) {
  std::string out;
  for (const std::string& name : buffers_with_layout(func)) {
    std::optional<LayoutSubject> subject = subject_of(func, name, nullptr);
    std::optional<LayoutView> view = subject ? view_layout(*subject, {}) : std::nullopt;
    if (view) out += (out.empty() ? "" : "\n") + layout_text(*view);
  }
  return out;
}

/// Everything about one kernel as one JSON object.
std::optional<std::string> whole_json(const PipelineResult& result, const std::string& name,
                                      Diagnostics& sink) {
  std::vector<KernelIr> snapshots;
  for (const Snapshot& snapshot : result.snapshots)
    snapshots.push_back(kernel_ir(*snapshot.func, name));
  const Func& last = *result.func();
  std::optional<KernelSource> source;
  if (last.level == Level::flat) {
    source = kernel_source(last, name, {}, sink);
    if (!source) return std::nullopt;
  }
  return json_of(pipeline_run(result, name), snapshots, source ? &*source : nullptr, last.target) +
         "\n";
}

std::optional<Output> emit(const CompileOptions& options, const PipelineResult& result,
                           Diagnostics& sink, std::string& problem) {
  const std::string name = result.func()->name.str();
  const Snapshot& last = result.snapshots.back();
  if (options.emit == "passes") return Output{".passes.txt", show_passes(result, name).text};
  if (options.emit == "json") {
    std::optional<std::string> text = whole_json(result, name, sink);
    return text ? std::optional(Output{".json", *text}) : std::nullopt;
  }
  if (options.emit == "ir") return Output{".tile", print(*last.func, {true})};
  if (options.emit == "layouts") {
    const Snapshot* at = options.after.empty() ? choose_snapshot(result, "", "", &problem) : &last;
    return Output{".layouts.txt", layouts_text(*at->func)};
  }
  if (last.func->level != Level::flat) {
    problem = "C is generated from flat IR, but the pipeline ended at " +
              std::string(tilelab::name(last.func->level)) + " level";
    return std::nullopt;
  }
  const Target* target = find_target(last.func->target);
  codegen::RenderOptions both;
  both.host = true;
  std::optional<codegen::Rendered> rendered = codegen::render(*last.func, *target, both, sink);
  if (!rendered) return std::nullopt;
  const char* endings[] = {".mu", ".cu", ".cpp"};  // by family
  return Output{endings[int(target->family)], rendered->text};
}

int write_output(const CompileOptions& options, const std::string& name, const Output& output) {
  if (options.directory.empty()) {
    errno = 0;
    std::fwrite(output.text.data(), 1, output.text.size(), result_stream());
    bool written = std::fflush(result_stream()) == 0 && !std::ferror(result_stream());
    if (written || errno == EPIPE) return written ? 0 : 1;
    return fail("compile", std::string("cannot write the output: ") + std::strerror(errno), 1);
  }
  mkdir(options.directory.c_str(), 0777);
  std::string path = options.directory + "/" + name + output.ending;
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return fail("compile", "cannot write " + path, 1);
  bool written = std::fwrite(output.text.data(), 1, output.text.size(), file) == output.text.size();
  if (std::fclose(file) != 0 || !written) return fail("compile", "cannot write " + path, 1);
  std::fprintf(stderr, "wrote %s\n", terminal_text(path).c_str());
  return 0;
}

/// A shared object and its header, for programs without tilelab.
std::string write_library(const CompileOptions& options, const Func& flat, Diagnostics& sink) {
  if (flat.level != Level::flat) return "a library is generated from flat IR; remove --after";
  mkdir(options.directory.c_str(), 0777);
  const std::string path = options.directory + "/" + flat.name.str() + ".so";
  try {
    std::string wrong = runtime::export_library(flat, path, "", sink);
    if (wrong.empty() && sink.ok())
      std::fprintf(stderr, "wrote %s and its header\n", terminal_text(path).c_str());
    return wrong;
  } catch (const runtime::Failure& failure) {
    return join(failure.arguments, ": ");
  }
}

/// Beside the libraries of each kernel that has several, NAME.h, whose NAME_host chooses by shape.
std::string write_choosers(const CompileOptions& options, const std::vector<FuncRef>& flats,
                           const std::vector<std::string>& kernels) {
  std::map<std::string, std::vector<FuncRef>> by_name;
  for (size_t i = 0; i < flats.size() && i < kernels.size(); ++i)
    by_name[kernels[i]].push_back(flats[i]);
  for (const auto& [name, same] : by_name) {
    const std::string text = same.size() > 1 ? runtime::library_chooser(name, same) : "";
    if (text.empty()) continue;
    const std::string path = options.directory + "/" + name + ".h";
    if (!runtime::write_file(path, text)) return "cannot write " + path;
    std::fprintf(stderr, "wrote %s, which chooses by shape\n", terminal_text(path).c_str());
  }
  return "";
}

/// A program for another machine, with generated arguments.
std::string write_program(const CompileOptions& options, const Func& flat, Diagnostics& sink) {
  if (flat.level != Level::flat) return "a program is generated from flat IR; remove --after";
  runtime::SampleCall call;
  if (std::string wrong = call.make(flat); !wrong.empty())
    return wrong + "; kernel.export_program(DIRECTORY, *values) takes your own values";
  const std::string name = flat.name.str();
  std::string wrong =
      runtime::export_program(flat, name, call.arguments(), options.directory, sink);
  if (wrong.empty() && sink.ok())
    std::fprintf(stderr, "wrote %s/%s.mu; sh %s/run.sh builds and runs it\n",
                 terminal_text(options.directory).c_str(), name.c_str(),
                 terminal_text(options.directory).c_str());
  return wrong;
}

FuncRef requiring(const Func& func, const std::string& paths) {
  Func out(func);
  std::erase_if(out.configs, [](const Attr& a) { return a.name == Symbol(kRequired); });
  out.configs.push_back(attr(kRequired, paths));
  return make(std::move(out));
}

/// `compiled`: receives the function after the passes.
int compile_one(const CompileOptions& options, const FuncRef& func, bool from_text,
                std::vector<FuncRef>& compiled) {
  Diagnostics sink;
  PipelineOptions pipeline;
  pipeline.stop_after = options.after;
  PipelineResult result = (from_text ? run_passes_on_text : run_passes)(func, sink, pipeline);
  std::string problem;
  std::optional<Output> output;
  const bool files = writes_files(options);
  if (result.ok && files)
    problem =
        (options.emit == "program" ? write_program : write_library)(options, *result.func(), sink);
  if (result.ok && !files) output = emit(options, result, sink, problem);
  sink.sort();
  std::fputs(show_messages(sink, func.get()).c_str(), stderr);
  if (!problem.empty()) return fail("compile", problem, 1);
  if (result.ok) compiled.push_back(result.func());
  if (files) return result.ok && sink.ok() ? 0 : 1;
  return output && sink.ok() ? write_output(options, func->name.str(), *output) : 1;
}

}  // namespace

int compile(const std::vector<std::string>& arguments) {
  CompileOptions options;
  if (std::string problem = parse_options(arguments, options); !problem.empty())
    return fail("compile", problem + "; see tilelab compile --help", 2);
  if (!options.after.empty() && !find_pass(options.after)) {
    const std::vector<std::string> names = names_of(all_passes());
    std::string near = nearest(options.after, names);
    return fail(
        "compile",
        "unknown pass " + options.after + "; " +
            (near.empty() ? "there are " + join(names, ", ") : "did you mean " + near + "?"),
        2);
  }
  Input input = read_input(options.input);
  if (!input.problem.empty()) return fail("compile", input.problem, input.status);
  std::vector<FuncRef> compiled;
  for (FuncRef func : input.functions) {
    if (!options.require.empty()) func = requiring(*func, options.require);
    if (int status = compile_one(options, func, is_ir_file(options.input.file), compiled))
      return status;
  }
  if (options.emit != "library") return 0;
  const std::string problem = write_choosers(options, compiled, input.kernels);
  return problem.empty() ? 0 : fail("compile", problem, 1);
}

}  // namespace tilelab
