// SPDX-License-Identifier: Apache-2.0
// Slices as vectors: stores such as `C[a:b] = A[a:b] + 1` become loops over elements. T.Ramp:
// negative lanes count from the end, individually (TileLang's rule).
#include <algorithm>

#include "core/elaborate/elaborator.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

int64_t extent_of(const RegionDim& dim) { return dim.extent; }
int64_t extent_of(const SliceDim& dim) { return int_value(dim.extent).value_or(1); }

/// Element `lane` of a region, row-major over the slices.
template <class Dim> std::vector<Expr> element_of(const std::vector<Dim>& dims, const Expr& lane) {
  int64_t below = 1, slices = 0;
  for (const Dim& d : dims) slices += d.point ? 0 : 1;
  std::vector<Expr> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = dims[d].lo;
    if (dims[d].point) continue;
    Expr digit = below == 1 ? lane : floordiv(lane, int_const(below));
    if (--slices > 0) digit = floormod(digit, int_const(extent_of(dims[d])));
    index[d] = offset_by(index[d], digit);
    below *= extent_of(dims[d]);
  }
  return index;
}

/// The element, with negative lanes of a T.Ramp counted from the end.
std::vector<Expr> wrapped(std::vector<Expr> index, const std::vector<SliceDim>& dims,
                          const BufferInfo& buffer) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!dims[d].ramp) continue;
    const DType dtype = index[d]->type.dtype;
    index[d] = select(lt(index[d], int_const(0, dtype)),
                      add(index[d], cast(dtype, buffer.shape[d])), index[d]);
  }
  return index;
}

/// One lane of a vector expression; null if it has no such form: for a lane that is not constant,
/// of a vector of separate values.
Expr lane_of(const Expr& e, const Expr& lane) {
  if (e->type.scalar()) return e;
  auto part = [&](const Expr& child) { return lane_of(child, lane); };
  Type type{e->type.dtype};
  switch (e->kind) {
    case Kind::Region: {
      const Region& r = to<Region>(e);
      return at(e->span, load(r.buffer, type.dtype, element_of(r.dims, lane)));
    }
    case Kind::Bin: {
      const Expr a = part(to<Bin>(e).a), b = part(to<Bin>(e).b);
      return a && b ? binary(to<Bin>(e).op, a, b) : nullptr;
    }
    case Kind::Un: {
      const Expr a = part(to<Un>(e).a);
      return a ? unary(to<Un>(e).op, a) : nullptr;
    }
    case Kind::Cast: {
      const Expr a = part(to<Cast>(e).a);
      return a ? cast(type.dtype, a) : nullptr;
    }
    case Kind::Select: {
      const Select& s = to<Select>(e);
      const Expr cond = part(s.cond), a = part(s.a), b = part(s.b);
      return cond && a && b ? select(cond, a, b) : nullptr;
    }
    case Kind::Call: {
      const Call& c = to<Call>(e);
      std::vector<Expr> args;
      for (const Expr& a : c.args) args.push_back(part(a));
      if (!std::all_of(args.begin(), args.end(), [](const Expr& a) { return bool(a); }))
        return nullptr;
      return call(c.intrinsic, type, std::move(args), c.attrs);
    }
    case Kind::Vec:
      if (to<Vec>(e).op == VecOp::broadcast) return to<Vec>(e).parts[0];  // a uniform value
      if (auto i = int_value(lane); i && to<Vec>(e).op == VecOp::concat)
        return to<Vec>(e).parts[static_cast<size_t>(*i)];
      return nullptr;
    default: return nullptr;
  }
}

