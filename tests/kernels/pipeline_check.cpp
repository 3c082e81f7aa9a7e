// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/pipeline_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "codegen/cpu/guarded_buffer.h"
#include "codegen/cpu/native.h"
#include "core/diagnostics/render.h"
#include "core/ir/compare.h"
#include "core/ir/text/print.h"
#include "core/ir/traverse.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/passes/shared/hardware_units.h"
#include "core/support/check.h"
#include "core/support/function_ref.h"
#include "tests/emulation/lint.h"
#include "tests/emulation/run_flat.h"
#include "tests/kernels/arguments.h"

namespace tilelab {
namespace {

struct Kept {
  FuncRef flat;
  std::string target, tag;
  tl_check_options allowed;  // its texts are gone
  std::vector<Tensor> arguments;
  std::vector<Bytes> expected;
};

struct Counts {
  int64_t runs = 0, exact = 0, loose = 0, texts = 0, emitted = 0;
};

/// A function of tile level that the arguments of a case ran through.
struct Simulated {
  FuncRef func;  // for no target
  int lanes;     // of a warp of its target, which is all that tile level depends on
  std::vector<Bytes> memory;
};

std::vector<Kept> kept;
std::vector<Simulated> simulated;  // of one case, whose targets have much in common
std::vector<Tensor> simulated_on;  // the arguments of that case
Counts counts;
std::string message;

std::string describe(const sim::RunResult& r) {
  constexpr const char* kStatus[] = {"finished", "stopped", "interrupted", "refused"};
  std::string out = std::string(kStatus[static_cast<int>(r.status)]) + " " + r.error;
  for (const sim::Finding& f : r.findings) {
    out += std::string("\n    ") + sim::finding_name(f.kind) + ": " + f.buffer + f.element + " x" +
           std::to_string(f.count) + " " + f.detail;
    for (const sim::FindingSide& s : f.where)
      out += "\n      line " + std::to_string(s.span.line) + " " + s.actor + " " + s.verb;
  }
  return out;
}

/// Fresh memory for every argument; outputs hold a pattern that is NaN in every float format.
std::vector<Bytes> memories_of(const std::vector<Tensor>& tensors) {
  std::vector<Bytes> out;
  for (const Tensor& t : tensors)
    out.push_back(t.output ? Bytes(size_t(size_of(t.shape)), 0xff) : t.bytes);
  return out;
}

/// All detectors. Advice is of no use here: random kernels waste work, and their references do the
/// same; the first and the last function of a kernel show that its watchers do no harm.
constexpr sim::Watch kDetectors{false, true, true};

/// Memory after a run; nothing after a complaint, which goes to `message`.
std::optional<std::vector<Bytes>> simulate(const Func& func, const std::vector<Tensor>& tensors,
                                           const std::string& what, uint64_t seed,
                                           const sim::Watch& watch = kDetectors) {
  std::vector<Bytes> memory = memories_of(tensors);
  std::vector<sim::Argument> arguments;
  for (size_t i = 0; i < tensors.size(); ++i) {
    arguments.push_back(tensors[i].shape);
    if (tensors[i].shape.tensor) arguments.back().data = memory[i].data();
  }
  relocate(tensors, arguments);
  const std::vector<Bytes> before = memory;
  sim::RunOptions options;
  options.watch = watch;
  options.seed = seed;
  ++counts.runs;
  sim::RunResult result = sim::run(func, arguments, options);
  std::erase_if(result.findings, [](const sim::Finding& f) {
    return sim::is_advice(f.kind) || (f.kind == sim::FindingKind::out_of_bounds && f.update);
  });
  if (!result.ok()) {
    message += what + ": " + describe(result) + "\n";
    return std::nullopt;
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].output) continue;
    if (memory[i] != before[i]) message += what + ": input " + std::to_string(i) + " was written\n";
    memory[i] = tensors[i].bytes;  // addresses of the case, as in every run
  }
  return memory;
}

