// SPDX-License-Identifier: Apache-2.0
// Which of a kernel's copies into shared memory can be prefetched. A copy and its users are in one
// list of statements, so that a ring between them is filled and released in the same order.
// schedule_pipelines makes rings of the plan: between two roles (warp_specialize.cpp) or inside a
// loop (multibuffer.cpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/analysis/divergence.h"
#include "core/passes/shared/hardware_units.h"

namespace tilelab {

/// A copy that may be prefetched, by indices into its list: a Copy, or a loop that gathers elements
/// (gather_loops.h).
struct PrefetchedCopy {
  const Copy* copy = nullptr;
  const Parallel* gather = nullptr;  // with the indices that it reads from other buffers replaced
  Stmt owner;                        // of `gather`
  Symbol into;                       // the name in the copy
  const Buffer* buffer = nullptr;    // that it fills, maybe through a view
  std::vector<const View*> views;    // of the buffer
  size_t at = 0, first = 0,
         last = 0;  // the copy, and the first and last statement that use it
  /// The buffer and its views.
  std::vector<Symbol> names() const;
  const StmtNode& stmt() const {
    return copy ? static_cast<const StmtNode&>(*copy) : static_cast<const StmtNode&>(*gather);
  }
  bool by(CopyBy strategy) const { return copy && copy->by == strategy; }
  int64_t bytes() const;
  /// The statement as copies by threads that complete in groups, if an engine copies or it gathers.
  Stmt in_groups(const Stmt& stmt) const;
};

/// A list of statements with such copies. `loop`: the pipelined loop whose body it is, or null.
struct PrefetchList {
  const Seq* list = nullptr;
  const For* loop = nullptr;
  const If* branch = nullptr;  // of the loop's body, if the list is the body of that branch
  bool sliced = false;         // another role can run the control flow around it, too
  bool repeated = false;       // in a loop
  std::vector<PrefetchedCopy> copies;
  Substitution names;  // lets that may be substituted in its copies
  Substitution own;    // those of the loop's body: copies that move out of it cannot name them
};

/// A copy that no loop prefetches, and why; a loop that gathers is left unchanged.
struct NonPipelinedCopy {
  const StmtNode* copy = nullptr;
  std::string why;
  bool in_loop = false;  // in the body of a pipelined loop
};

/// A copy of a fragment to a tensor, or a sum into the elements of one.
struct FragmentStore {
  const StmtNode* stmt = nullptr;
  const Region *src = nullptr, *dst = nullptr;
  bool adds = false;
};

struct PipelinePlan {
  std::vector<PrefetchList> lists;
  std::vector<NonPipelinedCopy> non_pipelined;
  std::vector<FragmentStore> stores;  // reached by all threads
  Substitution names;                 // lets that another role can bind, too
  std::unordered_set<const Node*>
      scalars;                // statements that compute scalars, for another role, too
  std::string explicit_sync;  // explicit synchronization of the kernel; "" if none
};

/// Calls `f` with every name that the node itself uses. A view is not a use.
template <class F> void for_each_use(const Node& node, F&& f) {
  if (const Region* n = as<Region>(&node)) f(n->buffer);
  if (const Load* n = as<Load>(&node)) f(n->buffer);
  if (const Store* n = as<Store>(&node)) f(n->buffer);
  if (const Name* n = as<Name>(&node)) f(n->id);
  if (as<View>(&node)) return;
  for (const Operand& operand : operands_of(node)) f(operand.buffer);
}

/// Whether the region is all of its buffer or view.
bool is_whole(const Region& region, const KernelMemory& memory);

/// Whether a matrix instruction that runs asynchronously computes the matmul.
bool asynchronous(const Gemm& gemm);

PipelinePlan plan_pipelines(const Func& func, const Kernel& kernel);
/// The kernel with conditions and offsets of its loads computed from read-only tensors, where it
/// reads such values from memory of the block or variables (forward_values.cpp).
Kernel with_forwarded_values(const Func& func, const Kernel& kernel);

/// Copies of a list that fill and free their slots together.
struct RingGroup {
  Symbol ring, slot;  // `slot`: its name in either role
  int64_t stages = 1, bytes = 0;
  size_t first = 0, last = 0;                 // statements of the list that use it
  std::vector<const PrefetchedCopy*> copies;  // in their order
};

/// A shared buffer with a leading dimension for the stages of a ring. Each slot is aligned for
/// swizzles and engines.
Buffer as_stages(const Buffer& buffer, Symbol ring, int64_t stages);
View as_stages(const View& view, int64_t stages);
/// The buffer that the copy fills, in this form, and its views.
std::vector<Stmt> as_stages(const PrefetchedCopy& copy, Symbol ring, int64_t stages);
/// The statement with each access to such a buffer redirected to the slot of its ring.
Stmt in_slots(const Stmt& stmt, const std::unordered_map<Symbol, Symbol>& slots);
/// A second copy of a statement, with fresh names for what it declares.
Stmt with_fresh_buffers(const Stmt& stmt, std::unordered_map<Symbol, int>& taken);
/// Whether the kernel's shared buffers fit a processor of the target when these become `stages`
/// slots each, beside `more` bytes and those reserved for layouts, in each of `blocks` blocks.
bool stages_fit(const Kernel& kernel, const Target& target, const std::map<Symbol, int64_t>& stages,
                int64_t more = 0, int64_t blocks = 1);
/// An operation on a ring; `slot`: the name that it binds.
Stmt ring_op(RingOpKind op, Symbol ring, Symbol slot = {});
bool is_ring_op(const Stmt& stmt, RingOpKind kind);

/// Chunks of `width` columns one after another, each with all rows.
Layout in_chunks(int64_t rows, int64_t cols, int64_t width);

/// A store of a matmul's fragment in pieces, through slots of shared memory.
struct StorePlan {
  FragmentStore store;
  TensorMap map;                  // without a name
  Buffer memory;                  // of one slot, without a name
  int64_t piece = 0, pieces = 0;  // columns per piece, number of pieces
  std::string refused;
};
std::optional<FragmentStore> fragment_store(const Stmt& stmt, const KernelMemory& memory);
StorePlan plan_store(const FragmentStore& store, const Kernel& kernel, const KernelMemory& memory,
                     const Target& target, const RangeAnalysis& facts);
struct StoreNames {
  Symbol piece, filled, sent;
};
/// `plan`: with its names.
Stmt store_in_pieces(const StorePlan& plan, Symbol ring, const StoreNames& names);

/// The kernel, without roles, with results of matmuls stored in rows (staged_stores.cpp).
Kernel with_staged_stores(const Func& func, const Kernel& kernel, const Target& target,
                          std::vector<std::string>& reasons);

/// The kernel with its views of tensors first, since prefetched copies before a loop use them, too.
Kernel with_leading_views(const Func& func, const Kernel& kernel);

/// The matmuls that may be in flight: those of a kernel's consumers.
struct MatmulContext {
  const Kernel* kernel = nullptr;
  const KernelMemory* memory = nullptr;
  std::vector<Stmt>*rings = nullptr, *stages = nullptr;  // and the buffers of their slots
  Symbol role;                                           // of the consumers
  int64_t groups = 1, registers = 0;                     // of warps; per thread
  /// Whether shared memory has space for so many slots of these buffers as well.
  FunctionRef<bool(const std::map<Symbol, int64_t>&)> fits;
};
/// The body with loops whose matmuls are waited for at their first use.
Stmt with_matmuls_in_flight(const Stmt& body, const MatmulContext& of, RangeAnalysis facts,
                            std::unordered_map<Symbol, int>& taken,
                            std::vector<std::string>& reasons);

/// Moves the load before the loop at the end of a producer's list into the loop's first iteration
/// (prologue_loads.cpp).
void load_in_first_iteration(std::vector<Stmt>& list, const RangeAnalysis& facts);
/// Runs masks only where they replace some element (skip_masks.cpp).
Stmt with_masks_where_needed(const Stmt& body, const Kernel& kernel,
                             std::vector<std::string>& reasons);

/// A scheduled kernel, or the reason why it was not scheduled.
struct Scheduled {
  Stmt body;
  int64_t block = 0;
  int64_t stages = 0;      // of the rings of pipelined loops, the most
  int64_t blocks = 1;      // that a processor runs at once, by their registers
  std::vector<Stmt> maps;  // additional tensor maps
  std::string summary;     // for the pass summary
  std::string refused;     // why this strategy does not apply
  std::vector<std::string> reasons;
};
/// Warp specialization: a role that feeds the copy engine, and one that does all else.
Scheduled schedule_roles(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                         const Target& target);
/// Versions of what the roles of a program that synchronizes itself share (explicit_versions.cpp).
Scheduled schedule_explicit(const Func& func, const Kernel& kernel, const Target& target);
/// The kernel with its blocks renumbered so that concurrent blocks share operands: panels of rows
/// (or columns) of the grid in serpentine order, as T.use_swizzle defines.
Kernel in_panels(const Func& func, const Kernel& kernel);
/// The kernel with one persistent block per processor. If the iteration count differs between
/// tiles, a mailbox distributes them, the longest first.
struct PersistentBlocks {
  Stmt kernel;
  std::string refused, summary;
};
PersistentBlocks persistent_blocks(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                                   int64_t processors);
/// Multibuffering: loops whose threads prefetch for later iterations.
Scheduled schedule_groups(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                          const Target& target);

}  // namespace tilelab
