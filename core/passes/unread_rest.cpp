// SPDX-License-Identifier: Apache-2.0
// A tensor of fixed extents that is copied in blocks from its beginning, and whose last elements
// are fewer than a block and read by nobody: `K // 32` blocks where K is no multiple of 32. Bounds
// of indices are what intervals prove, so the elements are unread whenever the kernel runs.
#include <algorithm>
#include <map>

#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/doubtful.h"
#include "core/passes/facts.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// What is read along one dimension of a tensor.
struct Covered {
  int64_t lo = INT64_MAX, hi = -1;  // of all reads
  int64_t block = 0;                // of the widest copy whose place moves
  Span copy;
};

class Readers {
 public:
  Readers(const Func& func, int lanes) : lanes_(lanes) {
    for (const Stmt& param : func.params)
      if (const Buffer* tensor = as<Buffer>(to<Param>(param).tensor))
        tensors_[tensor->name] = {tensor, std::vector<Covered>(tensor->shape.size())};
    visit(func.body, Facts::of(func));
  }

  void report(Diagnostics& diagnostics) const {
    for (const auto& [name, read] : tensors_)
      for (size_t dim = 0; dim < read.covered.size(); ++dim) {
        const auto extent = int_value(read.tensor->shape[dim]);
        const Covered& covered = read.covered[dim];
        if (read.anyhow || !extent || covered.lo != 0 || covered.hi >= *extent - 1) continue;
        const int64_t end = covered.hi + 1;
        if (*extent - end >= covered.block) continue;
        const std::string block = std::to_string(covered.block), all = std::to_string(*extent);
        diagnostics.report(usage::rest_unread, covered.copy, part(*read.tensor, dim, end, *extent))
            .mark("the last block of " + block + " ends at " + std::to_string(end) + " of " + all)
            .help("T.ceildiv(" + all + ", " + block +
                  ") blocks read all of it: behind its end they read 0");
      }
  }

 private:
  struct Read {
    const Buffer* tensor = nullptr;
    std::vector<Covered> covered;
    bool anyhow = false;  // in a way that is not followed here
  };

  /// "A[:, 96:100]"
  static std::string part(const Buffer& tensor, size_t dim, int64_t from, int64_t to) {
    std::string out = tensor.name.str() + "[";
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      out += i ? ", " : "";
      out += i == dim ? std::to_string(from) + ":" + std::to_string(to) : ":";
    }
    return out + "]";
  }

  void visit(const Stmt& stmt, Facts facts) {
    if (const Kernel* k = as<Kernel>(stmt)) facts.enter(*k, lanes_);
    if (const For* loop = as<For>(stmt)) facts.enter(*loop);
    if (const Parallel* loop = as<Parallel>(stmt)) facts.enter(*loop);
    if (const Role* role = as<Role>(stmt)) facts.enter(*role);
    if (const View* view = as<View>(stmt)) follow_not(view->buffer);
    if (stmt->kind == Kind::Seq) {
      visit_in_turn(stmt, facts, [&](const Stmt& s, const Facts& here) {
        visit(s, here);
        return s;
      });
      return;
    }
    std::vector<const Region*> operands;
    for (const Operand& operand : operands_of(*stmt)) {
      if (operand.region) operands.push_back(operand.region);
      if (!operand.read) continue;
      if (operand.region && !operand.written)
        add(operand.region->buffer, operand.region->dims, facts, as<Copy>(stmt));
      else
        follow_not(operand.region ? operand.region->buffer : operand.buffer);
    }
    for_each_child(
        *stmt, [&](const Expr& e) { loads(e, operands, facts); },
        [&](const Stmt& s) { visit(s, facts); });
  }

  void loads(const Expr& e, const std::vector<const Region*>& operands, const Facts& facts) {
    walk(*e, [&](const Node& node) {
      if (const Load* load = as<Load>(&node)) {
        std::vector<RegionDim> dims;
        for (const Expr& i : load->index) dims.push_back({i});
        add(load->buffer, dims, facts, nullptr);
      }
      const Region* region = as<Region>(&node);
      if (region && std::find(operands.begin(), operands.end(), region) == operands.end())
        follow_not(region->buffer);  // an intrinsic has its place
      return true;
    });
  }

  void add(Symbol name, const std::vector<RegionDim>& dims, const Facts& facts, const Copy* copy) {
    auto found = tensors_.find(name);
    if (found == tensors_.end()) return;
    for (size_t i = 0; i < dims.size(); ++i) {
      const Range lo = facts.range(dims[i].lo);
      Covered& covered = found->second.covered[i];
      covered.lo = std::min(covered.lo, lo.lo);
      covered.hi = std::max(covered.hi, lo.hi > INT64_MAX / 2 ? lo.hi : lo.hi + dims[i].extent - 1);
      const bool in_blocks = copy && lo.hi > lo.lo && lo.multiple % dims[i].extent == 0;
      if (in_blocks && dims[i].extent > covered.block)
        covered.block = dims[i].extent, covered.copy = copy->src->span;
    }
  }

  void follow_not(Symbol name) {
    if (auto found = tensors_.find(name); found != tensors_.end()) found->second.anyhow = true;
  }

  int lanes_;
  std::map<Symbol, Read> tensors_;
};

}  // namespace

void warn_of_unread_rest(const Func& func, Diagnostics& diagnostics) {
  bool copies = false;
  walk(*func.body, [&](const Node& node) {
    copies |= node.kind == Kind::Copy;
    return !copies && group(node.kind) != Group::expr;
  });
  if (!copies) return;
  const Target* target = find_target(func.target);
  Readers(func, target ? target->lanes : 32).report(diagnostics);
}

}  // namespace tilelab
