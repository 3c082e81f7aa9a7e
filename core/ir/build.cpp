// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build.h"

#include <cmath>

#include "core/ir/fold.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"

namespace tilelab {

Expr constant(Type type, uint64_t bits) {
  Const c;
  c.type = type;
  c.bits = bits;
  return make(std::move(c));
}

Expr int_const(int64_t value, DType dtype) {
  return constant({dtype}, static_cast<uint64_t>(wrap_int(dtype, value)));
}
Expr float_const(double value, DType dtype) {
  return constant({dtype},
                  std::isinf(value) ? encode_float(dtype, value) : convert_float(dtype, value));
}
Expr bool_const(bool value) { return constant({DType::bool_}, value); }

Expr number(double value, DType dtype) {
  return is_float(dtype) ? float_const(value, dtype)
                         : int_const(static_cast<int64_t>(std::trunc(value)), dtype);
}

bool is_const(const Expr& expr) { return as<Const>(expr) != nullptr; }

std::optional<int64_t> int_value(const Expr& expr) {
  const Const* c = as<Const>(expr);
  if (!c || is_float(c->type.dtype) || !c->type.scalar()) return std::nullopt;
  return static_cast<int64_t>(c->bits);
}

std::optional<double> number_value(const Expr& expr) {
  const Const* c = as<Const>(expr);
  if (!c || !c->type.scalar()) return std::nullopt;
  if (is_float(c->type.dtype)) return decode_float(c->type.dtype, c->bits);
  if (c->type.dtype == DType::u64) return static_cast<double>(c->bits);
  return static_cast<double>(static_cast<int64_t>(c->bits));
}

Expr name_ref(Symbol id, Type type) {
  Name n;
  n.type = type;
  n.id = id;
  return make(std::move(n));
}

Expr unary(UnOp op, Expr a) {
  Un u;
  u.type = a->type;
  u.op = op;
  u.a = std::move(a);
  if (Expr folded = fold(u)) return folded;
  return make(std::move(u));
}

Expr binary(BinOp op, Expr a, Expr b) {
  CHECK(a->type.dtype == b->type.dtype, std::string("operands of ") + text(op) + ": " +
                                            to_string(a->type) + " and " + to_string(b->type));
  if (a->type.lanes < b->type.lanes) a = broadcast(a, b->type.lanes);
  if (b->type.lanes < a->type.lanes) b = broadcast(b, a->type.lanes);
  Bin n;
  n.op = op;
  n.type = is_compare(op) || is_logical(op) ? Type{DType::bool_, a->type.lanes} : a->type;
  n.a = std::move(a);
  n.b = std::move(b);
  if (Expr folded = fold(n)) return folded;
  return make(std::move(n));
}

Expr negated(const Expr& condition) {
  const Bin* bin = as<Bin>(condition);
  const bool exact = bin && is_compare(bin->op) && condition->type.scalar();
  const bool ordered = exact && !is_float(bin->a->type.dtype);
  auto compare = [&](BinOp op) { return at(condition->span, binary(op, bin->a, bin->b)); };
  if (exact && bin->op == BinOp::eq) return compare(BinOp::ne);
  if (exact && bin->op == BinOp::ne) return compare(BinOp::eq);
  if (ordered && bin->op == BinOp::lt) return compare(BinOp::ge);
  if (ordered && bin->op == BinOp::le) return compare(BinOp::gt);
  if (ordered && bin->op == BinOp::gt) return compare(BinOp::le);
  if (ordered && bin->op == BinOp::ge) return compare(BinOp::lt);
  return at(condition->span, unary(UnOp::lnot, condition));
}

Expr select(Expr cond, Expr a, Expr b) {
  CHECK(a->type.dtype == b->type.dtype, "arms of a select");
  if (auto c = int_value(cond)) return *c ? a : b;
  int lanes = std::max(a->type.lanes, b->type.lanes);
  Select s;
  s.a = broadcast(std::move(a), lanes);
  s.b = broadcast(std::move(b), lanes);
  s.type = s.a->type;
  s.cond = std::move(cond);
  return make(std::move(s));
}

Expr cast(DType dtype, Expr a) {
  if (a->type.dtype == dtype) return a;
  Cast c;
  c.type = {dtype, a->type.lanes};
  c.a = std::move(a);
  if (Expr folded = fold(c)) return folded;
  return make(std::move(c));
}

Expr load(Symbol buffer, DType dtype, std::vector<Expr> index) {
  Load l;
  l.type = {dtype};
  l.buffer = buffer;
  l.index = std::move(index);
  return make(std::move(l));
}
Expr load(const Buffer& buffer, std::vector<Expr> index) {
  CHECK(index.size() == buffer.shape.size(), "rank of " + buffer.name.str());
  return load(buffer.name, buffer.dtype, std::move(index));
}

Expr region(Symbol buffer, DType dtype, std::vector<RegionDim> dims) {
  Region r;
  r.buffer = buffer;
  r.dims = std::move(dims);
  r.type = {dtype, static_cast<int32_t>(elements(r))};
  return make(std::move(r));
}

Expr whole(const Buffer& buffer) {
  std::vector<RegionDim> dims;
  for (int64_t extent : const_shape(buffer)) dims.push_back(slice(int_const(0), extent));
  return region(buffer.name, buffer.dtype, std::move(dims));
}

Expr broadcast(Expr a, int lanes) {
  if (a->type.lanes == lanes) return a;
  CHECK(a->type.scalar(), "only a scalar is broadcast");
  Vec v;
  v.op = VecOp::broadcast;
  v.type = {a->type.dtype, lanes};
  v.parts = {std::move(a)};
  return make(std::move(v));
}

Expr call(Intrinsic intrinsic, Type type, std::vector<Expr> args, std::vector<Attr> attrs) {
  Call c;
  c.type = type;
  c.intrinsic = intrinsic;
  c.args = std::move(args);
  c.attrs = std::move(attrs);
  if (Expr folded = fold(c)) return folded;
  return make(std::move(c));
}

Expr list(std::vector<Expr> items) {
  Vec v;
  v.op = VecOp::list;
  v.type = {DType::i32, static_cast<int32_t>(items.size())};
  v.parts = std::move(items);
  return make(std::move(v));
}

Expr land(Expr a, Expr b) {
  if (!a) return b;
  if (!b) return a;
  return binary(BinOp::land, std::move(a), std::move(b));
}

Stmt seq(std::vector<Stmt> stmts) {
  Seq s;
  for (Stmt& stmt : stmts) {
    if (!stmt) continue;
    if (const Seq* inner = as<Seq>(stmt))
      s.stmts.insert(s.stmts.end(), inner->stmts.begin(), inner->stmts.end());
    else
      s.stmts.push_back(std::move(stmt));
  }
  return make(std::move(s));
}

Buffer new_buffer(Symbol name, Scope scope, DType dtype, std::vector<Expr> shape) {
  Buffer b;
  b.name = name, b.scope = scope, b.dtype = dtype;
  b.shape = std::move(shape);
  return b;
}

Buffer new_buffer(Symbol name, Scope scope, DType dtype, const std::vector<int64_t>& extents) {
  std::vector<Expr> shape;
  for (int64_t extent : extents) shape.push_back(int_const(extent));
  return new_buffer(name, scope, dtype, std::move(shape));
}

Stmt let(Symbol name, Expr value) { return make(Let{{}, name, std::move(value)}); }

Stmt var(Symbol name, DType dtype, Expr init) {
  return make(Var{{}, name, dtype, std::move(init)});
}

Stmt assign(Symbol name, Expr value) { return make(Assign{{}, name, std::move(value)}); }

Stmt while_loop(Expr cond, Stmt body) { return make(While{{}, std::move(cond), std::move(body)}); }

Stmt store(Symbol buffer, std::vector<RegionDim> dims, Expr value) {
  return make(Store{{}, buffer, std::move(dims), std::move(value)});
}

Stmt store(const Buffer& buffer, std::vector<Expr> index, Expr value) {
  CHECK(value->type.dtype == buffer.dtype, "a store converts nothing: " + buffer.name.str());
  std::vector<RegionDim> dims;
  for (Expr& i : index) dims.push_back(point(std::move(i)));
  return store(buffer.name, std::move(dims), std::move(value));
}

Stmt if_then(Expr cond, Stmt then_, Stmt else_) {
  return make(If{{}, std::move(cond), std::move(then_), std::move(else_)});
}

Stmt for_loop(Symbol var, Expr lo, Expr hi, Stmt body, LoopMode mode) {
  For s;
  s.var = var;
  s.lo = std::move(lo);
  s.hi = std::move(hi);
  s.step = int_const(1, s.lo->type.dtype);
  s.mode = mode;
  s.body = std::move(body);
  return make(std::move(s));
}

Stmt do_call(Intrinsic intrinsic, std::vector<Expr> args, std::vector<Attr> attrs) {
  return make(Do{{}, call(intrinsic, {}, std::move(args), std::move(attrs))});
}

namespace {

/// Shared nodes are immutable. A new node with a single reference may still be assigned a span.
template <class Base> Ref<const Base> with_span(Span span, const Ref<const Base>& node) {
  if (node->span.known() || !span.known()) return node;
  if (node->refs.load(std::memory_order_relaxed) == 1) {
    const_cast<Base*>(node.get())->span = span;
    return node;
  }
  return visit(*node, [&](const auto& n) -> Ref<const Base> {
    using T = std::remove_cvref_t<decltype(n)>;
    if constexpr (std::is_same_v<typename T::NodeBase, Base>) {
      T copy(n);
      copy.span = span;
      return make(std::move(copy));
    }
    UNREACHABLE("a node of another group");
  });
}

}  // namespace

Expr at(Span span, Expr expr) { return with_span(span, expr); }
Stmt at(Span span, Stmt stmt) { return stmt ? with_span(span, stmt) : stmt; }

Stmt on_line(const Span& span, const Stmt& body) {
  const Seq* list = as<Seq>(body);
  if (!list) return at(span, body);
  std::vector<Stmt> out;
  for (const Stmt& each : list->stmts) out.push_back(at(span, each));
  return seq(std::move(out));
}

std::vector<int64_t> const_shape(const Buffer& buffer) {
  std::vector<int64_t> shape;
  for (const Expr& extent : buffer.shape) {
    auto value = int_value(extent);
    CHECK(value, "shape of " + buffer.name.str() + " is not constant");
    shape.push_back(*value);
  }
  return shape;
}

int64_t allocated_elements(const Buffer& buffer) {
  if (buffer.scope == Scope::shared && buffer.where.known()) return buffer.where.extents[0];
  if (buffer.scope == Scope::shared && buffer.layout.known()) {
    const int64_t end = extent(buffer.layout, 'a');
    if (!buffer.swizzle.known()) return end;
    // The swizzle also permutes the last granules with addresses past the end.
    const int64_t span = int64_t{buffer.swizzle.granule} * (buffer.swizzle.mask + 1) * 8;
    const int64_t together = std::max<int64_t>(1, span / bits(buffer.dtype));
    return (end + together - 1) / together * together;
  }
  int64_t count = 1;
  for (int64_t extent : const_shape(buffer)) count *= extent;
  return count;
}

int64_t allocated_bytes(const Buffer& buffer) {
  return (allocated_elements(buffer) * bits(buffer.dtype) + 7) / 8;
}

int64_t elements(const Region& region) {
  int64_t n = 1;
  for (const RegionDim& d : region.dims)
    if (!d.point) n *= d.extent;
  return n;
}

}  // namespace tilelab
