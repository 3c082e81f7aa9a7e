// SPDX-License-Identifier: Apache-2.0
// select_instructions: selects the hardware unit for each copy and matmul. The fallbacks are loads
// and stores, and fused multiply-adds by threads, which every target has. With the configuration
// `hardware_units`, each matmul gets the first matrix instruction of the target that fits it
// (select_gemm.cpp), and copies that a pipelined loop could prefetch get the copy engine or
// asynchronous copies (select_copy.cpp); schedule_pipelines reverts those that no loop can use.
// Each choice has a reason for %explain.
#include <map>
#include <tuple>

#include "core/analysis/divergence.h"
#include "core/analysis/scoped_visitor.h"
#include "core/ir/build.h"
#include "core/passes/pass.h"
#include "core/passes/select_instructions/select_instructions.h"
#include "core/passes/shared/hardware_units.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// Number of statements per choice, for the pass summary.
struct Counts {
  int scans = 0, tiles = 0;
  std::map<std::string, int> gemms, copies;
};

/// The choices for one kernel.
class Selector : ScopedVisitor {
 public:
  Selector(const Func& func, const Kernel& kernel, PassContext& context, Counts& counts,
           std::unordered_map<Symbol, int>& taken)
      : ScopedVisitor(func),
        kernel_(kernel),
        context_(context),
        counts_(counts),
        memory_(func, kernel),
        varying_(kernel),
        taken_(taken),
        options_(func),
        units_(uses_hardware_units(func)),
        asked_(asks_for_hardware_units(func)) {
    if (!units_) return;
    if (context.target.private_tiles)
      for (const Buffer* tile : find_private_tiles(kernel, memory_)) private_.insert(tile);
    counts.tiles += int(private_.size());
    pipelined_ = any_of(*kernel.body, [](const For& loop) { return loop.stages > 0; });
    scoped([&] { enter(kernel), choose_gemms(kernel.body, false); });
  }

  Stmt run() {
    Stmt body = scoped([&] {
      enter(kernel_);
      return without_idle_waits(visit(kernel_.body, false));
    });
    if (declared_.empty()) return body;
    std::vector<Stmt> all = declared_;
    all.push_back(body);
    return at(body->span, seq(std::move(all)));
  }
  /// Tensor maps that the host must create before the kernel.
  const std::vector<Stmt>& maps() const { return maps_; }

 private:
  const Target& target() const { return context_.target; }
  void reason(const Node& node, const std::string& text) {
    context_.reasons.push_back(line_of(node) + text);
  }

  /// All matmuls first: copies depend on the layouts they demand.
  void choose_gemms(const Stmt& stmt, bool divergent) {
    const bool structure = as<If>(stmt) || as<For>(stmt) || as<While>(stmt);
    if (const Gemm* gemm = as<Gemm>(stmt); gemm && gemm->by == GemmBy::unset) {
      MatrixChoice choice;
      if (divergent)
        choice.refused = "not all threads reach it";
      else
        choice =
            choose_matrix(*gemm, threads_.count(), target(), options_, memory_, facts_, forms_);
      if (gemm->wait > 0 && !divergent && !(choice.row && choice.row->asynchronous)) {
        Gemm ended(*gemm);  // completes at once: its operands may be staged
        ended.wait = -1;
        choice =
            choose_matrix(ended, threads_.count(), target(), options_, memory_, facts_, forms_);
      }
      choices_.emplace(gemm, choice);
    }
    divergent |= structure && varying_(*stmt);
    each_inside(stmt, [&](const Stmt& s) { choose_gemms(s, divergent); });
  }

  Stmt visit(const Stmt& stmt, bool in_pipeline) {
    if (const Copy* copy = as<Copy>(stmt); copy && copy->by == CopyBy::unset)
      return chosen(*copy, in_pipeline);
    if (const Gemm* gemm = as<Gemm>(stmt); gemm && gemm->by == GemmBy::unset) return chosen(*gemm);
    if (const Scan* scan = as<Scan>(stmt)) return expanded(*scan);
    const Buffer* buffer = as<Buffer>(stmt);
    if (buffer && private_.count(buffer)) return as_fragment(*buffer);
    if (units_ && buffer && buffer->scope == Scope::shared) return make(memory_formed(*buffer));
    const For* loop = as<For>(stmt);
    const bool inside = in_pipeline || (loop && loop->stages > 0);
    return map_inside(stmt, [&](const Stmt& s) { return visit(s, inside); });
  }

