// SPDX-License-Identifier: Apache-2.0
// The module tilelab._core: a thin, stateless wrapper of core. The package's Python implements the
// user's view of its objects.
#include "codegen/codegen.h"
#include "codegen/ptx/ptx.h"
#include "core/check/check.h"
#include "core/diagnostics/allow.h"
#include "core/elaborate/builtins/builtins.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborate.h"
#include "core/host/row_multiples.h"
#include "core/ir/build.h"
#include "core/ir/configs.h"
#include "core/ir/text/print.h"
#include "core/ir/traverse.h"
#include "core/ir/verify/verify.h"
#include "core/ir_text/ir_text.h"
#include "core/layout/code_paths.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/prove/prove.h"
#include "core/sim/sim.h"
#include "core/support/compile_mode.h"
#include "core/support/interrupt.h"
#include "core/support/progress.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "python/ast_convert.h"
#include "python/compilation.h"
#include "python/host_values.h"
#include "python/quick_call.h"
#include "python/runs.h"

namespace tilelab::python {
namespace {

namespace el = tilelab::elaborate;

struct TreeObject {
  syntax::Tree tree;
};

const Target& known_target(const std::string& name) {
  const Target* target = find_target(name);
  CHECK(target, "no target " + name);
  return *target;
}

Object names_list(const std::vector<Symbol>& symbols) {
  return list_of(symbols, [](Symbol s) { return object_of(s.str()); });
}

Object elaborate_function(const TreeObject& tree, const Object& scope, const std::string& name,
                          const std::optional<std::string>& target,
                          const std::map<std::string, Object>& arguments,
                          const std::map<std::string, int64_t>& constants, bool signature_only,
                          const std::vector<int64_t>& outputs, bool eager) {
  PythonHost host(module_named("tilelab._compiler.bridge"));
  el::Request request;
  request.function = tree.tree;
  request.scope = std::make_shared<PythonObject>(scope);
  request.name = name;
  request.target = target.value_or("mp_31");
  request.signature_only = signature_only;
  request.eager = eager;
  request.outputs = outputs;
  for (const auto& [key, value] : constants) request.constants[key] = value;
  Diagnostics diagnostics;
  el::Result result;
  try {
    for (const auto& [key, value] : arguments) request.arguments[key] = host.to_value(value);
    result = el::elaborate(request, host, diagnostics);
  } catch (const Cancelled&) {
    host.restore_error();
    throw PythonError();
  }
  if (result.func && !signature_only)
    result.func = for_target(result.func, known_target(request.target));
  diagnostics.sort();
  auto said = diagnostics.empty() ? nullptr : std::make_shared<const Diagnostics>(diagnostics);
  return dict_of("func", result.func ? object_of(FuncObject{result.func, said}) : none(),
                 "constants", names_list(result.constants), "runtime", names_list(result.runtime),
                 "returned", names_list(result.returned), "returns_tuple", result.returns_tuple,
                 "diagnostics", diagnostics_list(diagnostics));
}

/// A pass configuration: bool, int, or the text of another object.
Attr attr_of(const std::string& key, const Object& value) {
  if (PyBool_Check(raw(value))) return attr(key, read_as<bool>(value));
  if (PyLong_Check(raw(value))) return attr(key, read_as<int64_t>(value));
  return attr(key, text_of(raw(checked(PyObject_Str(raw(value))))));
}

FuncObject changed(const FuncObject& self, const std::optional<std::string>& name,
                   const std::optional<std::string>& target,
                   const std::optional<std::vector<int64_t>>& outputs, const Object& configs) {
  Func func = target ? *for_target(self.func, known_target(*target)) : *self.func;
  if (name) func.name = *name;
  if (outputs) func.outputs = *outputs;
  if (is_none(configs)) return {make(std::move(func)), self.said, self.from_text};
  using Items = std::vector<std::pair<std::string, Object>>;
  for (const auto& [key, value] : read_as<Items>(checked(PyDict_Items(raw(configs))))) {
    Attr made = attr_of(key, value);
    if (key == kAllowed)  // added to the kernel's T.allow
      made.string = with_allowed(self.allowed(), made.string);
    std::erase_if(func.configs, [&](const Attr& a) { return a.name == made.name; });
    func.configs.push_back(std::move(made));
  }
  return {make(std::move(func)), self.said, self.from_text};
}

std::vector<std::string> row_dims(const FuncObject& self) {
  std::vector<std::string> names;
  for (const host::RowDim& row : host::row_dims(*self.func)) names.push_back(row.name.str());
  return names;
}

/// The variant for calls in which those of its row_dims are multiples.
FuncObject with_multiples(const FuncObject& self, const std::vector<std::string>& names) {
  std::vector<host::RowDim> rows = host::row_dims(*self.func);
  std::erase_if(rows, [&](const host::RowDim& row) {
    return std::find(names.begin(), names.end(), row.name.str()) == names.end();
  });
  return {host::with_multiples(*self.func, rows), self.said, self.from_text};
}

/// For benchmarks and tests, which choose the passes; kernels use a Compilation.
Object run_some_passes(const FuncObject& self, const std::string& stop_after,
                       const std::vector<std::string>& skip, std::optional<bool> keep) {
  PipelineOptions options;
  options.keep = keep.value_or(true);
  options.stop_after = stop_after;
  options.skip = skip;
  CompilationRef made = compile_function(self, std::move(options));
  return dict_of("snapshots", snapshots_list(made->result), "ok", made->result.ok, "diagnostics",
                 diagnostics_list(made->said));
}

}  // namespace

// ---- execution

bool report_progress(const Object& progress, const Progress& far) {
  if (is_none(progress)) return true;
  return bool(
      Object::steal(PyObject_CallFunction(raw(progress), "LLz", static_cast<long long>(far.done),
                                          static_cast<long long>(far.all), far.phase.load())));
}

Object served_run(const std::vector<sim::Argument>& arguments, sim::RunOptions options,
                  const Object& progress, Runner run) {
  Progress far;
  sim::RunResult result;
  auto tick = [&] { return report_progress(progress, far); };
  auto work = [&](const std::atomic<bool>& stop) {
    ProgressScope scope(&far);
    options.interrupt = &stop;
    result = run(arguments, options);
  };
  Object raised = none();  // the exception; the caller first shows earlier output
  if (!serve(work, tick)) {
    raised = take_exception();
    result.status = sim::RunResult::Status::interrupted;
  }
  return result_dict(result, raised);
}

namespace {

using Arguments = std::vector<sim::Argument>;

Object run_function(const FuncObject& self, const Arguments& arguments, bool notes,
                    bool uninitialized, bool races, uint64_t seed, int threads, double seconds,
                    bool not_finite, bool watching, const Object& progress, const Proof* proof,
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
  Object out = served_run(arguments, options, progress, [&](auto given, const auto& chosen) {
    sim::RunResult result =
        watching ? run_watching(*self.func, given, chosen) : sim::run(*self.func, given, chosen);
    if (watching) warnings = warnings_of(*self.func, result);
    if (watching || races) warn_of_overlap(*self.func, given, warnings);
    return result;
  });
  set(out, "warnings", diagnostics_list(warnings));
  return out;
}

/// The origin of a NaN or infinity in an output: [{"span", "block", "actor", "what"}].
Object call_origin(const FuncObject& self, const Arguments& arguments, const std::string& buffer,
                   const std::vector<int64_t>& element, double seconds, const Proof* proof) {
  sim::RunOptions options;
  options.seconds = seconds;
  if (proof && proof->proved()) options.sample = &proof->sample;
  std::vector<sim::OriginStep> origin;
  auto work = [&](const std::atomic<bool>& stop) {
    options.interrupt = &stop;
    origin = sim::origin_of(*self.func, arguments, buffer, element, options);
  };
  if (!serve(work)) throw PythonError();
  return origin_list(origin);
}

/// The blocks of a call that must be simulated; leaves the arguments unchanged.
Proof prove_call(const FuncObject& self, const Arguments& arguments, uint64_t seed) {
  return prove(*self.func, arguments, seed);
}

/// [(why, location)]
Object unproved_list(const Proof& proof) {
  return list_of(proof.unproved,
                 [](const Unproved& one) { return tuple_of(one.why, place(one.span)); });
}

Object builtin_rows() {
  return list_of(el::builtins(), [](const el::Builtin& row) {
    return tuple_of(row.name, row.signature, el::status_name(row.status), row.doc, row.section);
  });
}

/// [(builtin, option, "hint", "demand" or "plain", why)]
Object option_rows() {
  constexpr const char* kinds[] = {"hint", "demand", "plain"};
  return list_of(el::options(), [&](const el::Option& row) {
    return tuple_of(row.builtin, row.option, kinds[static_cast<size_t>(row.kind)], row.why);
  });
}

/// [(name, whether only with the matrix and copy units)]
Object configs() {
  return list_of(config_rows(), [](const ConfigRow& row) {
    return tuple_of(row.name, row.read == ConfigRow::Read::with_units);
  });
}

/// [(name, meaning)]
Object code_path_rows() {
  return list_of(code_paths(),
                 [](const CodePath& path) { return tuple_of(path.name, path.meaning); });
}

std::string needed_config(const std::string& key, const Object& value) {
  const Attr given = attr_of(key, value);
  return config_needs(key, &given);
}

/// The extents of the region that a Record statement shows, or None.
Object record_shape(const Record& record) {
  const Region* region = record.values.empty() ? nullptr : as<Region>(record.values[0]);
  if (!region) return none();
  std::vector<int64_t> extents;
  for (const RegionDim& dim : region->dims)
    if (!dim.point) extents.push_back(dim.extent);
  return checked(PyList_AsTuple(raw(object_of(extents))));
}

/// Sites of Record statements: (message, buffer, shape or None, location, texts of the values), in
/// the order of the simulator's IDs.
Object record_sites(const FuncObject& self) {
  std::vector<Object> out;
  for_each(*self.func, [&](const Record& record) {
    out.push_back(tuple_of(
        record.message, record.buffer, record_shape(record), place(record.span),
        list_of(record.values, [](const Expr& e) { return object_of(el::expr_text(e)); })));
  });
  return object_of(out);
}

std::string help_for_name_of_t(const std::string& name) {
  return el::help_for_name_of_t(name, "T");
}

Object parsed_target(const std::string& spelling) {
  std::string problem;
  const Target* target = parse_target(spelling, &problem);
  return tuple_of(target ? target->name : "", problem);
}

Object rendered(const FuncObject& flat, const std::string& target_name, bool host) {
  Diagnostics diagnostics;
  codegen::RenderOptions options;
  options.host = host;
  auto made = codegen::render(*flat.func, known_target(target_name), options, diagnostics);
  return tuple_of(made ? made->text : std::string(), diagnostics_list(diagnostics));
}

Object ptx(const FuncObject& flat, const std::string& target_name) {
  std::string why;
  auto made = codegen::write_ptx(*flat.func, known_target(target_name), &why);
  return tuple_of(made ? std::string(made->c_str()) : std::string(), why);
}

Object function_from_ir(const std::string& name, const std::string& source) {
  Diagnostics diagnostics;
  FuncRef func = read_ir(name, source, diagnostics);
  if (func && !verify(*func, limits_of(*func), diagnostics)) func = nullptr;
  return tuple_of(func ? object_of(FuncObject{func, nullptr, true}) : none(),
                  diagnostics_list(diagnostics));
}

FileId source_added(const std::string& name, const std::string& text) {
  return add_source(name, text);
}

/// (line, column, end line, end column) as in `ast`: columns begin at 0.
using AstPlace = std::array<uint32_t, 4>;

TreeObject converted(const Object& node, FileId file, const std::vector<AstPlace>& lines) {
  std::vector<Span> spans;
  for (const auto& [line, column, end_line, end_column] : lines)
    spans.push_back({file, line, column + 1, end_line, end_column + 1});
  return {convert_ast(node.get(), file, spans)};
}

/// (least, largest) finite number of a dtype, as T.min_value and T.max_value return them.
Object dtype_limits(const std::string& name) {
  const DType dtype = dtype_from_name(name).value();
  if (dtype == DType::u64) return tuple_of(0, ~uint64_t{0});
  if (!is_float(dtype)) return tuple_of(min_int(dtype), max_int(dtype));
  const double largest = largest_float(dtype);
  return tuple_of(dtype == DType::e8m0 ? 0.0 : -largest, largest);
}

std::shared_ptr<QuickCall> make_quick_call(const FuncObject& func, bool as_list) {
  return std::make_shared<QuickCall>(func, as_list);
}

PyObject* shown_tree(PyObject* self) {
  return guarded([&] { return object_of(syntax::dump(read_as<const TreeObject&>(self).tree)); });
}

PyObject* compared_trees(PyObject* self, PyObject* other, int operation) {
  const bool known = PyObject_TypeCheck(other, class_of<TreeObject>);
  if (!known || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] {
    const bool equal = syntax::equal(read_as<const TreeObject&>(self).tree,
                                     read_as<const TreeObject&>(other).tree);
    return object_of(equal == (operation == Py_EQ));
  });
}

}  // namespace

