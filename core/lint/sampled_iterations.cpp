// SPDX-License-Identifier: Apache-2.0
#include "core/lint/sampled_iterations.h"

#include <utility>

#include "core/ir/build.h"

namespace tilelab {
namespace {

constexpr size_t kIterationsRun = 1024;
constexpr size_t kAccessesKept = 16384;
constexpr size_t kStatementsRun = 16384;  // so that long bodies and loops in loops take no time
constexpr int64_t kMostTurns = 6;         // of a loop inside, and the last; of loops in it one
constexpr int64_t kUnknownExtent = 64;    // of a T.Parallel: a call may bring as many
constexpr int64_t kMostElements = 16;     // of a slice

/// `count` values below `extent`, in order: the first, the last, and some from each quarter on.
std::vector<int64_t> spread(int64_t extent, int64_t count) {
  std::vector<int64_t> out;
  if (extent <= count) {
    for (int64_t i = 0; i < extent; ++i) out.push_back(i);
    return out;
  }
  std::set<int64_t> chosen;
  const int64_t part = std::max<int64_t>(count / 8, 1);
  for (int64_t i = 0; i < std::max<int64_t>(count / 4, 2); ++i)
    chosen.insert(i), chosen.insert(extent - 1 - i);
  for (int64_t quarter = 1; quarter < 4; ++quarter)
    for (int64_t i = 0; i < part; ++i)
      chosen.insert(std::min(extent * quarter / 4 + i, extent - 1));
  return {chosen.begin(), chosen.end()};
}

bool has_effect(const Call& call) {
  const IntrinsicInfo& row = info(call.intrinsic);
  if (row.step != Step::none || row.async != Async::none) return true;
  for (size_t i = 0; i < call.args.size(); ++i)
    if (const OperandInfo* operand = operand_info(call.intrinsic, i);
        operand && operand->is_place())
      return true;
  return false;
}

}  // namespace

Iterations::Iterations(const Parallel& loop, const KnownNames& names,
                       const std::set<Symbol>& followed, const std::set<Symbol>& own,
                       ValueNumbering& values)
    : outer_(names), followed_(followed), own_(own), values_(values) {
  choose(loop);
  for (size_t i = 0;
       i < points.size() && accesses.size() < kAccessesKept && statements_ < kStatementsRun; ++i) {
    names_.clear(), where_.clear();
    for (size_t v = 0; v < loop.vars.size(); ++v)
      names_[loop.vars[v]] = ValueNumbering::of(points[i][v]);
    const size_t first = accesses.size();
    visit(loop.body);
    for (size_t a = first; a < accesses.size(); ++a) accesses[a].iteration = i;
  }
}

static const std::set<Symbol> kNone;

Iterations::Iterations(const KnownNames& names, ValueNumbering& values)
    : outer_(names), followed_(kNone), own_(kNone), values_(values) {}

/// All iterations of a small loop, of a larger one some at the ends and in between.
void Iterations::choose(const Parallel& loop) {
  std::vector<int64_t> extents, counts;
  for (const Expr& extent : loop.extents) {
    const SymbolicValue known = value(extent);
    extents.push_back(known.is_number() ? std::max<int64_t>(known.number, 0) : kUnknownExtent);
    counts.push_back(std::min<int64_t>(extents.back(), kIterationsRun));
  }
  auto product = [&] {
    size_t out = 1;
    for (int64_t count : counts) out *= static_cast<size_t>(std::max<int64_t>(count, 1));
    return out;
  };
  while (product() > kIterationsRun) *std::max_element(counts.begin(), counts.end()) /= 2;
  points.push_back({});
  for (size_t v = 0; v < extents.size(); ++v) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto& point : points)
      for (int64_t i : spread(extents[v], counts[v])) {
        longer.push_back(point);
        longer.back().push_back(i);
      }
    points = std::move(longer);
  }
}