  Stmt as_fragment(const Buffer& buffer) {
    Buffer out(buffer);
    out.scope = Scope::fragment, out.pairs = Pairs::none;
    reason(buffer,
           buffer.name.str() + ": in registers, since one thread uses each element throughout");
    return make(std::move(out));
  }

  Buffer memory_formed(const Buffer& buffer) const { return forms_.with_form(buffer); }

  // ---- matmuls

  Stmt chosen(const Gemm& gemm) {
    Gemm out(gemm);
    std::vector<Stmt> before, after;
    out.by = GemmBy::fma;
    if (gemm.wait > 0) out.wait = -1;
    auto it = choices_.find(&gemm);
    if (it == choices_.end()) {
      reason(gemm, "gemm: fused multiply-adds by the threads, without hardware units");
    } else if (const MatrixChoice& choice = it->second; !choice.row) {
      reason(gemm, "gemm: fused multiply-adds by the threads; " + choice.refused);
      if (choice.lost || (asked_ && !choice.refused.empty() && has_instructions()))
        context_.diagnostics
            .report(Diag::slow_fallback, gemm.span, "T.gemm", "multiply-adds of the threads")
            .note(choice.refused)
            .help("give it a shape, types and memory scopes that a matrix instruction of " +
                  std::string(target().name) + " takes");
    } else {
      out.by = *parse_GemmBy(choice.row->name), out.wait = gemm.wait;
      out.inst = {choice.inst.m, choice.inst.n, choice.inst.k};
      out.warps = {choice.warps.m, choice.warps.n};
      if (choice.staged_a) before.push_back(staged(out.a, *choice.staged_a, gemm));
      if (choice.staged_b) before.push_back(staged(out.b, *choice.staged_b, gemm));
      if (choice.wide_sums) widen(out, before, after);
      if (choice.staged_a || choice.staged_b || !choice.row->asynchronous) out.wait = -1;
      reason(gemm, "gemm: " + std::string(choice.row->name) + " " + to_text(choice.inst) + ", " +
                       std::to_string(choice.warps.m) + " x " + std::to_string(choice.warps.n) +
                       " warps" + (choice.refused.empty() ? "" : "; " + choice.refused));
    }
    ++counts_.gemms[std::string(name(out.by))];
    before.push_back(at(gemm.span, make(std::move(out))));
    before.insert(before.end(), after.begin(), after.end());
    return before.size() == 1 ? before[0] : at(gemm.span, seq(std::move(before)));
  }

  /// A new buffer like `like`, declared at the top of the kernel.
  Buffer new_buffer_like(const Region& like, const char* ending, const Gemm& gemm) {
    const Symbol name = fresh_name(like.buffer.str() + ending, taken_);
    Buffer out = new_buffer(name, Scope::local, like.type.dtype,
                            memory_.shape_of(like.buffer).value_or(Index()));
    out.origin = "gemm@" + std::to_string(gemm.span.line);
    return out;
  }

  Stmt copied(const Expr& from, const Expr& into, const Gemm& gemm) const {
    Copy copy;
    copy.src = from, copy.dst = into, copy.by = CopyBy::simt;
    return at(gemm.span, make(std::move(copy)));
  }

  /// Stages a factor in a fragment that the instruction reads from shared memory; returns the copy.
  Stmt staged(Expr& factor, const SharedOperand& form, const Gemm& gemm) {
    const Region from = to<Region>(factor);
    Buffer memory = new_buffer_like(from, "_smem", gemm);
    memory.scope = Scope::shared, memory.layout = form.layout, memory.swizzle = form.swizzle;
    const Expr into = whole(memory);
    declared_.push_back(make(std::move(memory)));
    const Stmt out = copied(factor, into, gemm);
    factor = into;
    reason(gemm, from.buffer.str() + " is copied to shared memory, where the instruction reads it");
    return out;
  }

