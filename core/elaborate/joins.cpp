// SPDX-License-Identifier: Apache-2.0
// Joins of run-time control flow. The names that a branch or a loop binds become variables of the
// IR where all values that reach the join can be one dynamic value, as in the construction of
// SSA form: branches assign at their end, loops also before the first iteration. docs/ir.md states
// the rules.
#include <algorithm>
#include <cmath>

#include "core/elaborate/elaborator.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

/// The items, if all values are tuples of one length.
std::optional<size_t> common_length(const std::vector<Value>& values) {
  std::optional<size_t> length;
  for (const Value& value : values) {
    const Sequence* items = value.get<Sequence>();
    if (!items || items->is_list || items->items->size() != length.value_or(items->items->size()))
      return std::nullopt;
    length = items->items->size();
  }
  return length;
}

std::vector<Value> items_at(const std::vector<Value>& values, size_t i) {
  std::vector<Value> out;
  for (const Value& value : values) out.push_back((*value.get<Sequence>()->items)[i]);
  return out;
}

/// The dtype of a dynamic scalar; nullopt for vectors, barriers and other values.
std::optional<DType> runtime_dtype(const Value& value) {
  if (const VarValue* var = value.get<VarValue>()) return var->dtype;
  const Expr* expr = value.get<Expr>();
  if (!expr || !(*expr)->type.scalar() || as<Load>(*expr)) return std::nullopt;
  return (*expr)->type.dtype;
}

/// Whether a Python number is the same number in `dtype`. A float is a float32, also where the
/// exact value needs more digits.
bool is_exact(const Value& number, DType dtype) {
  if (number.is<bool>()) return dtype == DType::bool_;
  if (const auto* real = number.get<double>()) {
    if (!is_float(dtype)) return false;
    const auto kept = number_value(float_const(*real, dtype));
    return bits(dtype) >= 32 || std::isnan(*real) || (kept && *kept == *real);
  }
  const int64_t integer = *number.get<int64_t>();
  if (is_float(dtype)) {
    const auto kept = number_value(float_const(static_cast<double>(integer), dtype));
    return kept && *kept == static_cast<double>(integer) && std::abs(*kept) <= 0x1p53;
  }
  if (dtype == DType::bool_) return false;
  return dtype == DType::u64 ? integer >= 0
                             : integer >= min_int(dtype) && integer <= max_int(dtype);
}

/// The dtype of a variable for Python numbers alone.
std::optional<DType> dtype_of_numbers(const std::vector<Value>& numbers) {
  DType out = natural_dtype(numbers[0]);
  for (const Value& number : numbers) {
    const DType dtype = natural_dtype(number);
    if (is_float(dtype) || (!is_float(out) && bits(dtype) > bits(out))) out = dtype;
  }
  const auto fits = [&](const Value& number) {
    return is_exact(number, out) || (number.is<bool>() && !is_float(out));
  };
  return std::all_of(numbers.begin(), numbers.end(), fits) ? std::optional(out) : std::nullopt;
}

/// The dtype of a variable that can hold each of the values.
std::optional<DType> common_dtype(const std::vector<Value>& values) {
  std::optional<DType> out;
  for (const Value& value : values) {
    if (is_number(value)) continue;
    const auto dtype = runtime_dtype(value);
    if (!dtype || dtype != out.value_or(*dtype)) return std::nullopt;
    out = dtype;
  }
  if (!out) return dtype_of_numbers(values);
  const auto fits = [&](const Value& value) { return !is_number(value) || is_exact(value, *out); };
  return std::all_of(values.begin(), values.end(), fits) ? out : std::nullopt;
}

}  // namespace

