// SPDX-License-Identifier: Apache-2.0
// Private to the lint: one kernel and the facts about it.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/scoped_visitor.h"
#include "core/ir/traverse.h"
#include "core/targets/target.h"

namespace tilelab::codegen {

class LintKernel : ScopedVisitor {
 public:
  LintKernel(const Func& func, const Kernel& kernel, const Target& target,
             std::vector<std::string>& out);
  void run();

 private:
  void complain(const Node& at, const std::string& what);
  void survey(const Node& node);
  void slot_ranges();
  void launch();
  void visit(const Stmt& s);
  void expr(const Node& root);
  void buffer(const Buffer& b);
  void access(const Node& at, Symbol name, const std::vector<RegionDim>& dims);
  bool is_barrier_setup(const For& loop) const;
  void unrolled_setup(const For& loop);
  void call(const Call& c);
  void barrier_call(const Call& c);
  void numbered_call(const Call& c);
  void named_call(const Call& c);
  Range barrier_id(const Call& c);
  void after();
  // lint_engines.cpp
  int element_bytes(Symbol map) const;
  void announced_bytes(const Seq& seq);
  void tile(const Call& c);
  void thread_copy(const Call& c);
  void product(const Call& c);
  void descriptor(const Call& c, const Expr& e);

  const Func& func_;
  const Kernel& kernel_;
  const Target& target_;
  std::vector<std::string>& out_;
  BufferTable buffers_;
  std::unordered_set<Symbol> vars_;
  std::unordered_map<Symbol, int64_t> wraps_at_;
  int issued_by_ = 1;         // threads that issue a matrix instruction together
  std::string_view product_;  // that instruction
  bool synced_ = false;
  int64_t reserved_ = -1;
  std::set<int64_t> initialised_;
};

}  // namespace tilelab::codegen