  /// Accumulates in an f32 fragment, rounded once after the matmul.
  void widen(Gemm& gemm, std::vector<Stmt>& before, std::vector<Stmt>& after) {
    const Expr narrow = gemm.c;
    Buffer sums = new_buffer_like(to<Region>(narrow), "_f32", gemm);
    sums.scope = Scope::fragment, sums.dtype = DType::f32;
    gemm.c = whole(sums);
    declared_.push_back(make(std::move(sums)));
    if (!gemm.clear || !is_int(gemm.clear, 1)) before.push_back(copied(narrow, gemm.c, gemm));
    after.push_back(copied(gemm.c, narrow, gemm));
    gemm.wait = -1;
    reason(gemm, "the instruction accumulates in f32; " + to<Region>(narrow).buffer.str() +
                     " is rounded after it");
  }

  bool has_instructions() const {
    for (const MatrixInstruction& row : matrix_instructions())
      if (target().has(row)) return true;
    return false;
  }

  // ---- copies

  /// A copy with an explicit wait, by the hardware that the program requests or else by threads.
  Stmt select_explicit(const Copy& copy) {
    const bool engine = bool(copy.barrier);
    Copy out(copy);
    out.by = engine ? CopyBy::engine : CopyBy::async;
    std::string refused = units_ ? "" : "hardware units are disabled by the pass configuration";
    if (refused.empty() && engine) {
      EngineChoice choice = choose_engine(copy, target(), memory_, forms_, facts_);
      refused = choice.refused;
      if (refused.empty()) out.map = map_of(std::move(choice), tensor_of(copy));
    } else if (refused.empty()) {
      refused = not_asynchronous(copy, target(), memory_);
    }
    const std::string unit = engine ? "the copy engine" : "asynchronous copies of the threads";
    if (refused.empty()) {
      reason(copy, "copy: by " + unit + ", as the program requests");
    } else {
      out.by = CopyBy::simt;
      reason(copy, "copy: loads and stores by the threads, not by " + unit + ": " + refused);
      if (units_)
        context_.diagnostics
            .report(Diag::slow_fallback, copy.span, engine ? "T.tma_copy" : "T.async_copy",
                    "loads and stores of the threads")
            .note(refused)
            .help("give the copy the alignment and shape that " + unit + " needs, or write T.copy");
    }
    ++counts_.copies[std::string(name(out.by))];
    return at(copy.span, make(std::move(out)));
  }

  Stmt chosen(const Copy& copy, bool in_pipeline) {
    if (has_explicit_wait(copy)) return select_explicit(copy);
    Copy out(copy);
    out.by = CopyBy::simt;
    std::string why = "copy: loads and stores by the threads";
    if (!units_)
      why += ", without hardware units";
    else if (const Buffer* into = memory_.base_buffer(to<Region>(copy.dst).buffer);
             into && into->scope == Scope::shared && !private_.count(into))
      why = loaded(copy, in_pipeline, out);
    reason(copy, why);
    ++counts_.copies[std::string(name(out.by))];
    return at(copy.span, make(std::move(out)));
  }

  static Symbol tensor_of(const Copy& copy) { return to<Region>(copy.src).buffer; }

  /// The hardware that the program requests: "tma", "cp_async", "sync", or nothing.
  std::string requested_unit(const Copy& copy) const {
    if (find_attr(copy.attrs, "force_async_copy")) return "cp_async";
    const Attr* set = find_attr(copy.attrs, "prefer_instruction");
    if (!set) return "";
    return set->string == "cp.async" ? "cp_async" : set->string;
  }

  /// Chooses for a copy into shared memory, and returns the reason.
  std::string loaded(const Copy& copy, bool in_pipeline, Copy& out) {
    const std::string requested_unit = this->requested_unit(copy);
    EngineChoice engine = choose_engine(copy, target(), memory_, forms_, facts_);
    if (!options_.tensor_engine) engine.refused = "disabled by the pass configuration";
    if (find_attr(copy.attrs, "disable_tma")) engine.refused = "disabled by disable_tma";
    if (!pipelined_) engine.refused = "no pipelined loop would prefetch it";
    std::string slow = not_asynchronous(copy, target(), memory_);
    if (!in_pipeline) slow = "it is not in a pipelined loop";
    if (!requested_unit.empty() && requested_unit != "tma")
      engine.refused = "the program prefers " + requested_unit;
    if (requested_unit == "sync") slow = "the program prefers sync";
    const bool by_engine = engine.refused.empty(), by_threads = !by_engine && slow.empty();
    if ((requested_unit == "tma" && !by_engine) || (requested_unit == "cp_async" && !by_threads))
      context_.diagnostics
          .report(Diag::slow_fallback, copy.span, "T.copy",
                  by_threads ? "asynchronous copies of the threads" : "loads and stores")
          .note("the program prefers " + requested_unit + ": " +
                (requested_unit == "tma" ? engine.refused : slow))
          .help("leave the preference out, or give the copy the alignment and shape that it needs");
    if (by_engine) {
      out.by = CopyBy::engine, out.map = map_of(std::move(engine), tensor_of(copy));
      return "copy: by the copy engine";
    }
    if (by_threads) {
      out.by = CopyBy::async;
      return "copy: asynchronous copies of the threads; no copy engine: " + engine.refused;
    }
    return "copy: loads and stores by the threads; no copy engine: " + engine.refused +
           "; not asynchronous: " + slow;
  }

