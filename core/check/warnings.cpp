// SPDX-License-Identifier: Apache-2.0
// Converts findings of the watchers to warnings, with the statements around them.

#include "core/check/check.h"
#include "core/diagnostics/usage.h"
#include "core/host/signature.h"
#include "core/ir/traverse.h"
#include "core/sim/indices.h"

namespace tilelab {
namespace {

using sim::Finding;
using sim::FindingKind;
using sim::FindingSide;

constexpr int kMaxPerKind = 5;  // are shown

class Warnings {
 public:
  Warnings(const Func& func, Diagnostics& out) : func_(func), out_(out) {}

  void add(const Finding& finding) {
    if (finding.where.empty()) return other(finding);
    switch (finding.kind) {
      case FindingKind::race: return race(finding);
      case FindingKind::dead_store: return dead_store(finding);
      case FindingKind::padding: return padding(finding);
      case FindingKind::redundant_sum: return redundant_sum(finding);
      case FindingKind::padded_result:
      case FindingKind::out_of_bounds: return out_of_bounds(finding);
      case FindingKind::uninitialized: return uninitialized(finding);
      case FindingKind::overflow: return overflow(finding);
      default: return other(finding);
    }
  }

 private:
  static std::string element(const Finding& f) { return f.buffer + f.element; }
  static Diagnostic& outside(Diagnostics& out, const Finding& f) {
    return out.report(Diag::out_of_bounds, f.where[0].span, "`" + element(f) + "`", "", f.detail);
  }
  static std::string did(const FindingSide& side) {
    return (side.actor.empty() ? "" : side.actor + " ") + side.verb + " it";
  }
  static std::string block(const Finding& f) {
    return "block (" + std::to_string(f.block[0]) + ", " + std::to_string(f.block[1]) + ", " +
           std::to_string(f.block[2]) + ")";
  }

  /// Marks the locations of both accesses, or one location if both are in the same statement.
  static void sides(Diagnostic& made, const Finding& f) {
    const FindingSide &first = f.where[0], &second = f.where[1];
    if (first.span == second.span) {
      made.mark(did(first) + ", " + did(second));
      return;
    }
    made.mark(did(second)).label(first.span, did(first));
  }

  void race(const Finding& f) {
    if (f.where.size() < 2) return other(f);
    const FindingSide &first = f.where[0], &second = f.where[1];
    if (first.actor.rfind("block", 0) == 0 || second.actor.rfind("block", 0) == 0) {
      Diagnostic& made = out_.report(usage::block_race, second.span, element(f));
      sides(made, f);
      made.help("put the block index into the index of `" + f.buffer +
                "`, or accumulate over blocks with T.atomic_add");
      return;
    }
    const Span* loop = loop_around(second.span);
    const bool writes = first.verb == "writes" && second.verb == "writes";
    Diagnostic& made = f.update ? out_.report(usage::non_atomic_update, second.span, element(f))
                       : writes
                           ? out_.report(Diag::parallel_same_element, second.span, f.buffer)
                           : out_.report(usage::parallel_read_write_race, second.span, element(f));
    sides(made, f);
    if (loop) made.label(*loop, "the iterations run in parallel");
    made.help(f.update ? "update it with T.atomic_add or another atomic, or make the loop serial"
              : writes ? "let each iteration write separate elements; sum over iterations with "
                         "T.reduce_* or T.atomic_add"
                       : "write to another buffer, or read the values in a T.Parallel before this "
                         "one");
  }

  void dead_store(const Finding& f) {
    const Span &at = f.where[0].span, &loop = f.where[1].span;
    if (f.update) {
      out_.report(usage::accumulator_reset_in_loop, at, f.buffer)
          .label(loop, "in this loop")
          .label(f.where[2].span, "only the last iteration's update is kept")
          .help("reset it before the loop");
      return;
    }
    const Node* stmt = statement_at(at);
    const std::string& name = f.buffer;
    out_.report(usage::dead_store_in_loop, at, name)
        .label(loop, "in this loop")
        .help(stmt && stmt->kind == Kind::Gemm
                  ? "to accumulate, remove clear_accum and put T.clear(" + name +
                        ") before the loop"
              : stmt && stmt->kind == Kind::Copy
                  ? "move the uses of `" + name + "` into the loop"
                  : "to accumulate, write `+=` and set `" + name + "` before the loop");
  }

  void padding(const Finding& f) {
    const FindingSide &fold = f.where[0], &read = f.where[1];
    Diagnostic& made = out_.report(usage::padding_in_reduction, fold.span, f.buffer, f.detail)
                           .label(read.span, read.verb);
    if (f.where.size() > 2) made.label(f.where[2].span, "is not 0 there");
    made.help("replace them by a neutral value: T.if_then_else(index < extent, value, " +
              std::string(f.detail == "maximum"   ? "-T.infinity(...)"
                          : f.detail == "minimum" ? "T.infinity(...)"
                                                  : "0") +
              ")");
  }

  void redundant_sum(const Finding& f) {
    out_.report(usage::redundant_block_sum, f.where[0].span, element(f))
        .mark(f.where[0].actor + " and " + f.where[1].actor + " add equal values")
        .help(
            "let each block read a separate part: put the block index into the index of what it "
            "reads");
  }

