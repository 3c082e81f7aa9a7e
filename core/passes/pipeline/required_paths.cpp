// SPDX-License-Identifier: Apache-2.0
#include "core/passes/pipeline/pipeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/diagnostics/usage.h"
#include "core/ir/tile_op.h"
#include "core/ir/traverse.h"
#include "core/layout/code_paths.h"
#include "core/layout/matrix.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// Identifies the statement of the program that passes have copied or moved.
using Place = std::tuple<uint32_t, uint32_t, uint32_t>;
Place place_of(const Node& node) {
  return {uint32_t(node.span.file), node.span.line, node.span.col};
}

class Requirements {
 public:
  Requirements(const PipelineResult& result, Diagnostics& sink)
      : result_(result),
        sink_(sink),
        first_(*result.snapshots.front().func),
        target_(*find_target(first_.target)) {
    for (const Snapshot& snapshot : result.snapshots)
      if (snapshot.func->level == Level::tile) last_ = snapshot.func.get();
  }

  void check(const CodePath& path) {
    path_ = &path;
    switch (path.of) {
      case CodePath::Of::matmul: return check_matmuls();
      case CodePath::Of::load: return check_loads();
      case CodePath::Of::kernel: return check_kernels();
    }
  }

 private:
  Diagnostic& lost(Span span, const std::string& subject, const std::string& as) {
    return sink_.report(usage::required_path, span, path_->name, subject, as)
        .help("change the kernel as the note says, or remove `" + path_->name + "` from `require`");
  }

  void nothing_to_take(const char* what) {
    lost(first_.span, "the kernel", std::string("it has ") + what);
  }

  /// Notes for a statement: the reasons of its line that begin with `subject`. If the selection
  /// gave it the path, a later pass took it back: then the reasons of the schedule.
  void add_reasons(Diagnostic& message, Span span, const std::string& subject) const {
    const std::string head = std::to_string(span.line) + ": " + subject;
    for (const Snapshot& snapshot : result_.snapshots)
      for (const std::string& reason : snapshot.reasons) {
        if (!reason.starts_with(head)) continue;
        const std::string text = reason.substr(head.size() - subject.size());
        const bool had = text == "copy: by the copy engine" ||
                         (path_->name == "async_copy" && text.starts_with("copy: asynchronous"));
        had ? add_schedule(message) : add_note(message, text);
      }
  }

  /// Notes for a kernel: the reasons of its schedule.
  void add_schedule(Diagnostic& message) const {
    const Snapshot* scheduled = result_.after("schedule_pipelines");
    for (const std::string& reason : scheduled->reasons)
      if (reason.find("T.Pipelined:") != std::string::npos ||
          reason.find("not prefetched") != std::string::npos)
        add_note(message, reason.substr(reason.find_first_not_of("0123456789: ")));
  }

  static void add_note(Diagnostic& message, const std::string& text) {
    if (std::find(message.notes.begin(), message.notes.end(), text) == message.notes.end())
      message.note(text);
  }

  /// What was given up because shared memory is too small.
  void add_fallback(Diagnostic& message) const {
    for (const std::string& reason : result_.after("select_instructions")->reasons)
      if (reason.starts_with("compiled as ")) add_note(message, reason);
  }

  // ---- matmuls

  bool takes(const Gemm& gemm) const {
    if (path_->instruction) return name(gemm.by) == path_->name;
    return gemm.by != GemmBy::fma && gemm.by != GemmBy::unset;
  }

  std::string instructions_of_target() const {
    std::vector<std::string> names;
    for (const MatrixInstruction& row : matrix_instructions())
      if (target_.has(row)) names.emplace_back(row.name);
    return names.empty() ? "it has no matrix instructions"
                         : "its matrix instructions are " + join(names, ", ");
  }