/// Whether a value refers to nothing that a region declared which has ended, such as the variable
/// of a macro or the default of a function.
bool Elaborator::in_scope(const Value& value) const {
  return !any_part(value, [&](const Value& part) {
    if (const auto* var = part.get<VarValue>()) return !ir_.in_scope(var->name);
    if (const auto* buffer = part.get<BufferRef>()) return !ir_.in_scope((*buffer)->name);
    const Expr* expr = part.get<Expr>();
    if (!expr) return false;
    const auto names = names_in(**expr);
    return std::any_of(names.begin(), names.end(),
                       [&](const auto& name) { return !ir_.in_scope(name.first); });
  });
}

/// Whether a value of a region that certainly ran remains one after it, without a variable.
bool Elaborator::outlives_region(const Value& value) const {
  return is_compile_time(value) || (value.is<FunctionValue>() && in_scope(value));
}

/// Whether two values are one value or one object. Regions that have ended may have declared two
/// variables of one name.
bool Elaborator::same(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return false;
  if (a.is<HostRef>()) {
    const HostResult is = host_.binary(syntax::Op::is, a, b);
    return is.ok() && is.value.is<bool>() && *is.value.get<bool>();
  }
  if (const auto* x = a.get<Sequence>()) {
    const auto* y = b.get<Sequence>();
    const auto equal = [&](const Value& i, const Value& j) { return same(i, j); };
    return x->items == y->items || (!x->is_list && !y->is_list &&
                                    std::equal(x->items->begin(), x->items->end(),
                                               y->items->begin(), y->items->end(), equal));
  }
  return std::visit(
      [&](const auto& x) {
        using Type = std::remove_cvref_t<decltype(x)>;
        const Type& y = *b.get<Type>();
        if constexpr (std::is_same_v<Type, Expr>)
          return x.same(y) || (is_const(x) && is_const(y) && equal(x, y));
        else if constexpr (std::is_same_v<Type, VarValue>)
          return x.name == y.name && ir_.in_scope(x.name);
        else if constexpr (std::is_same_v<Type, DTypeValue>)
          return x.name == y.name;
        else if constexpr (std::is_same_v<Type, Dictionary>)
          return x.items == y.items;
        else if constexpr (std::is_same_v<Type, ObjectValue>)
          return x.attributes == y.attributes;
        else if constexpr (std::is_same_v<Type, FunctionValue>)
          return x.tree.same(y.tree) && x.frame == y.frame;
        else if constexpr (std::equality_comparable<Type>)
          return x == y;
        else
          return false;
      },
      a.data);
}

bool Elaborator::can_merge(const std::vector<Value>& values) {
  const auto one = [&](const Value& value) { return same(value, values[0]); };
  if (std::all_of(values.begin(), values.end(), one)) return true;
  if (const auto length = common_length(values)) {
    for (size_t i = 0; i < *length; ++i)
      if (!can_merge(items_at(values, i))) return false;
    return true;
  }
  return common_dtype(values).has_value();
}

/// The value after a join of paths that give `name` these values: a variable that each path assigns
/// at its end, or initializes if the path has no `end`.
Value Elaborator::merge(Symbol name, const std::vector<Value>& values,
                        const std::vector<Path*>& paths, Span span) {
  const auto one = [&](const Value& value) { return same(value, values[0]); };
  if (values.size() > 1 && std::all_of(values.begin(), values.end(), one)) return values[0];
  if (const auto length = common_length(values)) {
    std::vector<Value> items;
    for (size_t i = 0; i < *length; ++i)
      items.push_back(merge(name, items_at(values, i), paths, span));
    return tuple_of(std::move(items));
  }
  const Symbol joined = ir_.fresh(name == kResult ? Symbol("result") : name, true);
  const DType dtype = *common_dtype(values);
  Expr init;
  for (size_t i = 0; i < values.size(); ++i) {
    const Expr value = to_dtype(values[i], dtype, span);
    if (paths[i])
      paths[i]->end.push_back(at(span, tilelab::assign(joined, value)));
    else
      init = value;
  }
  emit(var(joined, dtype, init), span);
  return name_ref(joined, {dtype});
}