  /// The name of the unique map with these parameters for the tensor, or a view of it.
  Symbol map_of(EngineChoice engine, Symbol tensor) {
    TensorMap& map = engine.map;
    auto& same = maps_of_[{tensor, map.box, engine.order}];
    for (const auto& [swizzle, name] : same)
      if (swizzle == map.swizzle) return name;
    map.name = fresh_name(tensor.str() + "_map", taken_);
    same.emplace_back(map.swizzle, map.name);
    maps_.push_back(make(TensorMap(map)));
    return map.name;
  }

  // ---- scans

  Stmt expanded(const Scan& scan) {
    ++counts_.scans;
    reason(scan, scans_in_parts(scan, kernel_.block)
                     ? "scan: one thread per part of a line, in shared memory"
                     : "scan: one thread per line, in shared memory");
    Stmt loops = expand_scan(scan, memory_.buffers, memory_.views, kernel_.block, taken_);
    const Seq* several = as<Seq>(loops);
    if (!several) return at(scan.span, loops);
    Seq placed(*several);  // spliced into the parent
    for (Stmt& each : placed.stmts) each = at(scan.span, each);
    return make(std::move(placed));
  }

  const Kernel& kernel_;
  PassContext& context_;
  Counts& counts_;
  const KernelMemory memory_;
  const DivergenceAnalysis varying_;
  std::unordered_map<Symbol, int>& taken_;  // of the function, whose kernels share one host
  SharedForms forms_;
  std::unordered_map<const Node*, MatrixChoice> choices_;
  std::vector<Stmt> maps_, declared_;
  std::unordered_set<const Buffer*> private_;  // buffers that become fragments
  std::map<std::tuple<Symbol, std::vector<int64_t>, std::vector<size_t>>,
           std::vector<std::pair<Swizzle, Symbol>>>
      maps_of_;  // by tensor, box and order
  const UnitOptions options_;
  bool units_, asked_, pipelined_ = false;
};

std::string counted(const std::map<std::string, int>& per_unit) {
  std::vector<std::string> out;
  for (const auto& [unit, count] : per_unit)
    out.push_back(per_unit.size() > 1 ? std::to_string(count) + " " + unit : unit);
  return join(out, ", ");
}

}  // namespace

FuncRef select_instructions(const FuncRef& func, PassContext& context) {
  Counts counts;
  std::unordered_map<Symbol, int> taken = names_in(*func);
  const FuncRef selected = rewrite_kernels(func, [&](const Kernel& original) {
    Kernel kernel(original);
    if (context.target.matrix_waits != Waits::exact)
      kernel.body = with_synchronous_source_matmuls(kernel.body);
    kernel.body = with_chosen_stages(*func, kernel, context.target, context.reasons);
    Selector selector(*func, kernel, context, counts, taken);
    Kernel out(kernel);
    out.body = selector.run();
    std::vector<Stmt> host = selector.maps();
    host.push_back(make(std::move(out)));
    return seq(std::move(host));
  });
  if (counts.scans) context.decide("scans: line by line");
  if (counts.tiles) context.decide(plural(counts.tiles, "shared tile") + " in registers");
  if (!counts.copies.empty())
    context.decide("copies: " + (counts.copies.count("simt") && counts.copies.size() == 1
                                     ? "loads and stores"
                                     : counted(counts.copies)));
  if (!counts.gemms.empty()) context.decide("gemm: " + counted(counts.gemms));
  return selected;
}

}  // namespace tilelab
