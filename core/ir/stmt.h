// SPDX-License-Identifier: Apache-2.0
// Statements: declarations, structure, effects. Tile operations are in tile_op.h, host-only
// statements in func.h. Names are bound once per region; a variable that is reassigned is a Var.
#pragma once

#include <algorithm>

#include "core/ir/element_map.h"
#include "core/ir/enums.h"
#include "core/ir/expr.h"
#include "core/layout/digits.h"

namespace tilelab {

// ---- declarations: one line each in the text; in scope until the end of their Seq

/// Memory with a shape. Scopes:
///   global    a tensor parameter or a workspace; the shape may contain dims. In a kernel, with
///             `address`: a tensor in memory that no argument names (docs/ir.md)
///   shared    per block; `layout` gives address digits (elements), then `swizzle` on bytes
///   fragment  tile level: per block, distributed over threads by `layout`
///   local     thread level: private; `layout` is the map of the tile buffer that it implements
///             (text `of=frag(...)`), `shape` = [registers]
///   barrier   an array of barriers: count, unit, tx; `id` of the first
struct Buffer : Base<Buffer, Kind::Buffer, StmtNode> {
  Symbol name;
  Scope scope = Scope::local;
  DType dtype = DType::f32;
  Pairs pairs = Pairs::none;  // u8 (of i4: i8), global and shared: the lower half is the first
  bool pointers = false;      // parameters: the i64 elements are addresses of tensors
  bool aliased = false;  // parameters: other tensors that the kernel writes may share its memory
  bool evict_first = false;  // global: loads mark its cache lines as the first to evict
  std::vector<Expr> shape;
  std::vector<Expr> strides;  // elements; empty = row-major
  Expr address;               // i64, bytes: of a tensor that the kernel itself declares
  Layout layout;              // unknown until infer_layouts (or annotate_layout)
  Swizzle swizzle;
  ElementMap where;    // tile level: a map without a digit form; `layout` is then row-major
  int64_t at = -1;     // bytes into the shared arena; -1 = not planned yet
  Symbol ring;         // the ring whose stages are the leading dimension
  std::string origin;  // "A_s@1:8": the tile buffer or operation that it was created for
  Expr safe;           // value of a guarded out-of-bounds read; null = 0
  int64_t count = 0;   // barriers: arrivals per phase, in `unit`
  Unit unit = Unit::warp;
  bool tx = false;  // barriers: also counts bytes
  int64_t id = -1;  // barriers: first hardware id
  static void fields(auto&& f) {
    f("name", &Buffer::name), f("scope", &Buffer::scope), f("dtype", &Buffer::dtype);
    f("pairs", &Buffer::pairs), f("pointers", &Buffer::pointers), f("aliased", &Buffer::aliased);
    f("evict_first", &Buffer::evict_first);
    f("shape", &Buffer::shape), f("strides", &Buffer::strides), f("address", &Buffer::address);
    f("layout", &Buffer::layout);
    f("swizzle", &Buffer::swizzle), f("where", &Buffer::where), f("at", &Buffer::at);
    f("ring", &Buffer::ring);
    f("origin", &Buffer::origin), f("safe", &Buffer::safe), f("count", &Buffer::count);
    f("unit", &Buffer::unit), f("tx", &Buffer::tx), f("id", &Buffer::id);
  }
};

/// The buffer whose elements it holds: its origin, or itself. A copy between two buffers with the
/// same elements was inserted by a pass; the user wrote no such access.
inline Symbol holds(const Buffer& buffer) {
  const size_t end = buffer.origin.find('@');
  return end == std::string::npos ? buffer.name : Symbol(buffer.origin.substr(0, end));
}

/// Whether the statement declares memory of the block or its threads, which can be declared
/// earlier; a tensor at an address depends on values.
inline bool allocates(const Stmt& stmt) {
  const Buffer* buffer = as<Buffer>(stmt);
  return buffer && !buffer->address;
}

/// An alias of `buffer` with another shape or dtype (T.view, T.reshape); its layout is computed.
struct View : Base<View, Kind::View, StmtNode> {
  Symbol name, buffer;
  DType dtype = DType::f32;
  std::vector<Expr> shape;
  static constexpr const char* kCall = "view";
  static void fields(auto&& f) {
    f("name", &View::name, Is::bound), f("buffer", &View::buffer, Is::positional | Is::buffer);
    f("dtype", &View::dtype, Is::positional), f("shape", &View::shape, Is::positional);
  }
};

/// The protocol of a circular buffer with `stages` slots, filled by
///   tx     a copy engine that counts bytes  group  per-thread FIFO copies (cp.async)
///   arrive plain stores, then an arrival    store  plain stores in, a copy engine's store out
///   sync   plain stores, then a barrier of the threads that fill and use it
/// `bytes` per slot; `arrivals` of `unit` free a slot; `lag`: matrix groups between wait and
/// release.
struct Ring : Base<Ring, Kind::Ring, StmtNode> {
  Symbol name;
  int64_t stages = 1;
  RingFill fill = RingFill::tx;
  int64_t bytes = 0;
  Symbol producer, consumer;  // roles
  Unit unit = Unit::warp;
  int64_t arrivals = 0;
  int64_t lag = 0;
  static constexpr const char* kCall = "ring";
  static void fields(auto&& f) {
    f("name", &Ring::name, Is::bound), f("stages", &Ring::stages, Is::positional);
    f("fill", &Ring::fill, Is::always), f("bytes", &Ring::bytes, Is::always);
    f("producer", &Ring::producer, Is::always | Is::quoted);
    f("consumer", &Ring::consumer, Is::always | Is::quoted);
    f("unit", &Ring::unit, Is::always), f("arrivals", &Ring::arrivals, Is::always);
    f("lag", &Ring::lag);
  }
};

/// One mutable scalar per thread (per agent at tile level).
struct Var : Base<Var, Kind::Var, StmtNode> {
  Symbol name;
  DType dtype = DType::i32;
  Expr init;
  static constexpr const char* kCall = "var";
  static void fields(auto&& f) {
    f("name", &Var::name, Is::bound), f("dtype", &Var::dtype, Is::positional);
    f("init", &Var::init, Is::positional | Is::optional | Is::typed);
  }
};

// ---- structure

struct Seq : Base<Seq, Kind::Seq, StmtNode> {
  std::vector<Stmt> stmts;
  static void fields(auto&& f) { f("stmts", &Seq::stmts); }
};

/// An attribute of a Kernel: its blocks wait for each other, so all of them run at once.
inline constexpr const char* kResident = "resident";

/// One launch of `grid` blocks (x, y, z; zero extents are rejected) of `block` threads with `smem`
/// bytes of shared memory. `indices` name the block coordinates in `body` (x, y, z). `params` (flat
/// level): tensors, tensor maps and scalars in the parameter order of the generated function.
/// `attrs`: use_swizzle's panel and panel_order, min_blocks, cluster: the extents of a cluster of
/// blocks, kResident, entry: the kernel is that function of a `source`.
struct Kernel : Base<Kernel, Kind::Kernel, StmtNode> {
  Symbol name;
  std::vector<Expr> grid;
  int64_t block = 128;
  int64_t smem = -1;  // -1 = not planned yet
  std::vector<Symbol> indices;
  std::vector<Symbol> params;
  std::vector<Attr> attrs;
  Stmt body;
  /// Blocks that a processor must be able to run at once; each has that part of its registers.
  int64_t min_blocks() const {
    constexpr int64_t kMost = 65536;  // IR text may have any number
    const Attr* given = find_attr(attrs, "min_blocks");
    return given ? std::clamp<int64_t>(given->integer, 1, kMost) : 1;
  }
  static void fields(auto&& f) {
    f("name", &Kernel::name), f("grid", &Kernel::grid), f("block", &Kernel::block);
    f("smem", &Kernel::smem), f("indices", &Kernel::indices), f("params", &Kernel::params);
    f("attrs", &Kernel::attrs), f("body", &Kernel::body);
  }
};

/// Code of threads [lo, hi) of the block, concurrent with the other roles. Inside, `tid` and `warp`
/// count from the role's first thread, until flatten. `copies` > 1: that many agents, each with
/// separate cursors.
/// `regs` = register budget per thread, 0 = none.
struct Role : Base<Role, Kind::Role, StmtNode> {
  Symbol name;
  int64_t lo = 0, hi = 0;
  int64_t regs = 0, copies = 1;
  Stmt body;
  static void fields(auto&& f) {
    f("name", &Role::name), f("lo", &Role::lo), f("hi", &Role::hi), f("regs", &Role::regs);
    f("copies", &Role::copies), f("body", &Role::body);
  }
};

/// `for var in mode(lo, hi, step)`; bounds are evaluated once. unroll and vec need constant
/// extents. `steps` not empty: var takes these constants instead (always unrolled); lo = hi = 0,
/// step = 1. `stages` > 0: T.Pipelined, removed by schedule_pipelines. `vec` > 0: the number of
/// iterations that vectorize combines, starting from 0 with step 1. `attrs`: manual order and stage
/// of the pipeline, an unroll factor.
struct For : Base<For, Kind::For, StmtNode> {
  Symbol var;
  Expr lo, hi, step;
  LoopMode mode = LoopMode::serial;
  std::vector<int64_t> steps;
  int64_t stages = 0;
  int64_t vec = 0;
  std::vector<Attr> attrs;
  Stmt body;
  static void fields(auto&& f) {
    f("var", &For::var), f("lo", &For::lo), f("hi", &For::hi), f("step", &For::step);
    f("mode", &For::mode), f("steps", &For::steps), f("stages", &For::stages);
    f("vec", &For::vec), f("attrs", &For::attrs), f("body", &For::body);
  }
};

/// Persistent loop over the tiles of `domain`. `source`: stride (block index, then + `stride`) or
/// mailbox (tickets through `ring`, taken from `counter`). `order` maps a ticket to coordinates:
/// last_fastest, or grouped: the last coordinate in groups of `group`, within a group first, then
/// the other coordinates.
struct TileLoop : Base<TileLoop, Kind::TileLoop, StmtNode> {
  std::vector<Symbol> vars;
  std::vector<Expr> domain;
  TileSource source = TileSource::stride;
  Expr stride;
  Symbol ring, counter;
  TileOrder order = TileOrder::last_fastest;
  int64_t group = 0;
  Stmt body;
  static void fields(auto&& f) {
    f("vars", &TileLoop::vars), f("domain", &TileLoop::domain), f("source", &TileLoop::source);
    f("stride", &TileLoop::stride), f("ring", &TileLoop::ring);
    f("counter", &TileLoop::counter, Is::buffer | Is::updated), f("order", &TileLoop::order);
    f("group", &TileLoop::group), f("body", &TileLoop::body);
  }
};

struct While : Base<While, Kind::While, StmtNode> {
  Expr cond;
  Stmt body;
  static void fields(auto&& f) { f("cond", &While::cond), f("body", &While::body); }
};

struct If : Base<If, Kind::If, StmtNode> {
  Expr cond;
  Stmt then_, else_;  // else_ may be null
  static void fields(auto&& f) {
    f("cond", &If::cond), f("then", &If::then_), f("else", &If::else_);
  }
};

/// Exits the innermost loop; under divergence, only for the lanes that reach it.
struct Break : Base<Break, Kind::Break, StmtNode> {
  static void fields(auto&&) {}
};

/// Tile level: iterations in any order, without synchronization between them. infer_layouts sets
/// `layout` (iteration -> thread and register) and `vec`, elements per access. `by` async: its
/// single store, of elements of a tensor or zeros, becomes per-thread copies that complete in
/// groups. `attrs`: coalesced_width.
struct Parallel : Base<Parallel, Kind::Parallel, StmtNode> {
  std::vector<Symbol> vars;
  std::vector<Expr> extents;
  Layout layout;
  int64_t vec = 0;
  CopyBy by = CopyBy::unset;
  std::vector<Attr> attrs;
  Stmt body;
  static void fields(auto&& f) {
    f("vars", &Parallel::vars), f("extents", &Parallel::extents), f("layout", &Parallel::layout);
    f("vec", &Parallel::vec), f("by", &Parallel::by), f("attrs", &Parallel::attrs);
    f("body", &Parallel::body);
  }
};

// ---- effects

/// `name = value`, bound once. `value` may be a Call with effect (its result is bound).
struct Let : Base<Let, Kind::Let, StmtNode> {
  Symbol name;
  Expr value;
  static void fields(auto&& f) { f("name", &Let::name), f("value", &Let::value); }
};

struct Assign : Base<Assign, Kind::Assign, StmtNode> {
  Symbol name;  // of a Var
  Expr value;
  static void fields(auto&& f) { f("name", &Assign::name), f("value", &Assign::value); }
};

/// Evaluates `value`, then stores. A slice among `dims` makes it a vector store.
struct Store : Base<Store, Kind::Store, StmtNode> {
  Symbol buffer;
  std::vector<RegionDim> dims;
  Expr value;
  static void fields(auto&& f) {
    f("buffer", &Store::buffer, Is::buffer | Is::written), f("dims", &Store::dims),
        f("value", &Store::value);
  }
};

/// Calls an intrinsic for its effect.
struct Do : Base<Do, Kind::Do, StmtNode> {
  Expr call;
  static void fields(auto&& f) { f("call", &Do::call); }
};

/// The operation that a statement calls for its effect; null for other statements.
inline const Call* called(const Node& stmt) {
  const Do* d = as<Do>(&stmt);
  return d ? as<Call>(d->call) : nullptr;
}
inline const Call* called(const Stmt& stmt) { return stmt ? called(*stmt) : nullptr; }

}  // namespace tilelab
