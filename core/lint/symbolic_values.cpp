// SPDX-License-Identifier: Apache-2.0
#include "core/lint/symbolic_values.h"

#include "core/ir/fold.h"

namespace tilelab {
namespace {

constexpr size_t kElements = 64;  // of memory that a value is made of; behind more it is lost

/// A value that is made of `part` as well.
void join(SymbolicValue& value, const SymbolicValue& part) {
  if (value.lost || part.lost) {
    value = ValueNumbering::lost();
    return;
  }
  if (part.made_of.empty()) return;
  std::vector<int> both;
  std::set_union(value.made_of.begin(), value.made_of.end(), part.made_of.begin(),
                 part.made_of.end(), std::back_inserter(both));
  value.made_of = std::move(both);
  if (value.made_of.size() > kElements) value = ValueNumbering::lost();
}

bool commutes(BinOp op) {
  switch (op) {
    case BinOp::add:
    case BinOp::mul:
    case BinOp::band:
    case BinOp::bor:
    case BinOp::bxor:
    case BinOp::eq:
    case BinOp::ne:
    case BinOp::land:
    case BinOp::lor: return true;
    default: return false;
  }
}

/// Whether a comparison holds of numbers that are `difference` apart.
bool holds(BinOp op, int64_t difference) {
  switch (op) {
    case BinOp::eq: return difference == 0;
    case BinOp::ne: return difference != 0;
    case BinOp::lt: return difference < 0;
    case BinOp::le: return difference <= 0;
    case BinOp::gt: return difference > 0;
    default: return difference >= 0;
  }
}

}  // namespace

SymbolicValue ValueNumbering::of(int64_t number) {
  SymbolicValue out;
  out.number = number;
  return out;
}

SymbolicValue ValueNumbering::lost() {
  SymbolicValue out;
  out.lost = true;
  return out;
}

int ValueNumbering::number_of(const std::string& text) {
  return unknowns_.emplace(text, static_cast<int>(unknowns_.size())).first->second;
}

SymbolicValue ValueNumbering::unknown(const std::string& text) {
  SymbolicValue out;
  out.unknowns.push_back({number_of(text), 1});
  return out;
}

std::string ValueNumbering::text(const SymbolicValue& value) {
  if (value.lost) return "?";
  std::string out = std::to_string(value.number);
  for (const auto& [unknown, factor] : value.unknowns)
    out += "+" + std::to_string(factor) + "#" + std::to_string(unknown);
  return out;
}

SymbolicValue ValueNumbering::element(Symbol buffer, const std::vector<SymbolicValue>& place) {
  SymbolicValue out = made("[" + std::to_string(buffer.id()), place, true);
  if (out.lost) return out;
  const SymbolicValue itself{0, {}, false, {out.unknowns[0].first}};
  join(out, itself);
  return out;
}

SymbolicValue ValueNumbering::made(const std::string& how, const std::vector<SymbolicValue>& parts,
                                   bool ordered) {
  std::vector<std::string> texts;
  SymbolicValue out;
  for (const SymbolicValue& part : parts) {
    join(out, part);
    if (out.lost) return out;
    texts.push_back(text(part));
  }
  if (!ordered) std::sort(texts.begin(), texts.end());
  std::string all = how;
  for (const std::string& each : texts) all += "," + each;
  out.unknowns.push_back({number_of(all), 1});
  return out;
}

SymbolicValue ValueNumbering::sum(const SymbolicValue& a, const SymbolicValue& b, int64_t factor) {
  SymbolicValue out = a;
  join(out, b);
  if (out.lost || factor == 0) return out;
  out.number += factor * b.number;
  for (const auto& [unknown, times] : b.unknowns) {
    auto at =
        std::lower_bound(out.unknowns.begin(), out.unknowns.end(), std::pair(unknown, INT64_MIN));
    if (at == out.unknowns.end() || at->first != unknown)
      out.unknowns.insert(at, {unknown, factor * times});
    else if ((at->second += factor * times) == 0)
      out.unknowns.erase(at);
  }
  return out;
}

SymbolicValue ValueNumbering::unary(const Un& node, const SymbolicValue& a) {
  if (is_integer(node.type.dtype) && node.op == UnOp::neg) return sum(of(0), a, -1);
  if (a.is_number() && node.op == UnOp::lnot) return of(a.number == 0);
  if (a.is_number() && is_integer(node.type.dtype) && node.op == UnOp::bnot) return of(~a.number);
  return made(tilelab::text(node.op), {a}, true);
}

SymbolicValue ValueNumbering::binary(const Bin& node, const SymbolicValue& a,
                                     const SymbolicValue& b) {
  const DType dtype = node.a->type.dtype;
  const bool numbers = a.is_number() && b.is_number();
  if (is_logical(node.op)) {
    const bool deciding = node.op == BinOp::lor;
    for (const SymbolicValue* side : {&a, &b})
      if (side->is_number() && (side->number != 0) == deciding) return of(deciding);
    if (numbers) return of(!deciding);
    if (a.is_number()) return b;
    if (b.is_number()) return a;
  } else if (is_compare(node.op) && !is_float(dtype)) {
    const SymbolicValue difference = sum(a, b, -1);
    if (difference.is_number()) return of(holds(node.op, difference.number));
  } else if (is_integer(dtype)) {
    if (numbers && !is_compare(node.op)) return of(fold_int(node.op, dtype, a.number, b.number));
    if (node.op == BinOp::add) return sum(a, b, 1);
    if (node.op == BinOp::sub) return sum(a, b, -1);
    if (node.op == BinOp::mul && a.is_number()) return sum(of(0), b, a.number);
    if (node.op == BinOp::mul && b.is_number()) return sum(of(0), a, b.number);
  }
  return made(
      tilelab::text(node.op) + std::string(name(dtype)) + std::to_string(static_cast<int>(node.op)),
      {a, b}, !commutes(node.op));
}

SymbolicValue ValueNumbering::cast(const Cast& node, const SymbolicValue& a) {
  const DType from = node.a->type.dtype, into = node.type.dtype;
  const bool whole = !is_float(from) && is_integer(into);
  if (whole && (!a.is_number() || (a.number >= min_int(into) && a.number <= max_int(into))))
    return a;
  return made("cast " + std::string(name(into)), {a}, true);
}

SymbolicValue ValueNumbering::select(const SymbolicValue& condition, const SymbolicValue& a,
                                     const SymbolicValue& b) {
  if (a.same(b)) return a;
  return made("?", {condition, a, b}, true);
}

SymbolicValue ValueNumbering::call(const Call& node, const std::vector<SymbolicValue>& arguments) {
  const bool integers =
      is_integer(node.type.dtype) &&
      std::all_of(arguments.begin(), arguments.end(), [](auto& a) { return a.is_number(); });
  switch (node.intrinsic) {
    case Intrinsic::uniform:
    case Intrinsic::guard: return arguments.at(0);
    case Intrinsic::minimum:
      if (integers) return of(std::min(arguments[0].number, arguments[1].number));
      break;
    case Intrinsic::maximum:
      if (integers) return of(std::max(arguments[0].number, arguments[1].number));
      break;
    case Intrinsic::ceildiv:
      if (integers && arguments[1].number > 0)
        return of(-floor_div(-arguments[0].number, arguments[1].number));
      break;
    default: break;
  }
  std::string how = info(node.intrinsic).name;
  how += " " + std::string(name(node.type.dtype));
  for (const Attr& attr : node.attrs)
    how += " " + attr.name.str() + std::to_string(attr.integer) + attr.string;
  const bool ordered = node.intrinsic != Intrinsic::minimum && node.intrinsic != Intrinsic::maximum;
  return made(how, arguments, ordered);
}

SymbolicValue ValueNumbering::vector(const Vec& node, const std::vector<SymbolicValue>& parts) {
  return made(tilelab::text(node.op), parts, true);
}

}  // namespace tilelab
