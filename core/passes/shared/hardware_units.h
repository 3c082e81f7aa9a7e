// SPDX-License-Identifier: Apache-2.0
// The choice between fallbacks (loads and stores, multiply-adds, loops in order) and hardware
// units: matrix instructions, copy engines, rings and roles (docs/adr/0017).
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/effects.h"
#include "core/analysis/ranges.h"
#include "core/ir/traverse.h"
#include "core/layout/shared_operand.h"
#include "core/passes/pass.h"
#include "core/targets/partition.h"

namespace tilelab {

/// Whether the function may use them: unless its pass configuration `hardware_units` is false.
bool uses_hardware_units(const Func& func);
/// Whether the configuration is set and true: then a matmul without a matrix instruction is a
/// warning, else a reason, since small and exact matmuls are best done by threads.
bool asks_for_hardware_units(const Func& func);
/// The function without hardware units.
FuncRef without_hardware_units(const FuncRef& func);

/// Restrictions by the user, through TileLang's configurations.
struct UnitOptions {
  explicit UnitOptions(const Func& func);
  bool tensor_engine = true, roles = true;
  int64_t processors = -1;                // of the card; -1: from the target description
  std::vector<std::string_view> without;  // matrix instructions that are disabled
};

/// By kernel of `placed` (after infer_layouts) that exceeds the target's shared memory: the bytes
/// that its layouts need besides the buffers of `scheduled` (plan_shared_memory.cpp).
std::unordered_map<Symbol, int64_t> excessive_layouts(const Func& scheduled, const Func& placed,
                                                      const Target& target);
/// The bytes of shared memory that schedule_pipelines leaves to the kernel's layouts.
int64_t reserved_shared(const Kernel& kernel);
Kernel with_reserved_shared(const Kernel& kernel, int64_t bytes);

/// Alignment in bytes of a copy engine's boxes in shared memory.
inline constexpr int64_t kBoxAlignment = 128;

/// "12: ", for reasons; empty if the line is unknown.
std::string line_of(const Node& node);

/// Facts about a kernel's memory that passes need to choose for one of its statements.
struct KernelMemory {
  KernelMemory(const Func& func, const Kernel& kernel);
  /// The buffer, if the region names it directly; null for a view.
  const Buffer* buffer(const Region& region) const;
  /// The buffer of the name, or a view of a tensor or of shared memory as a separate buffer. Null
  /// for other views, for those that view_as_buffer rejects, and for those whose extents the
  /// kernel computes.
  const Buffer* as_buffer(Symbol name) const;
  /// Why it is null for a view, and how to fix it.
  std::string why_no_buffer(Symbol name) const;
  /// The buffer that a name refers to, through views; null if there is none.
  const Buffer* base_buffer(Symbol name) const;
  /// Whether the copy loads a tile of a tensor into shared memory.
  bool loads(const Copy& copy) const;
  /// Extents of a buffer or view if all are constant; else nullopt.
  std::optional<Index> shape_of(Symbol name) const;
  /// The kernel's views of the buffer.
  const std::vector<const View*>& views_of_buffer(Symbol buffer) const;
  /// Whether the kernel passes the buffer to an intrinsic. T.ptx_ldmatrix only reads a row of it,
  /// as a load would.
  bool escapes(Symbol name) const { return escaping_.count(views.base_of(name)) != 0; }
  /// Whether an intrinsic uses the buffer as row-major memory. T.ptx_cp_async and T.ptx_ldmatrix do
  /// not: they access one vector, whose address goes through the layout.
  bool needs_plain_layout(Symbol name) const { return plain_.count(views.base_of(name)) != 0; }
  /// Whether the kernel has a view of the buffer, or passes it to an intrinsic.
  bool aliased_or_escaping(Symbol buffer) const {
    return escapes(buffer) || !views_of_buffer(buffer).empty();
  }
  bool read(Symbol name) const { return touched_.read.count(views.base_of(name)) != 0; }
  /// Whether the fragment is the left factor of a matmul, or such a factor is computed from it.
  bool is_left(Symbol fragment) const { return left_.count(views.base_of(fragment)) != 0; }
  bool written(Symbol name) const { return touched_.written.count(views.base_of(name)) != 0; }

