// SPDX-License-Identifier: Apache-2.0
// The proxy fences of asynchronous matrix instructions: which of those that the lowering puts
// before every product are needed.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/passes/insert_barriers/barrier_points.h"
#include "core/passes/lower_tile_ops/lowering.h"

namespace tilelab {
namespace {

constexpr const char* kOfProduct = "product";

bool is_fence_of_product(const Stmt& stmt) {
  const Call* call = called(stmt);
  return call && call->intrinsic == Intrinsic::fence_proxy && find_attr(call->attrs, kOfProduct);
}

/// Whether the statement is a call of this step, alone.
bool is_step(const Stmt& stmt, Step step) {
  const Call* call = called(stmt);
  return call && info(call->intrinsic).step == step && info(call->intrinsic).async == Async::none;
}

using Names = std::unordered_set<Symbol>;

/// The shared memory of a kernel, by name; views are resolved.
class SharedMemory {
 public:
  explicit SharedMemory(const Stmt& body) : views_(views_of(*body)), buffers_(buffers_of(body)) {}

  const BufferViews& views() const { return views_; }

  /// What asynchronous matrix instructions of the statement read.
  Names read_by_products(const Stmt& stmt) const {
    Names out;
    for_each(*stmt, [&](const Call& call) {
      if (info(call.intrinsic).async != Async::mma) return;
      for (const Expr& operand : call.args)
        if (const Region* region = as<Region>(operand)) add(region->buffer, out);
    });
    return out;
  }

  /// What threads write by stores, which a matrix instruction sees only after a fence.
  Names stored(const Stmt& stmt) const {
    Names out;
    for_each(*stmt, [&](const StmtNode& node) {
      for (const Effect& effect : effects(node))
        if (effect.write && effect.who == Actor::threads && effect.when == When::at_once)
          add(effect.buffer, out);
    });
    return out;
  }

 private:
  void add(Symbol name, Names& out) const {
    const auto memory = buffers_.find(views_.base_of(name));
    if (memory != buffers_.end() && memory->second->scope == Scope::shared)
      out.insert(memory->first);
  }

  BufferViews views_;
  BufferTable buffers_;
};

/// What the products that begin at `at` read: up to the next statement that is neither one of them,
/// nor a value, nor a fence of their registers.
Names operands_from(const std::vector<Stmt>& list, size_t at, const SharedMemory& memory) {
  Names out;
  for (; at < list.size(); ++at) {
    const Names more = memory.read_by_products(list[at]);
    const Call* call = called(list[at]);
    const bool fence = call && info(call->intrinsic).step == Step::fence;
    if (more.empty() && !fence && !as<Let>(list[at])) break;
    out.insert(more.begin(), more.end());
  }
  return out;
}

bool overlap(const Names& a, const Names& b) {
  return std::ranges::any_of(a, [&](Symbol name) { return b.count(name) != 0; });
}

}  // namespace

Stmt fence_of_product() { return do_call(Intrinsic::fence_proxy, {}, {attr(kOfProduct, true)}); }

Stmt drop_needless_fences(const Stmt& body) {
  const SharedMemory memory(body);
  const Names operands = memory.read_by_products(body), stored = memory.stored(body);
  const auto publishes = [&](const Stmt& stmt) {
    const std::set<Symbol> written = touched(*stmt, memory.views()).written;
    return any_of(*stmt,
                  [](const Call& call) {
                    const auto& row = info(call.intrinsic);
                    return row.step == Step::wait && row.async != Async::mma;
                  }) ||
           std::any_of(written.begin(), written.end(), [&](Symbol name) {
             return operands.count(memory.views().base_of(name)) != 0;
           });
  };
  return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
    const Seq* list = as<Seq>(s);
    if (!list) return s;
    std::vector<Stmt> out;
    Stmt barrier;  // of the last pair, if nothing was written since
    for (size_t i = 0; i < list->stmts.size(); ++i) {
      const Stmt& each = list->stmts[i];
      const bool pair = is_fence_of_product(each) && i + 1 < list->stmts.size() &&
                        is_step(list->stmts[i + 1], Step::sync);
      if (pair && barrier && equal(barrier, list->stmts[i + 1])) {
        ++i;
        continue;
      }
      const Names read = pair ? operands_from(list->stmts, i + 2, memory) : Names();
      if (!read.empty() && !overlap(read, stored)) continue;  // the barrier is next
      out.push_back(pair ? at(each->span, do_call(Intrinsic::fence_proxy, {})) : each);
      if (pair) out.push_back(barrier = list->stmts[++i]);
      if (!pair && barrier && publishes(each)) barrier = nullptr;
    }
    return at(s->span, seq(std::move(out)));
  });
}

}  // namespace tilelab