/// The same bits as a vector, or scalar, with elements of another width: the element of the lowest
/// index is in the lowest bits.
Expr regrouped(const Expr& value, Type type) {
  const auto word = [](DType dtype) {
    switch (bits(dtype)) {
      case 8: return DType::u8;
      case 16: return DType::u16;
      case 32: return DType::u32;
      default: return DType::u64;
    }
  };
  const Type from = value->type;
  const DType narrow = word(from.dtype), wide = word(type.dtype);
  const int width = std::min(bits(narrow), bits(wide)),
            ratio = std::max(bits(narrow), bits(wide)) / width;
  const auto part = [&](int i) {
    const Expr lane = lane_of(value, int_const(i));
    return lane ? call(Intrinsic::bits, {narrow}, {lane}) : nullptr;
  };
  const auto moved = [&](BinOp op, const Expr& e, int k) {
    return k == 0 ? e : binary(op, e, int_const(int64_t{k} * width, e->type.dtype));
  };
  Vec all;
  all.op = VecOp::concat;
  all.type = type;
  for (int i = 0; i < type.lanes; ++i) {
    Expr word_bits;
    if (bits(wide) < bits(narrow)) {
      const Expr whole = part(i / ratio);
      if (whole) word_bits = cast(wide, moved(BinOp::shr, whole, i % ratio));
    } else {
      for (int k = 0; k < ratio; ++k) {
        const Expr one = part(i * ratio + k);
        if (!one) return nullptr;
        const Expr placed = moved(BinOp::shl, cast(wide, one), k);
        word_bits = word_bits ? binary(BinOp::bor, word_bits, placed) : placed;
      }
    }
    if (!word_bits) return nullptr;
    all.parts.push_back(call(Intrinsic::bits, {type.dtype}, {word_bits}));
  }
  if (type.scalar()) return all.parts[0];
  return Expr(make(std::move(all)));
}

}  // namespace

/// Whether an index may be negative, according to the ranges of its names.
bool Elaborator::may_be_negative(const Expr& index) const {
  const Linear sum = linear_of(index);
  if (sum.constant < 0) return true;
  for (const Linear::Term& term : sum.terms) {
    const Name* name = as<Name>(term.atom);
    if (term.coefficient < 0 || !name || signature_.find(name->id) || lets_.count(name->id) ||
        vars_.count(name->id) || below_zero_.count(name->id))
      return true;
  }
  return false;
}

/// A vector of elements; those with a negative index count from the end.
Expr Elaborator::ramp_of(const Operand& operand) {
  auto extents = extents_of(operand);
  if (!extents) return nullptr;
  int64_t lanes = 1;
  for (int64_t extent : *extents) lanes *= extent;
  Vec all;
  all.op = VecOp::concat;
  all.type = {operand.buffer->dtype, static_cast<int>(lanes)};
  for (int64_t i = 0; i < lanes; ++i) {
    std::vector<Expr> index = element_of(operand.dims, int_const(i));
    all.parts.push_back(load(operand.buffer->name, operand.buffer->dtype,
                             wrapped(std::move(index), operand.dims, *operand.buffer)));
  }
  return at(operand.span, Expr(make(std::move(all))));
}

/// A name for a vector: one let for each of its elements.
Value Elaborator::let_lanes(Symbol name, const Expr& value, Span span) {
  Vec all;
  all.op = VecOp::concat;
  all.type = value->type;
  for (int i = 0; i < value->type.lanes; ++i) {
    const Expr part = lane_of(value, int_const(i));
    if (!part) return value;
    all.parts.push_back(to_expr(let_value(name, part, span), span, value->type.dtype));
  }
  return at(span, Expr(make(std::move(all))));
}

/// T.extract_lane(vector, lane).
Value Elaborator::on_extract_lane(Arguments& args) {
  const Expr vector = to_expr(args["vector"].value, args["vector"].span);
  const auto lane = static_int(args["lane"].value, args["lane"].span, "the lane");
  if (!vector || !lane) return {};
  if (vector->type.scalar()) {
    report(Diag::operator_type, args.span, "T.extract_lane", tilelang_name(vector->type.dtype))
        .help("pass a vector, such as T.bfloat16x2(a, b) or an element of a buffer of vectors");
    return {};
  }
  if (*lane < 0 || *lane >= vector->type.lanes) {
    report(Diag::index_static, args["lane"].span,
           "lane " + std::to_string(*lane) + " of " + type_text(vector->type))
        .help("use lanes from 0 to " + std::to_string(vector->type.lanes - 1));
    return {};
  }
  const Expr part = lane_of(vector, int_const(*lane));
  return part ? Value(part) : Value{};
}