void Iterations::visit(const Stmt& stmt) {
  if (!stmt || ++statements_ > kStatementsRun) return;
  if (const Let* let = as<Let>(stmt)) {
    names_[let->name] = value(let->value);
    return;
  }
  if (const Var* var = as<Var>(stmt)) {
    names_[var->name] = var->init ? value(var->init) : ValueNumbering::lost();
    return;
  }
  if (const Assign* assign = as<Assign>(stmt)) {
    const SymbolicValue to = value(assign->value);
    names_[assign->name] = where_.empty() ? to : ValueNumbering::lost();
    return;
  }
  if (const Store* one = as<Store>(stmt)) return store(*one);
  if (const If* branch = as<If>(stmt)) return branches(*branch);
  if (const For* loop = as<For>(stmt)) return turns(*loop);
  for_each_child(
      *stmt, [&](const Expr& e) { value(e); }, [&](const Stmt& s) { visit(s); });
}

void Iterations::branches(const If& branch) {
  const SymbolicValue condition = value(branch.cond);
  if (condition.is_number()) return visit(condition.number != 0 ? branch.then_ : branch.else_);
  const size_t before = where_.size();
  for (bool negated : {false, true}) {
    assume(branch.cond, negated);
    visit(negated ? branch.else_ : branch.then_);
    where_.resize(before);
  }
}

void Iterations::turns(const For& loop) {
  std::vector<int64_t> steps = loop.steps;
  bool all = true;
  if (steps.empty()) {
    const SymbolicValue lo = value(loop.lo), hi = value(loop.hi), step = value(loop.step);
    if (!lo.is_number()) {
      forget_assigned(loop.body);
      names_[loop.var] = lo;
      visit(loop.body);
      return forget_assigned(loop.body);
    }
    const int64_t by = step.is_number() ? step.number : 0;
    const int64_t count =
        hi.is_number() && by != 0 ? (hi.number - lo.number + by - (by > 0 ? 1 : -1)) / by : 1;
    if (count <= 0) return;
    const int64_t most = depth_ > 0 ? 1 : kMostTurns;
    for (int64_t i = 0; i < std::min(count, most); ++i) steps.push_back(lo.number + i * by);
    if (count > most) steps.push_back(lo.number + (count - 1) * by);
    all = hi.is_number() && by != 0 && count <= most;
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!all && i + 1 == steps.size() && i > 0) forget_assigned(loop.body);
    names_[loop.var] = ValueNumbering::of(steps[i]);
    ++depth_;
    visit(loop.body);
    --depth_;
  }
  if (!all) forget_assigned(loop.body);
}

void Iterations::forget_assigned(const Stmt& body) {
  walk(*body, [&](const Node& node) {
    if (const Assign* assign = as<Assign>(&node)) names_[assign->name] = ValueNumbering::lost();
    return group(node.kind) != Group::expr;
  });
}

std::vector<SymbolicValue> Iterations::place_of(const std::vector<RegionDim>& dims,
                                                std::vector<int64_t>& box) {
  std::vector<SymbolicValue> place;
  for (const RegionDim& dim : dims) {
    place.push_back(value(dim.lo));
    box.push_back(dim.extent);
  }
  return place;
}

void Iterations::keep(const Node& by, Symbol buffer, std::vector<SymbolicValue> place,
                      const std::vector<int64_t>& box, const SymbolicValue* stored) {
  if (quiet_ || !followed_.count(buffer)) return;
  const auto several = std::find_if(box.begin(), box.end(), [](int64_t n) { return n != 1; });
  const size_t dim = static_cast<size_t>(several - box.begin());
  if (several != box.end() && std::any_of(several + 1, box.end(), [](int64_t n) { return n != 1; }))
    return;
  const int64_t count = several == box.end() ? 1 : std::min(*several, kMostElements);
  for (int64_t i = 0; i < count; ++i) {
    IterationAccess access;
    access.by = &by, access.span = by.span, access.buffer = buffer, access.where = where_;
    access.place = place, access.write = stored != nullptr;
    if (stored) {
      access.value = count == 1 ? *stored : ValueNumbering::lost();
      const SymbolicValue there = values_.element(buffer, place);
      access.updates = !there.lost && stored->uses(there.unknowns[0].first);
    }
    accesses.push_back(std::move(access));
    if (dim < place.size()) ++place[dim].number;
  }
}