syntax::Tree tree_of_object(void* object) {
  auto* given = static_cast<PyObject*>(object);
  return PyObject_TypeCheck(given, class_of<TreeObject>) ? read_as<const TreeObject&>(given).tree
                                                         : syntax::Tree();
}

void bind_allow(const Object& core);     // bindings_allow.cpp
Object parameters_of(const Func& func);  // bindings_arguments.cpp
Object check_arguments(const FuncObject& self, const std::vector<Object>& given);
std::vector<std::string> aligned_dims(const FuncObject& self,
                                      const std::vector<sim::Argument>& given);
Object shapes_with(const FuncObject& self, const std::map<std::string, int64_t>& values);
void bind_views(const Object& core);                 // bindings_views.cpp
void bind_gpu(const Object& core);                   // bindings_gpu.cpp
void bind_native(const Object& core);                // bindings_native.cpp
void bind_log(const Object& core, Members& func);    // bindings_log.cpp
void bind_meter(const Object& core, Members& func);  // meters.cpp
void bind_exact(const Object& core, Members& func);  // exact.cpp

static void bind_func(const Object& core) {
  using F = const FuncObject&;
  Members members{
      property<[](F f) { return f.func->name.str(); }>("name"),
      property<[](F f) { return f.func->target; }>("target"),
      property<[](F f) { return std::string(name(f.func->level)); }>("level"),
      property<[](F f) { return f.func->after; }>("after"),
      property<[](F f) { return f.func->outputs; }>("outputs"),
      property<&FuncObject::allowed>("allowed"),
      property<[](F f) { return parameters_of(*f.func); }>("params"),
      property<[](F f) { return diagnostics_list(f.messages()); }>("said"),
      property<record_sites>("record_sites"),
      method<check_arguments>("check_arguments", "given"),
      method<shapes_with>("shapes", "values"),
      property<row_dims>("row_dims"),
      method<aligned_dims>("aligned_dims", "arguments"),
      method<with_multiples>("with_multiples", "names"),
      method<[](F f, bool spans) { return print(*f.func, {spans}); }>("text", "spans?"),
      method<with_note>("with_note", "name, arguments, note"),
      method<changed>("changed", "name?, target?, outputs?, configs?"),
      method<run_some_passes>("passes", "stop_after?, skip?, keep?"),
      method<[](F f) { return compile_function(f); }>("compile"),
      method<run_function>("run",
                           "arguments, notes?, uninitialized?, races?, seed?, threads?, seconds?, "
                           "not_finite?, watching?, progress?, proof?, writer_of?"),
      method<run_traced>("trace",
                         "arguments, block, launch?, first?, last?, stop?, steps?, "
                         "progress?, seed?"),
      method<call_origin>("origin", "arguments, buffer, element, seconds?, proof?"),
      method<check_made_up>("check", "arguments?"),
      method<prove_call>("prove", "arguments, seed?")};
  bind_log(core, members);
  bind_meter(core, members);
  bind_exact(core, members);
  add_class<FuncObject>(core, "Func", members);
}