  void out_of_bounds(const Finding& f) {
    const FindingSide& access = f.where[0];
    if (f.update) {
      const FindingSide& use = f.related[0];
      out_.report(usage::off_by_one_guard, access.span, f.buffer, f.detail)
          .mark("reads 0 there")
          .label(use.span, use.verb)
          .help("correct the bound: `<` instead of `<=`, or start one later");
      return;
    }
    const std::string actor = access.actor.empty() ? "" : ", " + access.actor;
    const bool reads = access.verb == "reads";
    if (!is_tensor(f.buffer)) {
      Diagnostic& made = outside(out_, f);
      made.mark(access.verb + " it" + (access.actor.empty() ? "" : ": " + access.actor));
      for (const FindingSide& side : f.related) made.label(side.span, side.verb);
      made.help("correct the index or the loop, guard the access with `if`, or make `" + f.buffer +
                "` larger");
      return;
    }
    std::string here;
    for (size_t i = 1; i < f.where.size(); ++i)
      if (f.where[i].span == access.span) here += "; " + f.where[i].verb;
    const std::string times = f.count > 1 ? ", " + std::to_string(f.count) + " times" : "";
    Diagnostic& made = outside(out_, f);
    made.mark((reads ? "reads 0" : "writes nothing") + times + "; first in " + block(f) + actor +
              here);
    for (size_t i = 1; i < f.where.size(); ++i)
      if (f.where[i].span != access.span) made.label(f.where[i].span, f.where[i].verb);
    made.help(reads ? "correct the index; if zeros are intended, write them: "
                      "T.if_then_else(inside, value, 0)"
                    : "correct the index, or the number of blocks");
  }

  void uninitialized(const Finding& f) {
    Diagnostic& made = out_.report(usage::uninitialized_read, f.where[0].span, element(f));
    if (!f.where[0].actor.empty()) made.mark(f.where[0].actor + " reads it");
    for (const FindingSide& side : f.related) made.label(side.span, side.verb);
    made.help("initialize it first: T.clear, T.fill, T.copy or a store");
  }

  void overflow(const Finding& f) {
    const FindingSide& at = f.where[0];
    Diagnostic& made = out_.report(usage::float_overflow, at.span, f.detail);
    made.mark((at.actor.empty() ? "" : at.actor + " ") + at.verb);
    made.help(finding_help(f.kind));
  }

  void other(const Finding& f) {
    const Span at = f.where.empty() ? Span() : f.where[0].span;
    Diagnostic& made =
        out_.report(usage::sample_finding, at, finding_name(f.kind), finding_meaning(f.kind));
    const auto said = [](const FindingSide& side) {
      return (side.actor.empty() ? "" : side.actor + " ") + side.verb;
    };
    if (!f.where.empty()) made.mark(said(f.where[0]));
    for (size_t i = 1; i < f.where.size(); ++i) made.label(f.where[i].span, said(f.where[i]));
    made.help(finding_help(f.kind));
  }

  bool is_tensor(const std::string& name) const {
    for (const Stmt& stmt : func_.params)
      if (to<Param>(stmt).tensor && to<Param>(stmt).name.str() == name) return true;
    return false;
  }

  const Node* statement_at(const Span& place) const {
    return find_node(*func_.body, false, [&](const Node& node) {
      return node.span == place && node.kind != Kind::Seq;
    });
  }

  /// The T.Parallel around a location; null if there is none.
  const Span* loop_around(const Span& place) {
    const Span* found = nullptr;
    for_each(*func_.body, [&](const Parallel& loop) {
      if (contains(loop, place)) found = &loop.span;
    });
    return found;
  }

  static bool contains(const Node& loop, const Span& place) {
    return any_of(loop,
                  [&](const Node& node) { return &node != &loop && node.span.contains(place); });
  }

  const Func& func_;
  Diagnostics& out_;
};

/// NaN or infinity in an output, where it arises.
void not_finite(const Func& func, const sim::NotFinite& one, Diagnostics& out) {
  const sim::OriginStep& step = one.origin.front();
  out.report(usage::output_not_finite, step.span, func.name.str(),
             one.nan && one.inf ? "NaN or infinity"
             : one.nan          ? "NaN"
                                : "infinity",
             std::to_string(one.nan + one.inf) + " of " + std::to_string(one.elements), one.buffer,
             one.buffer + sim::index_text(one.first), "")
      .mark((step.actor.empty() ? "" : step.actor + ": ") + step.what);
}

}  // namespace

Diagnostics warnings_of(const Func& func, const sim::RunResult& result) {
  Diagnostics out;
  Warnings warnings(func, out);
  std::map<std::pair<FindingKind, std::string>, int> counts;
  for (const Finding& finding : result.warnings)
    if (++counts[{finding.kind, finding.buffer}] <= kMaxPerKind) warnings.add(finding);
  for (const sim::NotFinite& one : result.not_finite)
    if (!one.origin.empty()) return not_finite(func, one, out), out;
  return out;
}

void warn_of_overlap(const Func& func, std::span<const sim::Argument> arguments,
                     Diagnostics& diagnostics) {
  if (arguments.size() != func.params.size()) return;
  const host::Signature signature(func);
  for (const auto& [read, written] : signature.separate()) {
    if (!sim::overlap(arguments[read], arguments[written])) continue;
    const Param &a = to<Param>(func.params[read]), &b = to<Param>(func.params[written]);
    diagnostics.report(usage::argument_overlap, a.span, func.name, a.name, b.name)
        .label(b.span, "is written")
        .help(
            "pass a copy of one of them; or state in the kernel that they may overlap: "
            "T.annotate_restrict_buffers(" +
            a.name.str() + ", " + b.name.str() + ")");
  }
}

}  // namespace tilelab