/// `simulate` under the first schedule; a function of tile level that another target of the case
/// has as well runs once.
std::optional<std::vector<Bytes>> simulate_once(const FuncRef& func,
                                                const std::vector<Tensor>& tensors,
                                                const std::string& what, const sim::Watch& watch) {
  if (func->level != Level::tile) return simulate(*func, tensors, what, 0, watch);
  const int lanes = find_target(func->target)->lanes;
  Func untargeted = *func;
  untargeted.target.clear();
  FuncRef key = make(std::move(untargeted));
  for (const Simulated& s : simulated)
    if (s.lanes == lanes && equal(s.func, key)) return s.memory;
  auto memory = simulate(*func, tensors, what, 0, watch);
  if (memory && message.empty()) simulated.push_back({key, lanes, *memory});
  return memory;
}

bool same(const Tensor& a, const Tensor& b) {
  return a.shape.dtype == b.shape.dtype && a.shape.bits == b.shape.bits &&
         a.shape.shape == b.shape.shape && a.output == b.output && a.bytes == b.bytes;
}

/// Forgets what ran on other arguments.
void begin_case(const std::vector<Tensor>& tensors) {
  if (std::ranges::equal(tensors, simulated_on, same)) return;
  simulated.clear();
  simulated_on = tensors;
}

double eps_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return std::ldexp(1, -52);
    case DType::f32: return std::ldexp(1, -23);
    case DType::f16: return std::ldexp(1, -10);
    default: return std::ldexp(1, -7);
  }
}

double number(DType dtype, const Bytes& b, size_t at) {
  uint64_t bits = 0;
  std::memcpy(&bits, &b[at], size_t(bytes(dtype)));
  return decode_float(dtype, bits);
}

/// The difference between two results, or nullopt. `loose` allows slack and ulps.
std::optional<std::string> difference(const std::vector<Tensor>& tensors,
                                      const std::vector<Bytes>& a, const std::vector<Bytes>& b,
                                      const tl_check_options* loose) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (a[i] == b[i]) continue;
    const DType dtype = tensors[i].shape.dtype;
    const size_t width = size_t(bytes(dtype));
    for (size_t at = 0; at < a[i].size(); at += width) {
      if (std::memcmp(&a[i][at], &b[i][at], width) == 0) continue;
      const bool real = is_float(dtype);
      const double x = real ? number(dtype, a[i], at) : 0, y = real ? number(dtype, b[i], at) : 0;
      if (loose && real && std::isnan(x) && std::isnan(y)) continue;
      if (loose && real &&
          std::fabs(x - y) <= loose->slack + loose->ulps * eps_of(dtype) * std::fabs(x))
        continue;
      uint64_t u = 0, v = 0;
      std::memcpy(&u, &a[i][at], width), std::memcpy(&v, &b[i][at], width);
      return "argument " + std::to_string(i) + " element " + std::to_string(at / width) + ": " +
             (real ? std::to_string(x) + " became " + std::to_string(y)
                   : std::to_string(u) + " became " + std::to_string(v));
    }
  }
  return std::nullopt;
}

std::string emitted_text(const FuncRef& func, const Target& target) {
  Diagnostics sink;
  auto rendered = codegen::render(*func, target, {.host = true}, sink);
  if (!rendered) message += "not rendered: " + render(sink).plain() + "\n";
  return rendered ? rendered->text : "";
}

std::string name_of(const Snapshot& snapshot) {
  return std::string("  text after ") + (snapshot.pass ? snapshot.pass->name : "elaboration");
}

/// print -> read -> print. Returns what was read; null after a complaint.
FuncRef read_back(const Snapshot& snapshot, const std::string& text) {
  ++counts.texts;
  Diagnostics sink;
  FuncRef again = read_ir("<again>", text, sink);
  if (!again)
    message += name_of(snapshot) + ": its text is not read back: " + render(sink).plain() + "\n";
  else if (!equal(*again, *snapshot.func))
    message += name_of(snapshot) + ": reads back as another function\n";
  else if (print(*again, {.spans = true}) != text)
    message += name_of(snapshot) + ": the text is not a fixpoint\n";
  return message.empty() ? again : nullptr;
}