/// The binding of a name where paths join that bind it as in `reaching`; null: not at all. `ends`:
/// where a path can assign a variable; empty if the paths are not to be merged.
Binding Elaborator::joined(Symbol name, const std::vector<const Binding*>& reaching,
                           const std::vector<Path*>& ends) {
  std::vector<Value> values;
  const Binding* bound = nullptr;
  for (const Binding* one : reaching)
    if (one && !bound) bound = one;
  Binding out = *bound;
  out.region = ir_.region();
  out.read = {};
  for (const Binding* one : reaching) {
    if (one && (one->deleted.known() || one->value.poisoned())) {
      out = *one;
      out.region = ir_.region();
      return out;
    }
    if (one) values.push_back(one->value);
  }
  if (values.size() < reaching.size()) {
    out.paths = Binding::Paths::unbound;
    return out;
  }
  for (const Binding* one : reaching) {
    if (one->paths != Binding::Paths::agree) {
      out = *one;
      out.region = ir_.region();
      return out;
    }
  }
  const auto differs = [&](const Binding* one) { return !same(one->value, bound->value); };
  const auto other = std::find_if(reaching.begin(), reaching.end(), differs);
  const bool ends_inside =
      ends.size() == 1 && bound != frame_->find(name) && !outlives_region(bound->value);
  if (other == reaching.end() && !ends_inside) return out;
  if (!ends.empty() && (ends_inside ? can_carry(bound->value) : can_merge(values))) {
    out.value = merge(name, values, ends, bound->span);
    return out;
  }
  if (other == reaching.end()) {
    out.paths = Binding::Paths::unbound;
    return out;
  }
  const bool shadowed = bound->value.is<BufferRef>() != (*other)->value.is<BufferRef>();
  if (shadowed && bound->value.is<BufferRef>()) out = **other, out.region = ir_.region();
  out.paths = shadowed ? Binding::Paths::unbound : Binding::Paths::differ;
  out.other = std::make_shared<const Binding>(**other);
  return out;
}

// ---- branches

Elaborator::Path Elaborator::exec_branch(const syntax::Trees& body, Stmt& out) {
  Path path;
  ir_.open_block();
  frame_->open();
  const Flow flow = exec_block(body);
  path.reaches = flow == Flow::next || flow == Flow::continued;
  path.bound = frame_->close();
  out = ir_.close_block();
  return path;
}

bool Elaborator::is_carried(Symbol name) const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const Loop& loop) { return loop.variable(name) != nullptr; });
}

/// The join after the branches of `node`, before the branch itself is emitted.
void Elaborator::join_branches(std::vector<Path>& paths, const syntax::Node& node) {
  std::set<Symbol> done;
  for (const Path& source : paths)
    for (const auto& [name, binding] : source.bound) {
      if (!done.insert(name).second) continue;
      const bool live = name == kResult || frame_->liveness().after(node, name) || is_carried(name);
      Binding* outer = frame_->find(name);
      if (outer) end_with_region(*outer);
      std::vector<const Binding*> reaching;
      std::vector<Path*> ends;
      for (Path& path : paths) {
        if (!path.reaches) continue;
        const Binding* own = elaborate::find(path.bound, name);
        reaching.push_back(own ? own : outer);
        const bool stored = outer && outer->value.is<VarValue>();  // perhaps on this path
        ends.push_back(own || stored ? &path : nullptr);
        if (!own && outer && live) outer->read = outer->span;
      }
      if (reaching.empty()) continue;
      if (std::none_of(reaching.begin(), reaching.end(), [](auto* one) { return one; })) continue;
      Binding after = joined(name, reaching, live ? ends : std::vector<Path*>());
      frame_->bind(name, std::move(after));
    }
}