void Iterations::store(const Store& store) {
  const SymbolicValue stored = value(store.value);
  std::vector<int64_t> box;
  std::vector<SymbolicValue> place = place_of(store.dims, box);
  const size_t first = accesses.size();
  const bool added = followed_.count(store.buffer) && adds(store, place);
  keep(store, store.buffer, std::move(place), box, &stored);
  if (accesses.size() == first + 1) accesses.back().adds = added;
}

/// Whether the store is of the element itself and something else, in any order of several such.
bool Iterations::adds(const Store& store, const std::vector<SymbolicValue>& place) {
  Expr stored = store.value;
  while (const Cast* cast = as<Cast>(stored)) stored = cast->a;
  std::vector<Expr> parts;
  if (const Bin* bin = as<Bin>(stored)) {
    const bool ordered = bin->op == BinOp::sub;
    if (bin->op == BinOp::add || ordered || bin->op == BinOp::bor || bin->op == BinOp::band ||
        bin->op == BinOp::bxor)
      parts = ordered ? std::vector<Expr>{bin->a} : std::vector<Expr>{bin->a, bin->b};
  } else if (const Call* call = as<Call>(stored)) {
    if (call->intrinsic == Intrinsic::minimum || call->intrinsic == Intrinsic::maximum)
      parts = call->args;
  }
  const SymbolicValue there = values_.element(store.buffer, place);
  const bool before = std::exchange(quiet_, true);
  const bool found = std::any_of(parts.begin(), parts.end(), [&](Expr part) {
    while (const Cast* cast = as<Cast>(part)) part = cast->a;
    return value(part).same(there);
  });
  quiet_ = before;
  return found;
}

// ---- expressions

SymbolicValue Iterations::value(const Expr& expr) {
  if (!expr) return ValueNumbering::lost();
  if (const Const* number = as<Const>(expr)) {
    if (const auto known = int_value(expr)) return ValueNumbering::of(*known);
    return values_.unknown("c" + std::to_string(number->bits));
  }
  if (const Name* name = as<Name>(expr)) {
    for (const KnownNames* names : {static_cast<const KnownNames*>(&names_), &outer_})
      if (auto found = names->find(name->id); found != names->end()) return found->second;
    return values_.unknown(name->id.str());
  }
  if (const Load* one = as<Load>(expr)) return load(*one);
  if (const Region* some = as<Region>(expr)) return region(*some);
  if (const Un* un = as<Un>(expr)) return values_.unary(*un, value(un->a));
  if (const Bin* bin = as<Bin>(expr)) {
    if (is_logical(bin->op)) return logical(*bin);
    const SymbolicValue a = value(bin->a), b = value(bin->b);
    return values_.binary(*bin, a, b);
  }
  if (const Cast* cast = as<Cast>(expr)) return values_.cast(*cast, value(cast->a));
  if (const Select* choice = as<Select>(expr)) return select(*choice);
  if (const Call* function = as<Call>(expr)) return call(*function);
  std::vector<SymbolicValue> parts;
  for_each_child(
      *expr, [&](const Expr& e) { parts.push_back(value(e)); }, [](const Stmt&) {});
  const Vec* vector = as<Vec>(expr);
  return vector ? values_.vector(*vector, parts) : ValueNumbering::lost();
}

SymbolicValue Iterations::load(const Load& load) {
  std::vector<SymbolicValue> place;
  for (const Expr& index : load.index) place.push_back(value(index));
  keep(load, load.buffer, place, std::vector<int64_t>(place.size(), 1), nullptr);
  return own_.count(load.buffer) ? ValueNumbering::lost() : values_.element(load.buffer, place);
}