static void bind_classes(const Object& core) {
  add_class<TreeObject>(core, "Tree", {},
                        {{Py_tp_repr, reinterpret_cast<void*>(&shown_tree)},
                         {Py_tp_richcompare, reinterpret_cast<void*>(&compared_trees)}});
  add_class<Proof>(core, "Proof",
                   {property<&Proof::proved>("proved"),
                    property<[](const Proof& p) { return p.blocks; }>("blocks"),
                    property<[](const Proof& p) { return p.sample.blocks; }>("sample"),
                    property<unproved_list>("unproved")});
  add_class<QuickCall>(core, "QuickCall", {method<&QuickCall::run>("run", "values, not_finite")});
  using C = const Compilation&;
  add_class<Compilation>(core, "Compilation",
                         {property<[](C c) { return c.result.ok; }>("ok"),
                          property<[](C c) { return diagnostics_list(c.said); }>("diagnostics"),
                          method<[](C c) { return snapshots_list(c.result); }>("snapshots")});
}

static void bind_functions(const Object& core) {
  add_functions(
      core,
      {function<builtin_rows>("builtins"), function<option_rows>("options"),
       function<configs>("configs"), function<code_path_rows>("code_paths"),
       function<set_may_compile_code>("set_may_compile_code", "may"),
       function<needed_config>("config_needs", "key, value"),
       function<dtype_limits>("limits", "dtype"),
       function<help_for_name_of_t>("help_for_name_of_t", "name"),
       function<nearest>("nearest", "word, names"),
       function<message_of>("message", "name, arguments, place?, mark?, labels?, notes?, helps?"),
       function<parsed_target>("parse_target", "spelling"),
       function<rendered>("render", "flat, target, host"), function<ptx>("ptx", "flat, target"),
       function<function_from_ir>("read_ir", "name, source"),
       function<source_added>("add_source", "name, text"),
       function<converted>("convert", "node, file, lines?"),
       function<make_quick_call>("quick_call", "func, as_list"),
       function<elaborate_function>("elaborate",
                                    "tree, scope, name?, target?, arguments?, constants?, "
                                    "signature_only?, outputs?, eager?")});
}

}  // namespace tilelab::python

/// Python requires the name.
PyMODINIT_FUNC PyInit__core() {  // NOLINT(bugprone-reserved-identifier)
  using namespace tilelab::python;
  static PyModuleDef definition = module_definition(
      "tilelab._core",
      "the compiler core of tilelab; used by the Python code of the package, not by users");
  return guarded([] {
    const Object core = checked(PyModule_Create(&definition));
    bind_classes(core);
    bind_func(core);
    bind_functions(core);
    bind_allow(core);
    bind_views(core);
    bind_gpu(core);
    bind_native(core);
    return core;
  });
}