  void check_matmuls() {
    bool any = false;
    std::set<Place> reported;
    for_each(*last_->body, [&](const Gemm& gemm) {
      any = true;
      if (takes(gemm) || !reported.insert(place_of(gemm)).second) return;
      const bool threads = gemm.by == GemmBy::fma || gemm.by == GemmBy::unset;
      Diagnostic& message = lost(gemm.span, "T.gemm",
                                 threads ? "multiply-adds of the threads compute it"
                                         : "it uses " + std::string(name(gemm.by)));
      const MatrixInstruction* row = find_matrix(path_->name);
      if (row && !target_.has(*row))
        message.note(std::string(target_.name) + " has no " + path_->name + "; " +
                     instructions_of_target());
      else
        add_reasons(message, gemm.span, "gemm: ");
      add_fallback(message);
    });
    if (!any) nothing_to_take("no T.gemm");
  }

  // ---- loads

  /// The T.copy statements from a tensor to shared memory: those in pipelined loops if there are
  /// any, else all.
  std::vector<const Copy*> loads() const {
    const BufferTable buffers = buffers_of(first_);
    const BufferViews views = views_of(*first_.body);
    auto scope = [&](const Expr& side) {
      const Region* region = as<Region>(side);
      auto found = region ? buffers.find(views.base_of(region->buffer)) : buffers.end();
      return found == buffers.end() ? Scope::local : found->second->scope;
    };
    std::vector<const Copy*> all, pipelined;
    auto collect = [&](const Node& root, std::vector<const Copy*>& out) {
      for_each(root, [&](const Copy& copy) {
        const bool loads = scope(copy.src) == Scope::global && scope(copy.dst) == Scope::shared;
        if (loads && std::find(out.begin(), out.end(), &copy) == out.end()) out.push_back(&copy);
      });
    };
    collect(*first_.body, all);
    for_each(*first_.body, [&](const For& loop) {
      if (loop.stages > 0) collect(*loop.body, pipelined);
    });
    return pipelined.empty() ? all : pipelined;
  }

  bool takes(CopyBy by) const {
    return by == CopyBy::engine || (by == CopyBy::async && path_->name == "async_copy");
  }

  void check_loads() {
    std::map<Place, std::set<CopyBy>> final;
    for_each(*last_->body, [&](const Copy& copy) { final[place_of(copy)].insert(copy.by); });
    const std::vector<const Copy*> all = loads();
    for (const Copy* load : all) {
      const std::set<CopyBy>& by = final[place_of(*load)];
      if (!by.empty() && std::all_of(by.begin(), by.end(), [&](CopyBy b) { return takes(b); }))
        continue;
      const bool async = by.count(CopyBy::async) != 0;
      Diagnostic& message = lost(load->span, "T.copy",
                                 async ? "asynchronous copies of the threads load it"
                                       : "loads and stores of the threads copy it");
      add_reasons(message, load->span, "copy");
      add_fallback(message);
    }
    if (all.empty()) nothing_to_take("no T.copy from a tensor to shared memory");
  }

  // ---- kernels

  void check_kernels() {
    const bool roles = path_->name == "roles";
    for_each_of_host(*last_, [&](const Kernel& kernel) {
      if (roles ? contains<Role>(*kernel.body) : contains<Ring>(*kernel.body)) return;
      Diagnostic& message =
          lost(kernel.span, "this kernel",
               roles ? "all of its threads run the same code" : "its loops run in order");
      const size_t before = message.notes.size();
      add_schedule(message);
      add_fallback(message);
      if (message.notes.size() == before)
        message.note("it has no T.Pipelined loop with copies to prefetch");
    });
  }

  const PipelineResult& result_;
  Diagnostics& sink_;
  const Func& first_;
  const Func* last_ = nullptr;
  const Target& target_;
  const CodePath* path_ = nullptr;
};

}  // namespace

void check_required_paths(const PipelineResult& result, Diagnostics& diagnostics) {
  const Func& func = *result.snapshots.front().func;
  const Attr* required = find_attr(func.configs, kRequired);
  if (!required || func.level != Level::tile || !result.after("schedule_pipelines")) return;
  std::string unknown;
  Requirements requirements(result, diagnostics);
  for (const CodePath* path : parse_code_paths(required->string, &unknown))
    requirements.check(*path);
}

}  // namespace tilelab
