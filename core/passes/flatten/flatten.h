// SPDX-License-Identifier: Apache-2.0
// Private to flatten: lowers one function to flat memory. flatten.cpp handles structure and plain
// accesses; descriptors.cpp handles operands of engines, barriers and matrix units.
#pragma once

#include "core/analysis/scoped_visitor.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/layout/shared_operand.h"
#include "core/passes/pass.h"

namespace tilelab {

class Flattener : ScopedVisitor {
 public:
  Flattener(const Func& func, PassContext& context);
  Stmt visit(const Stmt& stmt);

 private:
  // ---- flatten.cpp: declarations, structure, addresses
  Stmt list(const Seq& list);
  Stmt stored(const Store& store);
  Stmt view(const View& v) const;
  const Buffer& root_of(Symbol name) const;
  std::vector<Symbol> parameters(const Kernel& k) const;
  Stmt kernel(const Kernel& k);
  Stmt roles(const std::vector<const Role*>& chain);
  Stmt role_body(const Role& r);
  bool whole_groups(const Role& r) const;
  Stmt register_limit(const Role& r) const;
  Stmt group_limit(const Role& r) const;
  Expr leader(const Call& call, const Role& r) const;
  Expr flat(const Expr& e);
  std::vector<RegionDim> flat_dims(Symbol name, const std::vector<RegionDim>& dims) const;
  Expr offset_of(Symbol name, const Buffer& b, const std::vector<RegionDim>& dims) const;
  bool wide(const Buffer& b) const;
  /// Layout of a shared buffer, or of a view of one, and the bytes of an element.
  std::pair<Layout, int64_t> shared_layout(Symbol name) const;
  Expr digits_offset(const Layout& layout, const std::vector<RegionDim>& dims) const;
  Expr shared_offset(Symbol name, const Buffer& b, const std::vector<RegionDim>& dims) const;

  // ---- descriptors.cpp: intrinsics whose operands are memory locations, not values
  /// The statement, or null if the call is not one of these.
  Stmt machine_call(const Call& call);
  Stmt engine_copy(const Call& call);
  Stmt product(const Call& call);
  Stmt barrier_call(const Call& call);
  Stmt part_sync(const Call& call);
  Stmt reserve_barriers(const Kernel& k);
  /// Byte address in the arena of the first element, before the swizzle.
  Expr place(const Region& region);
  /// The slices of a region -> address relative to its first element.
  Layout tile_of(const Region& region) const;
  Expr barrier_id(const Expr& e);
  Expr descriptor(const Call& call, size_t operand);
  std::vector<Expr> flat_args(const Call& call);

  const Func& func_;
  PassContext& context_;
  BufferTable buffers_;
  BufferViews views_;
  RangeAnalysis dims_;  // of the function
  const Kernel* kernel_ = nullptr;
  Symbol each_;  // loop variable over an array of barriers
};

/// Lists the completed registers at each wait for matrix groups, so that no compiler moves a use of
/// them before the wait.
Stmt name_finished_registers(const Stmt& kernel_body);

}  // namespace tilelab