/// `if cond:` with these branches.
void Elaborator::emit_branches(Expr cond, const syntax::Trees& body, const syntax::Trees& orelse,
                               const syntax::Node& node) {
  Stmt stmts[2];
  std::vector<Path> paths;
  paths.push_back(exec_branch(body, stmts[0]));
  paths.push_back(exec_branch(orelse, stmts[1]));
  join_branches(paths, node);
  for (size_t i : {0, 1}) {
    paths[i].end.insert(paths[i].end.begin(), stmts[i]);
    stmts[i] = seq(std::move(paths[i].end));
  }
  if (to<Seq>(stmts[1]).stmts.empty()) stmts[1] = nullptr;
  emit(if_then(std::move(cond), std::move(stmts[0]), std::move(stmts[1])), node.span);
}

// ---- loops

static bool begins_before(const syntax::Node& one, const syntax::Node& other) {
  return std::pair(one.span.line, one.span.col) < std::pair(other.span.line, other.span.col);
}

/// Begins a dynamic loop: names that an iteration may read from the one before it become
/// variables.
void Elaborator::open_loop(const syntax::Node& node, bool parallel) {
  Loop loop{true, ir_.region(), parallel};
  for (const syntax::Node* place : bindings_in({syntax::Tree(&node)})) {
    Binding* outer = frame_->find(place->name);
    if (!outer) continue;
    end_with_region(*outer);
    loop.reads.emplace_back(place->name, std::exchange(outer->read, {}));
    const bool target = node.kind == syntax::Kind::for_ && begins_before(*place, node.part(1));
    const bool stored = outer->value.is<VarValue>() && !target;  // assignments store
    const bool carried = !parallel && outer->paths == Binding::Paths::agree &&
                         !outer->deleted.known() && !stored && can_carry(outer->value) &&
                         frame_->liveness().at_head(node, place->name);
    if (!carried || loop.variable(place->name)) continue;
    Value variable = merge(place->name, {outer->value}, {nullptr}, outer->span);
    loop.carried.push_back({place->name, std::move(variable), outer->span});
  }
  loop.depth = frame_->depth();
  frame_->open();
  for (const Carried& one : loop.carried)
    frame_->bind(one.name, {one.variable, ir_.region(), one.span});
  loops_.push_back(std::move(loop));
}

/// Whether a loop can keep such a value in variables.
bool Elaborator::can_carry(const Value& value) {
  if (const auto length = common_length({value})) {
    const auto& items = *value.get<Sequence>()->items;
    return std::all_of(items.begin(), items.end(), [&](const Value& i) { return can_carry(i); });
  }
  return common_dtype({value}).has_value();
}

/// The assignments that give the variables in `into` the value; false if they cannot hold it.
bool Elaborator::store_carried(const Value& into, const Value& value, Span span,
                               std::vector<std::pair<Symbol, Expr>>& out) {
  if (same(into, value)) return true;
  if (const auto length = common_length({into, value})) {
    for (size_t i = 0; i < *length; ++i)
      if (!store_carried(items_at({into}, i)[0], items_at({value}, i)[0], span, out)) return false;
    return true;
  }
  const Expr* var = into.get<Expr>();
  if (!var || common_dtype({into, value}) != (*var)->type.dtype) return false;
  out.emplace_back(to<Name>(*var).id, to_dtype(value, (*var)->type.dtype, span));
  return true;
}

/// At the end of an iteration, and before a break: assigns the variables of the innermost loop, all
/// at once.
void Elaborator::assign_carried(Span span) {
  std::vector<std::pair<Symbol, Expr>> values;
  for (const Carried& one : loops_.back().carried) {
    Binding* now = frame_->find(one.name);
    if (now->value.poisoned()) continue;
    if (now->paths == Binding::Paths::agree) {
      if (store_carried(one.variable, now->value, span, values)) continue;
      now->paths = Binding::Paths::differ;
      now->other = std::make_shared<const Binding>(Binding{one.variable, 0, one.span});
    }
    report_paths(one.name, now->span, *now);
  }
  for (auto& one : values) {
    const bool swapped = std::any_of(values.begin(), values.end(), [&](const auto& other) {
      return other.first != one.first && names_in(*one.second).count(other.first) > 0;
    });
    if (swapped) one.second = hoist(one.second, span);
  }
  for (auto& [into, value] : values) emit(tilelab::assign(into, std::move(value)), span);
}