  BufferTable buffers;
  BufferViews views;
  std::unordered_map<Symbol, std::vector<const Gemm*>> matmuls;  // by accumulator
  int64_t shared_bytes = 0;                                      // of all declarations

 private:
  Touched touched_;
  std::unordered_set<Symbol> left_, escaping_, plain_;
  std::unordered_map<Symbol, std::vector<const View*>> views_of_buffer_;  // by base buffer
  std::unordered_map<Symbol, Buffer> view_buffers_;                       // by view
};

/// Layout of a whole shared buffer.
struct SharedForm {
  Layout layout;
  Swizzle swizzle;
};

/// Layouts of the shared buffers of a kernel that matrix instructions and copy engines demand. One
/// form per buffer, from all its uses.
class SharedForms {
 public:
  /// Demands one of these forms, best first, for operands of a matrix instruction; returns false,
  /// without changes, if none is compatible with earlier demands.
  bool demand(const Buffer& buffer, const std::vector<SharedForm>& forms);
  /// Prefers this form for an instruction that can read the operand in any form.
  void prefer(const Buffer& buffer, const SharedForm& form);
  /// The buffer with its future layout.
  Buffer with_form(const Buffer& buffer) const;
  /// Bytes of shared memory that forms and staged operands need in addition to the declarations.
  int64_t extra_bytes() const;
  int64_t staged_bytes = 0;  // of operands staged from fragments through shared memory

 private:
  struct Demand {
    const Buffer* buffer;
    std::vector<SharedForm> forms;  // compatible with all uses so far
  };
  std::unordered_map<Symbol, Demand> demands_;
  std::unordered_map<Symbol, SharedForm> preferred_;
};

/// The matrix instruction for a matmul, or why there is none.
struct MatrixChoice {
  const MatrixInstruction* row = nullptr;
  MatrixShape inst;
  WarpGrid warps;
  // Layout of the operand's copy in shared memory, if it is in a fragment that the instruction
  // cannot read.
  std::optional<SharedOperand> staged_a, staged_b;
  bool wide_sums = false;  // C is narrower than the instruction's accumulator: uses an f32 fragment
  std::string refused;     // "wgmma: C is not a fragment"; for the rows before it, or for all
  bool lost = false;       // no row, although one has the operands' types
};
/// `threads`: that execute the matmul together; `facts`: at it. Adds the demands of the chosen row
/// to `forms`.
MatrixChoice choose_matrix(const Gemm& gemm, int64_t threads, const Target& target,
                           const UnitOptions& options, const KernelMemory& memory,
                           const RangeAnalysis& facts, SharedForms& forms);

/// The dimensions of a tensor in the order of its map's axes, for a copy of the box. A box in an
/// instruction has the map's first dimensions, so those of the copy come first: for [batch, rows,
/// heads, 128] the rows before the heads.
std::vector<size_t> map_order(const Region& box, const Target& target);

/// Whether the copy engine can copy from a tensor to shared memory: `map` is the tensor map,
/// without a name; else `refused` is the reason.
struct EngineChoice {
  TensorMap map;
  std::vector<size_t> order;  // of the tensor's dimensions in the map, innermost first
  std::string refused;
};
EngineChoice choose_engine(const Copy& copy, const Target& target, const KernelMemory& memory,
                           const SharedForms& forms, const RangeAnalysis& facts);
/// Whether the target's engine supports the swizzle, with boxes of `inner` bytes per row: 32, 64 or
/// 128 bytes of 128-byte lines (CUtensorMapSwizzle), or all of 256-byte lines.
bool engine_swizzles(const Target& target, const Swizzle& swizzle, int64_t inner);
/// Writes the dimensions of the tensor of a box, or of a view of one, into `map`, in this order,
/// innermost first (empty: memory order); or returns the reason why the engine cannot copy the box.
std::string describe_tensor(const Region& box, const KernelMemory& memory, const Target& target,
                            const RangeAnalysis& facts, TensorMap& map,
                            std::vector<size_t> order = {});
/// The reason why threads cannot copy asynchronously; "" if they can.
std::string not_asynchronous(const Copy& copy, const Target& target, const KernelMemory& memory);

/// T.tma_copy, T.async_copy: the program waits for the copy explicitly.
bool has_explicit_wait(const Copy& copy);

}  // namespace tilelab