SymbolicValue Iterations::region(const Region& region) {
  std::vector<int64_t> box;
  std::vector<SymbolicValue> place = place_of(region.dims, box);
  keep(region, region.buffer, std::move(place), box, nullptr);
  return ValueNumbering::lost();
}

/// The right side counts where the left one does not decide.
SymbolicValue Iterations::logical(const Bin& bin) {
  const SymbolicValue a = value(bin.a);
  if (a.is_number() && (a.number != 0) == (bin.op == BinOp::lor)) return a;
  const size_t before = where_.size();
  if (!a.is_number()) assume(bin.a, bin.op == BinOp::lor);
  const SymbolicValue b = value(bin.b);
  where_.resize(before);
  return values_.binary(bin, a, b);
}

SymbolicValue Iterations::select(const Select& choice) {
  const SymbolicValue condition = value(choice.cond);
  if (condition.is_number()) return value(condition.number != 0 ? choice.a : choice.b);
  const size_t before = where_.size();
  assume(choice.cond, false);
  const SymbolicValue a = value(choice.a);
  where_.resize(before);
  assume(choice.cond, true);
  const SymbolicValue b = value(choice.b);
  where_.resize(before);
  return values_.select(condition, a, b);
}

SymbolicValue Iterations::call(const Call& call) {
  std::vector<SymbolicValue> arguments;
  const bool effect = has_effect(call);
  for (const Expr& argument : call.args)
    if (const Region* place = as<Region>(argument); place && effect)
      for (const RegionDim& dim : place->dims) value(dim.lo);
    else
      arguments.push_back(value(argument));
  return effect ? ValueNumbering::lost() : values_.call(call, arguments);
}

void Iterations::assume(const Expr& condition, bool negated) {
  if (const Un* un = as<Un>(condition); un && un->op == UnOp::lnot) return assume(un->a, !negated);
  const Bin* bin = as<Bin>(condition);
  if (bin && bin->op == (negated ? BinOp::lor : BinOp::land))
    return assume(bin->a, negated), assume(bin->b, negated);
  const bool before = std::exchange(quiet_, true);
  const SymbolicValue truth = value(condition);
  if (bin && is_compare(bin->op) && is_integer(bin->a->type.dtype) && !truth.is_number()) {
    const SymbolicValue difference = ValueNumbering::sum(value(bin->b), value(bin->a), -1);
    static constexpr std::pair<BinOp, BinOp> kNegated[] = {
        {BinOp::eq, BinOp::ne}, {BinOp::ne, BinOp::eq}, {BinOp::lt, BinOp::ge},
        {BinOp::ge, BinOp::lt}, {BinOp::le, BinOp::gt}, {BinOp::gt, BinOp::le}};
    BinOp op = bin->op;
    for (const auto& [one, other] : kNegated)
      if (negated && bin->op == one) op = other;
    assume_comparison(op, difference);
  } else if (!truth.is_number()) {
    where_.push_back({truth, false, !negated});
  }
  quiet_ = before;
}

/// `difference`: the right side less the left one.
void Iterations::assume_comparison(BinOp op, const SymbolicValue& difference) {
  auto at_least_0 = [&](int64_t factor, int64_t constant) {
    SymbolicValue slack = ValueNumbering::sum(ValueNumbering::of(constant), difference, factor);
    where_.push_back({std::move(slack), true, true});
  };
  switch (op) {
    case BinOp::lt: return at_least_0(1, -1);
    case BinOp::le: return at_least_0(1, 0);
    case BinOp::gt: return at_least_0(-1, -1);
    case BinOp::ge: return at_least_0(-1, 0);
    case BinOp::eq: return at_least_0(1, 0), at_least_0(-1, 0);
    default: where_.push_back({difference, false, true});  // is not 0
  }
}

}  // namespace tilelab