/// The function with what the runner of the passes, not a pass, has noted in the other one after
/// its first schedule left too little memory: what kernels reserve for layouts, or no hardware
/// units.
FuncRef noted_as(const FuncRef& func, const Func& other) {
  if (uses_hardware_units(*func) && !uses_hardware_units(other))
    return without_hardware_units(func);
  std::unordered_map<Symbol, int64_t> bytes;
  for_each_of_host(other,
                   [&](const Kernel& kernel) { bytes[kernel.name] = reserved_shared(kernel); });
  return rewrite_kernels(func, [&](const Kernel& kernel) {
    const int64_t reserved = bytes[kernel.name];
    return make(reserved ? with_reserved_shared(kernel, reserved) : kernel);
  });
}

/// What the pass makes of a function that was read; null after a complaint.
FuncRef resumed(const FuncRef& again, const Snapshot& before, const Snapshot& wanted,
                const std::string& wanted_text) {
  Diagnostics sink;
  PipelineResult rest = run_passes(again, sink, {.stop_after = wanted.pass->name, .verify = false});
  if (!rest.ok)
    message += name_of(before) + ": passes do not resume: " + render(sink).plain() + "\n";
  else if (print(*noted_as(rest.func(), *wanted.func), {.spans = true}) != wanted_text)
    message += name_of(before) + ": " + wanted.pass->name + " makes another function of the text\n";
  return message.empty() ? noted_as(rest.func(), *wanted.func) : nullptr;
}

/// Every text reads back as its function, of which the next pass makes the next function. The last
/// gives the same C. So compilation resumes from every text.
void check_texts(const PipelineResult& passes, const std::string& final_c, const Target& target) {
  const std::vector<Snapshot>& all = passes.snapshots;
  std::string text = print(*all[0].func, {.spans = true});
  FuncRef again;
  for (size_t i = 0; i < all.size(); ++i) {
    // What a pass leaves unchanged has been read back, but for the name of the pass.
    if (!all[i].pass || all[i].changed) again = read_back(all[i], text);
    if (!again) return;
    if (i + 1 == all.size()) break;
    text = print(*all[i + 1].func, {.spans = true});
    again = resumed(again, all[i], all[i + 1], text);
    if (!again) return;
  }
  if (emitted_text(again, target) != final_c)
    message += "  the text after the last pass gives other C\n";
}

std::vector<Tensor> tensors_of(const tl_check_argument* arguments, int32_t count) {
  std::vector<Tensor> out;
  for (int32_t i = 0; i < count; ++i) {
    const tl_check_argument& a = arguments[i];
    auto dtype = dtype_from_name(a.dtype);
    CHECK(dtype, a.dtype);
    Tensor t{{}, {}, nullptr, a.output != 0};
    if (!a.data) t.shape = sim::scalar_argument(*dtype, a.bits);
    if (a.data) {
      t.shape = sim::tensor_argument(*dtype, {a.shape, a.shape + a.rank}, nullptr);
      if (a.strides) t.shape.strides = {a.strides, a.strides + a.rank};
      const auto* data = static_cast<const unsigned char*>(a.data);
      t.bytes.assign(data, data + size_of(t.shape));
      t.given = data;
    }
    out.push_back(std::move(t));
  }
  return out;
}

FuncRef with_target(const std::string& text, const tl_check_options& options) {
  Diagnostics sink;
  FuncRef func = read_ir(options.tag, text, sink);
  if (!func) {
    message += "the elaborated text is not read: " + render(sink).plain() + "\n";
    return nullptr;
  }
  Func out = *for_target(func, *find_target(options.target));
  out.name = Symbol(options.tag);
  int number = 0;
  out.body = rewrite(
      out.body, [](const Expr& e) { return e; },
      [&](const Stmt& s) -> Stmt {
        const Kernel* kernel = as<Kernel>(s);
        if (!kernel) return s;
        Kernel named = *kernel;
        named.name = Symbol(std::string(options.tag) + "_k" + std::to_string(number++));
        return make(std::move(named));
      });
  return make(std::move(out));
}

/// Contraction aside, canonicalize keeps the bits.
void check_contraction(const FuncRef& before, const FuncRef& after,
                       const std::vector<Tensor>& tensors, const std::string& what) {
  auto a = simulate(*without_contraction(before), tensors, what + " (uncontracted, before)", 0);
  auto b = simulate(*without_contraction(after), tensors, what + " (uncontracted)", 0);
  if (!a || !b) return;
  if (auto d = difference(tensors, *a, *b, nullptr))
    message += what + ", contraction undone: " + *d + "\n";
  else
    ++counts.exact;
}