/// A break of the innermost loop.
void Elaborator::leave_loop(Span span) {
  assign_carried(span);
  Loop& loop = loops_.back();
  loop.exits.push_back(frame_->bound_since(loop.depth));
  emit(make(Break{}), span);
}

/// The join after the innermost loop. `certain`: it has an iteration.
void Elaborator::close_loop(bool certain) {
  const Loop loop = std::move(loops_.back());
  loops_.pop_back();
  std::vector<Bindings> ends = loop.exits;
  ends.push_back(frame_->close());
  Bindings after;
  for (const Bindings& source : ends)
    for (const auto& [name, binding] : source) {
      if (elaborate::find(after, name)) continue;
      const Carried* carried = loop.variable(name);
      Value variable = carried && !binding.value.poisoned() ? carried->variable : Value{};
      after.emplace_back(name, carried ? Binding{std::move(variable), ir_.region(), carried->span}
                                       : after_loop(name, ends, certain));
    }
  for (const auto& [name, read] : loop.reads)
    if (Binding* outer = frame_->find(name); read.known()) outer->read = read;
  for (auto& [name, binding] : after) frame_->bind(name, std::move(binding));
}

/// The binding, after a loop, of a name that the loop has no variable for.
Binding Elaborator::after_loop(Symbol name, const std::vector<Bindings>& ends, bool certain) {
  Binding* outer = frame_->find(name);
  if (outer) end_with_region(*outer);
  std::vector<const Binding*> reaching;
  for (const Bindings& end : ends) {
    const Binding* own = elaborate::find(end, name);
    reaching.push_back(own ? own : outer);
  }
  const bool read = outer && outer->read.known();
  if (read || !certain || ends.size() > 1 || !outlives_region(reaching[0]->value))
    reaching.push_back(outer);
  Binding after = joined(name, reaching, {});
  if (read && after.paths == Binding::Paths::differ) report_paths(name, outer->read, after);
  return after;
}

std::string Elaborator::help_for_paths(Symbol name, const Value& a, const Value& b) const {
  if (a.is<BufferRef>() && b.is<BufferRef>())
    return "allocate one buffer with another dimension, and select a part by an index: `both[" +
           name.str() + ", i]`";
  const auto scalar = [](const Value& v) { return is_number(v) || v.is<Expr>(); };
  if (!scalar(a) || !scalar(b))
    return "use the name inside of each branch, or decide by a condition that Python evaluates";
  if (common_dtype({a, b}))
    return "loop with T.serial, whose iterations have an order, or keep the value in an element: "
           "T.atomic_add, T.reduce_sum";
  const Expr* typed = a.is<Expr>() ? a.get<Expr>() : b.get<Expr>();
  const DType dtype = typed ? (*typed)->type.dtype : DType::f32;
  return "make it a variable of one dtype before the block: `" + name.str() + " = T.alloc_var(\"" +
         std::string(tilelang_name(dtype)) + "\", init=...)`";
}

/// Reports a use of a name that has no single value; only once.
void Elaborator::report_paths(Symbol name, Span use, Binding& binding) {
  if (binding.paths == Binding::Paths::unbound) {
    out_of_region(name, use, binding);
  } else {
    Diagnostic& message = report(Diag::name_differs, use, name);
    for (const Binding* one : {&std::as_const(binding), binding.other.get()}) {
      const auto dtype = runtime_dtype(one->value);
      const std::string text =
          "here it is " +
          (dtype ? "a dynamic " + std::string(tilelang_name(*dtype)) : describe(one->value));
      one->span == use ? message.mark(text) : message.label(one->span, text);
    }
    message.help(help_for_paths(name, binding.value, binding.other->value));
  }
  binding.value = {};
  binding.paths = Binding::Paths::agree;
}

}  // namespace tilelab::elaborate