/// T.float16x2(a, b): a vector of values, or of one value; T.float16x2(v) converts a vector.
Value Elaborator::make_vector(const std::vector<Argument>& parts, Type type, Span span) {
  if (parts.size() == 1) {
    const Expr value = to_dtype(parts[0].value, type.dtype, parts[0].span);
    if (!value || value->type.lanes == type.lanes) return value ? Value(value) : Value{};
    if (value->type.scalar()) return broadcast(value, type.lanes);
  }
  int given = 0;
  Vec all;
  all.op = VecOp::concat;
  all.type = type;
  for (const Argument& part : parts) {
    const Expr value = to_dtype(part.value, type.dtype, part.span);
    if (!value) return {};
    given += value->type.lanes;
    for (int i = 0; i < value->type.lanes; ++i) {
      all.parts.push_back(lane_of(value, int_const(i)));
      if (!all.parts.back()) return {};
    }
  }
  if (given != type.lanes) {
    report(Diag::vector_lanes, span, given, type.lanes)
        .help("pass " + std::to_string(type.lanes) + " values, or one for all lanes: T." +
              type_text(type) + "(...)");
    return {};
  }
  return at(span, Expr(make(std::move(all))));
}

/// The same bits as another type of as many; null if the vector has no elements.
Expr reinterpreted(const Expr& value, Type type) {
  if (!value) return nullptr;
  if (value->type.lanes == type.lanes) return call(Intrinsic::bits, type, {value});
  return regrouped(value, type);
}

/// Separate values as a slice of memory of the thread, which one access can store.
Expr Elaborator::gathered(const std::vector<Expr>& values, Span span) {
  const DType dtype = values[0]->type.dtype;
  const auto count = static_cast<int64_t>(values.size());
  const BufferRef own = declare("words", Scope::local, dtype, {int_const(count)}, span);
  emit(buffer_stmt(*own), span);
  for (int64_t i = 0; i < count; ++i)
    emit(tilelab::store(own->name, {point(int_const(i))}, values[static_cast<size_t>(i)]), span);
  return region(own->name, dtype, {slice(int_const(0), count)});
}

/// Evaluates `value` completely before the first element is stored.
void Elaborator::store_lanes(const BufferRef& buffer, const std::vector<SliceDim>& dims,
                             int64_t lanes, const Expr& value, Span span, LoopMode mode) {
  auto place = [&](const Expr& lane) {
    std::vector<RegionDim> points;
    for (const Expr& i : wrapped(element_of(dims, lane), dims, *buffer)) points.push_back(point(i));
    return points;
  };
  if (!lane_of(value, int_const(0))) {
    report(Diag::expression_unsupported, span, "this vector as a value")
        .help("store element by element, in a loop");
    return;
  }
  const bool by_lane = !lane_of(value, name_ref("v"));  // each lane is a separate expression
  if (by_lane || reads(*value, buffer->name)) {
    std::vector<Expr> values;
    for (int64_t i = 0; i < lanes; ++i) values.push_back(hoist(lane_of(value, int_const(i)), span));
    if (mode == LoopMode::vec)
      return store_lanes(buffer, dims, lanes, gathered(values, span), span, mode);
    for (int64_t i = 0; i < lanes; ++i)
      emit(tilelab::store(buffer->name, place(int_const(i)), values[static_cast<size_t>(i)]), span);
    return;
  }
  ir_.open_block();
  Symbol var = ir_.fresh("v");
  emit(tilelab::store(buffer->name, place(name_ref(var)), lane_of(value, name_ref(var))), span);
  Stmt body = ir_.close_block();
  emit(for_loop(var, int_const(0), int_const(lanes), body, mode), span);
}

}  // namespace tilelab::elaborate