/// Runs every snapshot that differs from the one before. The last memory, or nothing.
std::optional<std::vector<Bytes>> check_runs(const PipelineResult& passes,
                                             const std::vector<Tensor>& tensors,
                                             const tl_check_options& options) {
  std::optional<std::vector<Bytes>> before;
  FuncRef previous;
  for (const Snapshot& s : passes.snapshots) {
    const std::string what = std::string("  after ") + (s.pass ? s.pass->name : "elaboration");
    if (s.pass && !s.changed) continue;
    const bool end = !s.pass || s.func.same(passes.func());
    auto now = simulate_once(s.func, tensors, what, end ? sim::Watch::all() : kDetectors);
    if (!now) return std::nullopt;
    const bool loose = s.pass && has_reassociated(*s.pass, *previous, *s.func);
    if (before) {
      if (auto d = difference(tensors, *before, *now, loose ? &options : nullptr))
        message += what + (loose ? " (loose)" : "") + ": " + *d + "\n";
      else if (!loose)
        ++counts.exact;
      counts.loose += loose;
    }
    if (loose && s.pass->reassociates == std::string_view("contraction"))
      check_contraction(previous, s.func, tensors, what);
    before = std::move(now);
    previous = s.func;
  }
  auto shuffled = simulate(*passes.func(), tensors, "  another schedule", options.seed | 1);
  if (before && shuffled)
    if (auto d = difference(tensors, *before, *shuffled, nullptr))
      message += "  another schedule: " + *d + "\n";
  return before;
}

void check_kernel(const char* text, const tl_check_options& options,
                  const tl_check_argument* arguments, int32_t count) {
  FuncRef func = with_target(text, options);
  if (!func) return;
  const Target& target = *find_target(options.target);
  Diagnostics sink;
  PipelineResult passes = run_passes(func, sink);
  if (!passes.ok) {
    message += "  passes: " + render(sink).plain() + "\n";
    return;
  }
  std::vector<Tensor> tensors = tensors_of(arguments, count);
  begin_case(tensors);
  auto memory = check_runs(passes, tensors, options);
  const std::string final_c = emitted_text(passes.func(), target);
  if (message.empty()) check_texts(passes, final_c, target);
  if (!memory) return;
  for (int32_t i = 0; i < count; ++i)
    if (arguments[i].output)
      std::memcpy(arguments[i].data, (*memory)[size_t(i)].data(), (*memory)[size_t(i)].size());
  if (message.empty())
    kept.push_back(
        {passes.func(), options.target, options.tag, options, std::move(tensors), *memory});
}

using Run = FunctionRef<sim::RunResult(std::span<const sim::Argument>)>;

/// A run of the emitted text against what the simulator has computed; `loose`: not to the bit.
/// Tensors start at multiples of 16 bytes, or else, as slices of larger arrays do, at any element.
void check_emitted(const Kept& k, Run run, const tl_check_options* loose, bool aligned = true) {
  std::vector<Bytes> start = memories_of(k.arguments), out = start;
  std::vector<codegen::GuardedBuffer> memory;
  std::vector<sim::Argument> arguments;
  for (size_t i = 0; i < start.size(); ++i) {
    arguments.push_back(k.arguments[i].shape);
    const auto item = std::max<size_t>(size_t(bytes(k.arguments[i].shape.dtype)), 1);
    const size_t after = aligned || i % 2 != 0 ? 0 : item;
    memory.emplace_back(std::max<size_t>(start[i].size(), 1) + after, aligned ? 16 : item);
    if (!k.arguments[i].shape.tensor) continue;
    std::memcpy(memory.back().data(), start[i].data(), start[i].size());
    arguments.back().data = memory.back().data();
  }
  relocate(k.arguments, arguments);
  ++counts.emitted;
  sim::RunResult result = run(arguments);
  if (!result.ok()) {
    message += k.tag + " " + k.target + " L2: " + describe(result) + "\n";
    return;
  }
  for (size_t i = 0; i < out.size(); ++i)
    if (k.arguments[i].output || k.arguments[i].shape.dtype != DType::i64)
      std::memcpy(out[i].data(), memory[i].data(), out[i].size());
  if (auto d = difference(k.arguments, k.expected, out, loose))
    message += k.tag + " " + k.target + " L2: " + *d + "\n";
}

