// SPDX-License-Identifier: Apache-2.0
// The module tilelab._core: a thin, stateless wrapper of core. The package's Python implements the
// user's view of its objects.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "codegen/codegen.h"
#include "codegen/ptx/ptx.h"
#include "core/check/check.h"
#include "core/diagnostics/allow.h"
#include "core/elaborate/builtins/builtins.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborate.h"
#include "core/ir/build.h"
#include "core/ir/configs.h"
#include "core/ir/text/print.h"
#include "core/ir/traverse.h"
#include "core/ir/verify/verify.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pipeline/retarget.h"
#include "core/prove/prove.h"
#include "core/sim/sim.h"
#include "core/support/interrupt.h"
#include "core/support/progress.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "python/ast_convert.h"
#include "python/checks.h"
#include "python/compilation.h"
#include "python/host_values.h"
#include "python/quick_call.h"
#include "python/results.h"
#include "python/runs.h"
#include "python/served_work.h"
#include "python/traces.h"

namespace py = pybind11;

namespace tilelab::python {
namespace {

namespace el = tilelab::elaborate;

struct TreeObject {
  syntax::Tree tree;
};

Object borrowed(const py::handle& handle) { return Object::borrow(handle.ptr()); }

const Target& known_target(const std::string& name) {
  const Target* target = find_target(name);
  CHECK(target, "no target " + name);
  return *target;
}

py::dict elaborate_function(const TreeObject& tree, const py::object& scope,
                            const std::string& name, const std::string& target,
                            const py::dict& arguments, const py::dict& constants,
                            bool signature_only, std::vector<int64_t> outputs, bool eager) {
  PythonHost host(borrowed(py::module_::import("tilelab._compiler.bridge")));
  el::Request request;
  request.function = tree.tree;
  request.scope = std::make_shared<PythonObject>(borrowed(scope));
  request.name = name;
  request.target = target;
  request.signature_only = signature_only;
  request.eager = eager;
  request.outputs = std::move(outputs);
  for (auto item : constants)
    request.constants[item.first.cast<std::string>()] = item.second.cast<int64_t>();
  Diagnostics diagnostics;
  el::Result result;
  try {
    for (auto item : arguments)
      request.arguments[item.first.cast<std::string>()] = host.to_value(borrowed(item.second));
    result = el::elaborate(request, host, diagnostics);
  } catch (const Cancelled&) {
    host.restore_error();
    throw py::error_already_set();
  }
  if (result.func && !signature_only) result.func = for_target(result.func, known_target(target));
  diagnostics.sort();
  auto names = [](const std::vector<Symbol>& symbols) {
    py::list out;
    for (Symbol s : symbols) out.append(s.str());
    return out;
  };
  py::dict out;
  auto said = diagnostics.empty() ? nullptr : std::make_shared<const Diagnostics>(diagnostics);
  out["func"] = result.func ? py::cast(FuncObject{result.func, said}) : py::none();
  out["constants"] = names(result.constants);
  out["runtime"] = names(result.runtime);
  out["returned"] = names(result.returned);
  out["returns_tuple"] = result.returns_tuple;
  out["diagnostics"] = diagnostics_list(diagnostics);
  return out;
}

FuncObject changed(const FuncObject& self, std::optional<std::string> name,
                   std::optional<std::string> target, std::optional<std::vector<int64_t>> outputs,
                   const py::dict& configs) {
  Func func = target ? *for_target(self.func, known_target(*target)) : *self.func;
  if (name) func.name = *name;
  if (outputs) func.outputs = *outputs;
  for (auto item : configs) {
    std::string key = item.first.cast<std::string>();
    Attr made = py::isinstance<py::bool_>(item.second) ? attr(key, item.second.cast<bool>())
                : py::isinstance<py::int_>(item.second)
                    ? attr(key, item.second.cast<int64_t>())
                    : attr(key, py::str(item.second).cast<std::string>());
    if (key == kAllowed)  // added to the kernel's T.allow
      made.string = with_allowed(self.allowed(), made.string);
    std::erase_if(func.configs, [&](const Attr& a) { return a.name == Symbol(key); });
    func.configs.push_back(std::move(made));
  }
  return {make(std::move(func)), self.said, self.from_text};
}

/// For benchmarks and tests, which choose the passes; kernels use a Compilation.
py::dict run_some_passes(const FuncObject& self, const std::string& stop_after,
                         std::vector<std::string> skip, bool keep) {
  PipelineOptions options;
  options.keep = keep;
  options.stop_after = stop_after;
  options.skip = std::move(skip);
  CompilationRef made = compile_function(self, std::move(options));
  py::dict out;
  out["snapshots"] = snapshots_list(made->result);
  out["ok"] = made->result.ok;
  out["diagnostics"] = diagnostics_list(made->said);
  return out;
}

}  // namespace

// ---- execution

bool report_progress(const py::object& progress, const Progress& far) {
  if (progress.is_none()) return true;
  return bool(py::reinterpret_steal<py::object>(
      PyObject_CallFunction(progress.ptr(), "LLz", static_cast<long long>(far.done),
                            static_cast<long long>(far.all), far.phase.load())));
}

py::dict served_run(const py::list& described, sim::RunOptions options, const py::object& progress,
                    Runner run) {
  std::vector<sim::Argument> arguments;
  for (auto item : described) arguments.push_back(argument_of(item.cast<py::tuple>()));
  Progress far;
  sim::RunResult result;
  auto tick = [&] { return report_progress(progress, far); };
  auto work = [&](const std::atomic<bool>& stop) {
    ProgressScope scope(&far);
    options.interrupt = &stop;
    result = run(arguments, options);
  };
  bool done = serve(work, tick);
  py::object raised = py::none();  // the exception; the caller first shows earlier output
  if (!done) {
    raised = py::error_already_set().value();
    result.status = sim::RunResult::Status::interrupted;
  }
  return result_dict(result, raised);
}

namespace {

py::dict run_function(const FuncObject& self, const py::list& described, bool notes,
                      bool uninitialized, bool races, uint64_t seed, int threads, double seconds,
                      bool not_finite, bool watching, const py::object& progress,
                      const Proof* proof,
                      const std::optional<std::pair<std::string, int64_t>>& writer_of) {
  sim::RunOptions options;
  sim::WatchedElement last;
  if (writer_of) last = {writer_of->first, writer_of->second}, options.watched_element = &last;
  if (proof && proof->proved()) options.sample = &proof->sample;
  options.watch = {notes, uninitialized, races};
  options.seed = seed;
  options.threads = threads;
  options.seconds = seconds;
  options.not_finite = not_finite;
  Diagnostics warnings;
  py::dict out = served_run(described, options, progress, [&](auto arguments, const auto& chosen) {
    sim::RunResult result = watching ? run_watching(*self.func, arguments, chosen)
                                     : sim::run(*self.func, arguments, chosen);
    if (watching) warnings = warnings_of(*self.func, result);
    if (watching || races) warn_of_overlap(*self.func, arguments, warnings);
    return result;
  });
  out["warnings"] = diagnostics_list(warnings);
  return out;
}

/// The origin of a NaN or infinity in an output: [{"span", "block", "actor", "what"}].
py::list call_origin(const FuncObject& self, const py::list& described, const std::string& buffer,
                     const std::vector<int64_t>& element, double seconds, const Proof* proof) {
  std::vector<sim::Argument> arguments;
  for (auto item : described) arguments.push_back(argument_of(item.cast<py::tuple>()));
  sim::RunOptions options;
  options.seconds = seconds;
  if (proof && proof->proved()) options.sample = &proof->sample;
  std::vector<sim::OriginStep> origin;
  auto work = [&](const std::atomic<bool>& stop) {
    options.interrupt = &stop;
    origin = sim::origin_of(*self.func, arguments, buffer, element, options);
  };
  if (!serve(work, [] { return true; })) throw py::error_already_set();
  return origin_list(origin);
}

/// The blocks of a call that must be simulated; leaves the arguments unchanged.
Proof prove_call(const FuncObject& self, const py::list& described, uint64_t seed) {
  std::vector<sim::Argument> arguments;
  for (auto item : described) arguments.push_back(argument_of(item.cast<py::tuple>()));
  return prove(*self.func, arguments, seed);
}

/// [(why, location)]
py::list unproved_list(const Proof& proof) {
  py::list out;
  for (const Unproved& one : proof.unproved) out.append(py::make_tuple(one.why, place(one.span)));
  return out;
}

py::list builtin_rows() {
  py::list out;
  for (const el::Builtin& row : el::builtins()) {
    out.append(py::make_tuple(row.name, row.signature, std::string(el::status_name(row.status)),
                              row.doc, row.section));
  }
  return out;
}

/// [(builtin, option, "hint", "demand" or "plain", why)]
py::list option_rows() {
  constexpr const char* kinds[] = {"hint", "demand", "plain"};
  py::list out;
  for (const el::Option& row : el::options())
    out.append(py::make_tuple(std::string(row.builtin), std::string(row.option),
                              kinds[static_cast<size_t>(row.kind)], std::string(row.why)));
  return out;
}

/// Sites of Record statements: (message, buffer, shape or None, location, texts of the values), in
/// the order of the simulator's IDs.
py::list record_sites(const FuncObject& self) {
  py::list out;
  auto visit_all = [&](const Node& root) {
    walk(root, [&](const Node& node) {
      if (const Record* record = as<Record>(&node)) {
        py::object shape = py::none();
        py::list texts;
        for (const Expr& value : record->values) texts.append(el::expr_text(value));
        if (!record->values.empty())
          if (const Region* region = as<Region>(record->values[0])) {
            py::list extents;
            for (const RegionDim& dim : region->dims)
              if (!dim.point) extents.append(dim.extent);
            shape = py::tuple(extents);
          }
        out.append(
            py::make_tuple(record->message, record->buffer, shape, place(record->span), texts));
      }
      return true;
    });
  };
  visit_all(*self.func);
  return out;
}

}  // namespace

syntax::Tree tree_of_object(void* object) {
  py::handle handle(static_cast<PyObject*>(object));
  return py::isinstance<TreeObject>(handle) ? handle.cast<TreeObject&>().tree : syntax::Tree();
}

void bind_allow(py::module_& core);        // bindings_allow.cpp
py::list parameters_of(const Func& func);  // bindings_arguments.cpp
py::tuple check_arguments(const FuncObject& self, const py::list& given);
py::object shapes_with(const FuncObject& self, const py::dict& values);
void bind_views(py::module_& core);                             // bindings_views.cpp
void bind_gpu(py::module_& core);                               // bindings_gpu.cpp
void bind_native(py::module_& core);                            // bindings_native.cpp
void bind_log(py::module_& m, py::class_<FuncObject>& func);    // bindings_log.cpp
void bind_meter(py::module_& m, py::class_<FuncObject>& func);  // meters.cpp
void bind_exact(py::module_& m, py::class_<FuncObject>& func);  // exact.cpp

static void bind_classes(py::module_& m) {
  py::class_<TreeObject>(m, "Tree")
      .def("__repr__", [](const TreeObject& t) { return syntax::dump(t.tree); })
      .def(
          "__eq__",
          [](const TreeObject& a, const TreeObject& b) { return syntax::equal(a.tree, b.tree); },
          py::is_operator());
  py::class_<FuncObject> func(m, "Func");
  func.def_property_readonly("name", [](const FuncObject& f) { return f.func->name.str(); })
      .def_property_readonly("target", [](const FuncObject& f) { return f.func->target; })
      .def_property_readonly("level",
                             [](const FuncObject& f) { return std::string(name(f.func->level)); })
      .def_property_readonly("after", [](const FuncObject& f) { return f.func->after; })
      .def_property_readonly("outputs", [](const FuncObject& f) { return f.func->outputs; })
      .def_property_readonly("waits", &FuncObject::waits)
      .def_property_readonly("allowed", &FuncObject::allowed)
      .def_property_readonly("params", [](const FuncObject& f) { return parameters_of(*f.func); })
      .def("check_arguments", &check_arguments)
      .def("shapes", &shapes_with)
      .def_property_readonly("said",
                             [](const FuncObject& f) { return diagnostics_list(f.messages()); })
      .def_property_readonly("record_sites", &record_sites)
      .def(
          "text", [](const FuncObject& f, bool spans) { return print(*f.func, {spans}); },
          py::arg("spans") = false)
      .def("with_note", &with_note, py::arg("name"), py::arg("arguments"), py::arg("note"))
      .def("changed", &changed, py::arg("name") = py::none(), py::arg("target") = py::none(),
           py::arg("outputs") = py::none(), py::arg("configs") = py::dict())
      .def("passes", &run_some_passes, py::arg("stop_after") = "",
           py::arg("skip") = std::vector<std::string>(), py::arg("keep") = true)
      .def("compile", [](const FuncObject& f) { return compile_function(f); })
      .def("run", &run_function, py::arg("arguments"), py::arg("notes") = false,
           py::arg("uninitialized") = false, py::arg("races") = false, py::arg("seed") = 0,
           py::arg("threads") = 0, py::arg("seconds") = 0.0, py::arg("not_finite") = false,
           py::arg("watching") = false, py::arg("progress") = py::none(),
           py::arg("proof") = nullptr, py::arg("writer_of") = py::none())
      .def("trace", &run_traced, py::arg("arguments"), py::arg("block"), py::arg("launch") = 0,
           py::arg("first") = 0, py::arg("last") = INT64_MAX, py::arg("stop") = py::none(),
           py::arg("steps") = false, py::arg("progress") = py::none(), py::arg("seed") = 0)
      .def("origin", &call_origin, py::arg("arguments"), py::arg("buffer"), py::arg("element"),
           py::arg("seconds") = 0.0, py::arg("proof") = nullptr)
      .def("check", &check_made_up, py::arg("arguments") = py::list())
      .def("prove", &prove_call, py::arg("arguments"), py::arg("seed") = 0);
  bind_log(m, func);
  bind_meter(m, func);
  bind_exact(m, func);
  py::class_<Proof>(m, "Proof")
      .def_property_readonly("proved", &Proof::proved)
      .def_property_readonly("blocks", [](const Proof& p) { return p.blocks; })
      .def_property_readonly("sample", [](const Proof& p) { return p.sample.blocks; })
      .def_property_readonly("unproved", &unproved_list);
  py::class_<QuickCall>(m, "QuickCall")
      .def(py::init<const FuncObject&, bool>(), py::arg("func"), py::arg("as_list"))
      .def("run", &QuickCall::run, py::arg("values"), py::arg("not_finite"));
  py::class_<Compilation, std::shared_ptr<Compilation>>(m, "Compilation")
      .def_property_readonly("ok", [](const Compilation& c) { return c.result.ok; })
      .def_property_readonly("diagnostics",
                             [](const Compilation& c) { return diagnostics_list(c.said); })
      .def("snapshots", [](const Compilation& c) { return snapshots_list(c.result); });
}

/// (least, largest) finite number of a dtype, as T.min_value and T.max_value return them.
static py::tuple limits_of(const std::string& name) {
  const DType dtype = dtype_from_name(name).value();
  if (dtype == DType::u64) return py::make_tuple(0, ~uint64_t{0});
  if (!is_float(dtype)) return py::make_tuple(min_int(dtype), max_int(dtype));
  const double largest = largest_float(dtype);
  return py::make_tuple(dtype == DType::e8m0 ? 0.0 : -largest, largest);
}

PYBIND11_MODULE(_core, m) {
  m.doc() = "the compiler core of tilelab; used by the Python code of the package, not by users";
  bind_classes(m);
  m.def("builtins", &builtin_rows);
  m.def("options", &option_rows);
  m.def("configs", [] {
    std::vector<std::pair<std::string, bool>>
        out;  // (name, whether only with the matrix and copy units)
    for (const ConfigRow& row : config_rows())
      out.emplace_back(row.name, row.read == ConfigRow::Read::with_units);
    return out;
  });
  bind_allow(m);
  m.def("limits", &limits_of);
  m.def("help_for_name_of_t",
        [](const std::string& name) { return el::help_for_name_of_t(name, "T"); });
  m.def("nearest", &nearest);
  m.def("message", &message_of, py::arg("name"), py::arg("arguments"),
        py::arg("place") = py::none(), py::arg("mark") = "", py::arg("labels") = py::list(),
        py::arg("notes") = py::list(), py::arg("helps") = py::list());
  m.def("parse_target", [](const std::string& spelling) {
    std::string problem;
    const Target* target = parse_target(spelling, &problem);
    return py::make_tuple(target ? std::string(target->name) : std::string(), problem);
  });
  m.def("render", [](const FuncObject& flat, const std::string& target_name, bool host) {
    Diagnostics diagnostics;
    codegen::RenderOptions options;
    options.host = host;
    auto made = codegen::render(*flat.func, known_target(target_name), options, diagnostics);
    return py::make_tuple(made ? made->text : std::string(), diagnostics_list(diagnostics));
  });
  m.def("ptx", [](const FuncObject& flat, const std::string& target_name) {
    std::string why;
    auto made = codegen::write_ptx(*flat.func, known_target(target_name), &why);
    return py::make_tuple(made ? std::string(made->c_str()) : std::string(), why);
  });
  m.def("read_ir", [](const std::string& name, const std::string& source) {
    Diagnostics diagnostics;
    FuncRef func = read_ir(name, source, diagnostics);
    if (func && !verify(*func, limits_of(*func), diagnostics)) func = nullptr;
    return py::make_tuple(func ? py::cast(FuncObject{func, nullptr, true}) : py::none(),
                          diagnostics_list(diagnostics));
  });
  m.def("add_source",
        [](const std::string& name, const std::string& text) { return add_source(name, text); });
  m.def("convert",
        [](py::object node, FileId file) { return TreeObject{convert_ast(node.ptr(), file)}; });
  m.def("elaborate", &elaborate_function, py::arg("tree"), py::arg("scope"), py::arg("name") = "",
        py::arg("target") = "mp_31", py::arg("arguments") = py::dict(),
        py::arg("constants") = py::dict(), py::arg("signature_only") = false,
        py::arg("outputs") = std::vector<int64_t>(), py::arg("eager") = false);
  bind_views(m);
  bind_gpu(m);
  bind_native(m);
}

}  // namespace tilelab::python
