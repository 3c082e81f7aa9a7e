// SPDX-License-Identifier: Apache-2.0
// Kernel IR of thread or flat level -> ThreadImage.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "core/sim/program/compile.h"
#include "core/sim/thread/image.h"

namespace tilelab::sim {

struct ThreadOptions {
  int warp = 32;
  char target = 0;          // its letter in the tables
  bool proxies = false;     // the target's engines need fence_proxy
  bool init_fence = false;  // and init_fence before they use a barrier
  bool barriers_by_id = false, parts_use_barriers = false;  // as in ThreadImage
  bool flat = false;
  bool notes = true;           // report guards that were false
  bool watched = false;        // each check has its own statement and buffer
  bool uninitialized = false;  // watch registers of local arrays
  bool traced = false;         // statements are announced
  bool logged = false;         // stores to them go to a WriteLog
};

/// Throws CannotRun for IR that this level does not support.
ThreadImage compile_kernel(const Func& func, const Kernel& kernel, const ThreadOptions& options);

class ThreadCompiler : public BodyCompiler {
 public:
  ThreadCompiler(const Func& func, const Kernel& kernel, const ThreadOptions& options);
  ThreadImage finish();

 protected:
  Value load(const Load& node) override;
  Value region(const Region& node) override;
  void store(const Store& node) override;
  Value call(const Call& node, bool result) override;
  Value name(const Name& node) override;
  void other(const Stmt& node) override;
  bool safe_read(const Load& node) override;

 private:
  /// For each moved element: the register of its initialization mark.
  using Marks = std::vector<Reg>;
  /// The meaning of a buffer name: a memory, a local array, or barriers.
  struct BufferUse {
    Scope scope = Scope::local;
    DType dtype = DType::f32;
    int32_t number = 0;  // index of the memory, array or barrier
    std::vector<Expr> shape, strides;
    Symbol holds;  // the buffer whose elements these are
    Expr address;  // of a tensor at an address
    Symbol array;  // of a local view with elements of another size: its elements, as one row
  };
  /// An index in the form register + constant.
  struct Index {
    Reg reg = no_reg;
    Elem elem = Elem::i32;
    int64_t add = 0;
  };
  /// An element offset: register (kind elem) + constant.
  struct Offset {
    Index at;
    bool wide = false;
  };
  struct Place {
    Offset offset;
    int width = 1;        // elements of the slice, 1 without one
    int64_t step = 1;     // offset from one element of the slice to the next
    bool checked = true;  // each index has been checked against its extent
  };

  // thread/compile.cpp: declarations and structure
  void declare(const Buffer& buffer);
  void declare_global(const Buffer& buffer);
  void view(const View& view);
  void role(const Role& role);
  void record(const Record& record);
  const BufferUse& use(Symbol buffer, const Node& node) const;
  static Expr reach(const Buffer& buffer);
  std::vector<int64_t> constant_shape(const std::vector<Expr>& shape, const Node& node);

  // thread/access.cpp: addresses
  Index index(const Expr& e);
  Index index_of(Value v);
  Reg index_reg(const Index& i);
  Index scaled(const Index& i, int64_t by);
  Index sum(const Index& a, const Index& b);
  Index widened(const Index& i);
  void check_index(const Index& i, const Expr& extent, int width, const CheckSite& site);
  Place place(const BufferUse& buffer, const std::vector<RegionDim>& dims, const Node& node,
              bool write, bool vector = true, int run = 0);
  Place linear_place(const RegionDim& dim, const Node& node, bool vector);
  Index global_stride(const BufferUse& buffer, size_t dim);
  Reg address_of(const BufferUse& buffer);
  Index digits_offset(const Index& i, const Digits& digits);
  Value load_place(const BufferUse& buffer, const Place& place, bool store, const Value* value,
                   const Marks& marks = {});
  Value load_memory(const BufferUse& buffer, const std::vector<RegionDim>& dims, const Node& node);
  Value local(const BufferUse& buffer, const std::vector<RegionDim>& dims, const Node& node);
  void store_local(const BufferUse& buffer, const std::vector<RegionDim>& dims, const Value& v,
                   const Node& node, const Marks& marks);
  // thread/local_views.cpp: local views with elements of another size
  Symbol row_of(const BufferUse& array);
  Expr viewed(const BufferUse& view, const Expr& at) const;
  void store_viewed(const BufferUse& view, const Expr& at, const Expr& value, const Node& node);
  Value load_view(const BufferUse& view, const std::vector<RegionDim>& dims);
  void store_view(const BufferUse& view, const std::vector<RegionDim>& dims, const Value& v,
                  const Node& node);
  Index local_index(const BufferUse& buffer, const std::vector<RegionDim>& dims, bool write,
                    int* width);
  void log_local(const BufferUse& u, const Index& index, int width, bool write);
  void touch(int32_t array, int64_t first, int64_t n, bool written);

  // thread/written.cpp: uninitialized registers
  void watch_array(int32_t array);
  bool moves(const Store& node) const;
  bool moves(const Expr& value, Symbol to) const;
  void mark_written(int32_t array, int64_t first, int64_t n, const Marks& marks = {});
  void check_written(int32_t array, int64_t first, int64_t n);
  void mark_written_at(int32_t array, const Index& index, Reg mark = no_reg);
  void check_written_at(int32_t array, const Index& index);
  bool known_written(int32_t array, int64_t first, int64_t n) const;
  bool all_written(int32_t array);
  void watch_slices(const Call& node, const CallSite& site, bool before);

  // thread/calls.cpp: operands of intrinsics
  Operand operand(const Call& node, size_t i);
  void compare_uniform(const Call& node, const CallSite& site);
  void written_by(const Call& node, const CallSite& site);
  Operand value_operand(const Expr& e);
  Operand list_operand(const Expr& e);
  Operand slice_operand(const Expr& e);
  Operand rows_operand(const Call& node, const Expr& e);
  Operand region_operand(const Expr& e, int run);
  Operand element_operand(const Expr& e);
  Operand barrier_operand(const Expr& e);
  Operand map_operand(const Expr& e);
  int32_t box_table(const BufferUse& buffer, const std::vector<RegionDim>& dims,
                    std::vector<int64_t>* extents);
  void attributes(const Call& node, CallSite& site);
  void use_part(int64_t key, CallSite& site);
  void range_barrier(const Call& node, CallSite& site);
  void named_barriers(const Call& node, CallSite& site);  // thread/named.cpp
  Value leader(const Call& node);
  Value cp_async(const Call& node);
  Value emit_call(CallSite site, const Type& type, bool result, const Node& node);

  const Func& func_;
  const Kernel& kernel_;
  ThreadOptions options_;
  StatementTexts own_texts_;
  ThreadImage image_;
  std::unordered_map<Symbol, BufferUse> buffers_;
  std::unordered_map<Symbol, int32_t> maps_;
  std::vector<Symbol> map_buffers_;
  std::unordered_set<Symbol> async_names_;        // local buffers used by asynchronous operations
  std::unordered_set<int32_t> async_arrays_;      // and their arrays
  std::unordered_map<int32_t, int32_t> marks_;    // array -> its marks
  std::unordered_map<int32_t, uint32_t> writer_;  // array -> location of the last store so far
  std::unordered_map<int32_t, int64_t> unknown_;  // array -> an element not known to be written
  int32_t role_lo_ = 0, role_hi_ = 0;
  Marks* moved_ = nullptr;  // of the move that is being compiled
};

}  // namespace tilelab::sim