/// The same for the host's cores, whose C library has its own elementary functions.
void check_native(const std::vector<const Kept*>& all) {
  std::vector<FuncRef> functions;
  for (const Kept* k : all) functions.push_back(k->flat);
  Diagnostics sink;
  std::string problem;
  auto made = cpu::NativeFunction::make(functions, sink, &problem);
  if (made.empty()) message += problem + render(sink).plain() + "\n";
  for (size_t i = 0; i < made.size(); ++i)
    check_emitted(
        *all[i], [&](auto arguments) { return made[i]->run(arguments, {}); }, &all[i]->allowed,
        /*aligned=*/false);
  std::string text;
  for (const Kept* k : all) text += emitted_text(k->flat, *find_target(k->target));
  if (std::string said = cpu::complaints(text); !said.empty()) message += "L1: " + said + "\n";
}

/// Whether blocks wait for each other, which the emulation runs one after another.
bool waits_for_blocks(const Func& func) {
  return any_of(*func.body,
                [](const Kernel& kernel) { return find_attr(kernel.attrs, kResident); });
}

/// L0 for each, L1 and L2 for all in one file; of C for NVIDIA GPUs, which no emulation runs, L0.
void check_together(const std::vector<const Kept*>& all, const Target& target) {
  std::vector<const Func*> functions;
  for (const Kept* k : all) {
    functions.push_back(k->flat.get());
    for (const std::string& complaint : codegen::lint(*k->flat, target))
      message += k->tag + " L0: " + complaint + "\n";
  }
  if (target.family == Family::cuda) return;
  std::string log;
  auto module = musa::EmulatedFunctions::make(functions, target, &log);
  if (module) {
    musa::CheckResult types =
        musa::type_check(module->text(), architecture_number(target.name) * 10);
    if (!types.ok) message += "L1: " + types.log + "\n";
    for (const Kept* k : all)
      for (uint64_t schedule : {0, 7})
        if (!waits_for_blocks(*k->flat))
          check_emitted(
              *k, [&](auto arguments) { return module->run(*k->flat, arguments, schedule); },
              nullptr);
  } else {
    message += all[0]->tag + " and " + std::to_string(all.size() - 1) + " more: " + log + "\n";
  }
}

const char* guarded(FunctionRef<void()> body) {
  message.clear();
  try {
    body();
  } catch (const std::exception& e) {
    message += std::string("  exception: ") + e.what() + "\n";
  }
  return message.c_str();
}

}  // namespace
}  // namespace tilelab

using namespace tilelab;

const char* tl_check_kernel(const char* text, const tl_check_options* options,
                            const tl_check_argument* arguments, int32_t count) {
  return guarded([&] { check_kernel(text, *options, arguments, count); });
}

const char* tl_check_difference(const tl_check_options* options, const tl_check_argument* one,
                                const void* other) {
  std::vector<Tensor> tensors = tensors_of(one, 1);
  const auto* bytes = static_cast<const unsigned char*>(other);
  const std::vector<Bytes> a = {tensors[0].bytes}, b = {{bytes, bytes + a[0].size()}};
  message = difference(tensors, a, b, options).value_or("");
  return message.c_str();
}

const char* tl_check_emitted(const char* target) {
  return guarded([&] {
    const std::string name = target;
    std::vector<const Kept*> batch;
    for (const Kept& k : kept)
      if (k.target == name) batch.push_back(&k);
    if (!batch.empty() && name == "cpu")
      check_native(batch);
    else if (!batch.empty())
      check_together(batch, *find_target(name));
    std::erase_if(kept, [&](const Kept& k) { return k.target == name; });
  });
}

void tl_check_counts(int64_t* figures) {
  for (int64_t n : {counts.runs, counts.exact, counts.loose, counts.texts, counts.emitted})
    *figures++ = n;
}
