// SPDX-License-Identifier: Apache-2.0
// What of a kernel's copies into shared memory can run ahead of the statements that use them. A
// copy and its users stand in one list of statements, so that a ring between them is filled and
// emptied in one order; schedule_pipelines makes rings of the plan: between two roles
// (schedule_roles.cpp), or inside a loop (schedule_groups.cpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/divergence.h"
#include "core/passes/shared/hardware_units.h"

namespace tilelab {

/// A copy that may run ahead, by positions in its list: a Copy, or a loop that gathers elements
/// (gathers.h).
struct PrefetchedCopy {
  const Copy* copy = nullptr;
  const Parallel* gather = nullptr;
  Symbol into;                     // by the name that stands there
  const Buffer* buffer = nullptr;  // that it fills, maybe through a view
  std::vector<const View*> views;  // of the buffer
  size_t at = 0, first = 0,
         last = 0;  // of the copy, and of the first and last statement that use it
  /// Of the buffer and its views.
  std::vector<Symbol> names() const;
  const StmtNode& stmt() const {
    return copy ? static_cast<const StmtNode&>(*copy) : static_cast<const StmtNode&>(*gather);
  }
  bool by(CopyBy road) const { return copy && copy->by == road; }
  int64_t bytes() const;
  /// The statement as copies of the threads that complete in groups, where it is by an engine or
  /// gathers.
  Stmt in_groups(const Stmt& stmt) const;
};

/// A list of statements with such copies. `loop`: the pipelined loop whose body it is, or null.
struct AheadList {
  const Seq* list = nullptr;
  const For* loop = nullptr;
  bool sliced = false;  // what is around it can be run a second time, by another role
  std::vector<PrefetchedCopy> copies;
  Substitution names;  // lets whose values its copies may have written out
};

/// A copy that no loop can use, and why; a loop that gathers stays one.
struct NonPipelinedCopy {
  const StmtNode* copy = nullptr;
  std::string why;
};

struct PipelinePlan {
  std::vector<AheadList> lists;
  std::vector<NonPipelinedCopy> staying;
  std::vector<const Copy*> stores;  // of fragments to tensors, to which all threads come
  Substitution names;               // lets that another role can bind, too
  std::string own_order;  // what of the kernel orders its threads by hand; "" if nothing does
};

PipelinePlan plan_pipelines(const Func& func, const Kernel& kernel);

/// Copies of a list that fill and free their slots together.
struct RingGroup {
  Symbol ring, slot;  // `slot`: its name in either role
  int64_t stages = 1, bytes = 0;
  size_t first = 0, last = 0;                 // statements of the list that use it
  std::vector<const PrefetchedCopy*> copies;  // in their order
};

/// A shared buffer as the stages of a ring: its form behind a leading dimension. A slot begins
/// where a swizzle and an engine can begin.
Buffer as_stages(const Buffer& buffer, Symbol ring, int64_t stages);
View as_stages(const View& view, int64_t stages);
/// The buffer that the copy fills so, and its views.
std::vector<Stmt> as_stages(const PrefetchedCopy& copy, Symbol ring, int64_t stages);
/// The statement with every place of such a buffer in the slot of its ring.
Stmt in_slots(const Stmt& stmt, const std::unordered_map<Symbol, Symbol>& slots);
/// A copy of a statement that stands elsewhere, too: what it declares has names of its own.
Stmt with_own_memory(const Stmt& stmt, std::unordered_map<Symbol, int>& taken);
/// Whether the kernel's shared buffers fit the target when these become `stages` slots each.
/// `more`: bytes that are needed besides.
bool stages_fit(const Kernel& kernel, const Target& target, const std::map<Symbol, int64_t>& stages,
                int64_t more);
/// A hand-over of a ring; `slot`: what it binds.
Stmt ring_op(RingOpKind op, Symbol ring, Symbol slot = {});
bool is_ring_op(const Stmt& stmt, RingOpKind kind);

/// A copy of a product's fragment to a tensor in pieces, through slots of shared memory.
struct StorePlan {
  const Copy* copy = nullptr;
  TensorMap map;                  // without a name
  Buffer memory;                  // of one slot, without a name
  int64_t piece = 0, pieces = 0;  // columns of one, and how many there are
  std::string refused;
};
StorePlan plan_store(const Copy& copy, const Kernel& kernel, const KernelMemory& memory,
                     const Target& target, const RangeAnalysis& facts);
struct StoreNames {
  Symbol piece, filled, sent;
};
/// `plan`: with its names.
Stmt store_in_pieces(const StorePlan& plan, Symbol ring, const StoreNames& names);

/// The kernel with its views of tensors in front: what runs ahead of a loop names them, too.
Kernel with_views_in_front(const Func& func, const Kernel& kernel);

/// Whose products may be in flight: the consumers of a kernel.
struct ProductsOf {
  const Kernel* kernel = nullptr;
  const KernelMemory* memory = nullptr;
  const std::vector<Stmt>*rings = nullptr, *stages = nullptr;  // and the buffers of their slots
  int64_t groups = 1, registers = 0;                           // of warps; of a thread
};
/// The body with loops whose products are waited for when something needs them.
Stmt with_products_in_flight(const Stmt& body, const ProductsOf& of, RangeAnalysis facts,
                             std::unordered_map<Symbol, int>& taken,
                             std::vector<std::string>& reasons);

/// Moves the load in front of the loop at the end of a producer's list into the loop's first turn
/// (schedule_loads.cpp).
void load_in_first_turn(std::vector<Stmt>& list, const RangeAnalysis& facts);
/// The body with masks only where they replace something (skip_masks.cpp).
Stmt with_masks_where_needed(const Stmt& body, const Kernel& kernel,
                             std::vector<std::string>& reasons);

/// A kernel that its scheduler has made, or why not.
struct Scheduled {
  Stmt body;
  int64_t block = 0;
  std::vector<Stmt> maps;  // that it needs besides
  std::string said;        // for the line of the pass
  std::string refused;     // why this road is not taken
  std::vector<std::string> reasons;
};
/// A role that feeds the tensor engine, and one that does all else.
Scheduled schedule_roles(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                         const Target& target);
/// The kernel with its blocks renumbered so that those that run side by side share operands: panels
/// of rows (or columns) of the grid, one way and back, as T.use_swizzle says.
Kernel in_panels(const Func& func, const Kernel& kernel);
/// The kernel with one block for each processor, which takes tile after tile; where tiles have
/// different numbers of turns from a mailbox, those with most turns first.
struct PersistentBlocks {
  Stmt kernel;
  std::string refused, said;
};
PersistentBlocks persistent_blocks(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                                   int64_t processors);
/// Loops whose threads copy for later turns.
Scheduled schedule_groups(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                          const Target& target);

}  // namespace tilelab
