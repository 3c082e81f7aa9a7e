// SPDX-License-Identifier: Apache-2.0
// Assignment semantics. TileLang's rules: assigning to a variable (alloc_var) stores; a
// compile-time Python value is rebound; a kernel expression is bound once by a let.
#include <algorithm>
#include <cmath>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/foreign.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/objects.h"
#include "core/elaborate/rewrites/named_barriers.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

void Elaborator::emit(Stmt stmt, Span span) {
  if (!reducers_.empty()) reducers_.follow(*stmt, span, here());
  ir_.append(std::move(stmt), span);
}

bool Elaborator::need_kernel(Span span, std::string_view what) {
  if (in_kernel_ || stopped_) return true;
  report(Diag::outside_kernel, span, what).help("put it under `with T.Kernel(...) as ...:`");
  return false;
}

/// An operation that threads execute together, not iterations.
bool Elaborator::need_threads(const Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return false;
  if (parallel_ == 0) return true;
  report(Diag::parallel_tile_op, args.span, "T." + args.row->name)
      .help("move it out of the loop: it applies to threads, not to iterations");
  return false;
}

/// A barrier of all threads, which resolve_thread_barriers rejects where only some reach it.
Stmt Elaborator::barrier_of_block() const {
  const auto& threads = kernel_frame_.threads;
  return do_call(Intrinsic::block_sync, {},
                 {attr("mem", "all"), attr(kBarrierThreads, threads[0] * threads[1] * threads[2])});
}

// ---- names

Binding* Elaborator::find(Symbol name) {
  for (Frame* frame = frame_.get(); frame; frame = frame->parent.get())
    if (Binding* binding = frame->find(name)) return binding;
  return nullptr;
}

/// Immutable names are aliases; no let is needed.
bool Elaborator::is_alias(const Expr& expr) const {
  const Name* name = as<Name>(expr);
  const Load* load = as<Load>(expr);
  const BufferRef memory = load ? buffer_named(load->buffer) : nullptr;
  if (memory && memory->scope == Scope::barrier) return true;  // an element of an array
  return is_const(expr) || (name && !vars_.count(name->id));
}

bool Elaborator::reads_var(const Expr& expr) const { return mentions_any(*expr, vars_); }

bool Elaborator::reads_memory(const Expr& expr) const {
  return tilelab::contains<Load, Region>(*expr);
}

/// Binds a value to an IR name: a constant or a name as itself, anything else by a let.
Value Elaborator::let_value(Symbol name, Expr value, Span span) {
  if (auto i = int_value(value); i && value->type.dtype == DType::i32) return *i;
  if (!in_kernel_ || is_alias(value)) return value;
  if (!value->type.scalar()) return let_lanes(name, value, span);
  Symbol id = ir_.fresh(name);
  lets_[id] = value;
  Type type = value->type;
  emit(let(id, std::move(value)), span);
  return name_ref(id, type);
}

void Elaborator::put(Symbol name, Value value, Span span) {
  frame_->bind(name, {std::move(value), ir_.region(), span});
}

/// Whether a kernel value shadows the name of a buffer: `C = A[i] + B[i]` instead of `C[i] = ...`.
/// A later read of the name as a value retracts the error.
bool Elaborator::shadows_buffer(const Binding& old, Symbol name, const Value& value, Span span) {
  const BufferRef* buffer = old.value.get<BufferRef>();
  const Expr* expr = value.get<Expr>();
  if (!buffer || (*buffer)->variable || !expr || !in_kernel_ || is_alias(*expr)) return false;
  report(usage::buffer_rebound, span, name,
         (*buffer)->scope == Scope::global ? "a tensor" : "a buffer")
      .label((*buffer)->span, "declared here")
      .help("write an element: `" + element_text(**buffer) + " = ...`");
  return true;
}

/// Stores to the element of a buffer that a T.Ref parameter names; false if it names none.
bool Elaborator::assign_element(const Value& reference, const Value& value, Span span) {
  const Expr* read = reference.get<Expr>();
  if (!read || !as<Load>(*read)) return false;
  const auto place = operand_of(reference, span);
  if (place) store_element(place->buffer, place->dims, value, span);
  return true;
}

void Elaborator::bind(Symbol name, Value value, Span span) {
  const Binding* old = frame_->find(name);
  if (old && old->paths != Binding::Paths::agree) old = nullptr;
  if (old && ir_.active(old->region)) shadows_buffer(*old, name, value, span);
  bool scalar = is_number(value) || value.is<Expr>();
  if (old && scalar && ir_.active(old->region))
    if (const VarValue* var = old->value.get<VarValue>()) {
      VarValue target = *var;
      return assign_var(target, value, span);
    }
  if (old && scalar && ir_.active(old->region))
    if (const BufferRef* vector = old->value.get<BufferRef>(); vector && (*vector)->variable) {
      const BufferRef target = *vector;
      return store_element(target, {{int_const(0), target->shape.back(), false}}, value, span);
    }
  if (old && old->reference && scalar && assign_element(old->value, value, span)) return;
  if (const Expr* expr = value.get<Expr>()) value = let_value(name, *expr, span);
  put(name, std::move(value), span);
}

namespace {

/// A float that is integral for all operand values.
bool whole(const Expr& e) {
  if (auto number = number_value(e)) return *number == std::floor(*number);
  if (const Cast* c = as<Cast>(e)) return is_integer(c->a->type.dtype) || whole(c->a);
  if (const Un* u = as<Un>(e)) return whole(u->a);
  if (const Select* s = as<Select>(e)) return whole(s->a) && whole(s->b);
  if (const Bin* b = as<Bin>(e)) {
    const bool keeps = b->op == BinOp::add || b->op == BinOp::sub || b->op == BinOp::mul;
    return keeps && whole(b->a) && whole(b->b);
  }
  const Call* c = as<Call>(e);
  if (!c) return false;
  switch (c->intrinsic) {
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::round:
    case Intrinsic::nearbyint: return true;
    case Intrinsic::abs:
    case Intrinsic::minimum:
    case Intrinsic::maximum:
      return std::all_of(c->args.begin(), c->args.end(), [](const Expr& a) { return whole(a); });
    default: return false;
  }
}

}  // namespace

/// `value` converted to the dtype of its destination; warns if that drops a fraction.
Expr Elaborator::stored_value(const Value& value, DType dtype, Symbol into, Span span) {
  Expr given = to_expr(value, span, dtype);
  if (!given) return nullptr;
  if (is_float(given->type.dtype) && is_integer(dtype) && dtype != DType::bool_ && !whole(given))
    report(Diag::fraction_lost, span, "a " + std::string(tilelang_name(given->type.dtype)), into,
           tilelang_name(dtype))
        .help("write T.cast(..., \"" + std::string(tilelang_name(dtype)) +
              "\") if this is intended, otherwise make `" + into.str() + "` a float");
  return at(span, cast(dtype, given));
}

void Elaborator::assign_var(const VarValue& var, const Value& value, Span span) {
  Expr converted = stored_value(value, var.dtype, var.name, span);
  if (!converted) return;
  emit(tilelab::assign(var.name, std::move(converted)), span);
}

// ---- targets of an assignment

/// `a = (b, c) = value`: the first target that takes a new variable names it, the others its value.
void Elaborator::assign_all(const syntax::Trees& targets, Value value, Span value_span) {
  for (const syntax::Tree& target : targets) {
    if (!target.same(targets[0])) value = evaluated_items(std::move(value), value_span);
    assign_to(*target, value, value_span);
  }
}

void Elaborator::assign_to(const syntax::Node& target, Value value, Span value_span) {
  switch (target.kind) {
    case syntax::Kind::name:
      if (value.poisoned()) return put(target.name, {}, target.span);
      value = vector_value(target.name, current_value(std::move(value)), value_span);
      if (const Binding* old = frame_->find(target.name))
        value = stored_variable(*old, std::move(value), value_span);
      return bind(target.name, std::move(value), target.span);
    case syntax::Kind::tuple:
    case syntax::Kind::list: return unpack(target, value, value_span);
    case syntax::Kind::subscript: {
      Value object = eval_object(target.part(0));
      Value index = eval_index(target.part(1));
      if (!object.poisoned() && !index.poisoned() && !value.poisoned() &&
          !set_item(target, object, index, value))
        store(object, index, value, join(target.span, value_span), target.span);
      return;
    }
    case syntax::Kind::attribute:
      if (Objects::assign(*this, target, value, value_span)) return;
      [[fallthrough]];
    default:
      report(Diag::target_unsupported, target.span,
             target.kind == syntax::Kind::attribute ? "an attribute"
                                                    : std::string(syntax::kind_name(target.kind)))
          .help(target.kind == syntax::Kind::attribute && target.name.str() == "shape"
                    ? "T.reshape(buffer, shape) gives the buffer another shape"
                    : "assign to a name or to an element of a buffer");
  }
}

/// Assigning the variable of a function to a variable stores its value; `v = T.alloc_var(...)`
/// makes a new one.
Value Elaborator::stored_variable(const Binding& old, Value value, Span value_span) {
  const VarValue* var = value.get<VarValue>();
  const bool stores = old.value.is<VarValue>() && old.paths == Binding::Paths::agree;
  if (!var || !stores || value_span.contains(var->span)) return value;
  return Expr(name_ref(var->name, {var->dtype}));
}

void Elaborator::unpack(const syntax::Node& target, const Value& value, Span value_span) {
  const size_t count = target.list.size();
  auto items = value.poisoned() ? std::nullopt : items_of(value, value_span);
  const auto rest = std::find_if(target.list.begin(), target.list.end(), [](const auto& one) {
    return one->kind == syntax::Kind::starred;
  });
  if (items && rest != target.list.end() && items->size() + 1 >= count) {  // `*name` takes a list
    const auto first = items->begin() + (rest - target.list.begin());
    const auto last = first + int64_t(items->size() + 1 - count);
    Value list = list_of(std::vector<Value>(first, last));
    std::get<Sequence>(list.data).region = ir_.region();
    items->insert(items->erase(first, last), std::move(list));
  }
  if (items && items->size() != count) {
    report(Diag::unpack_count, value_span, plural(static_cast<int64_t>(items->size()), "value"),
           plural(static_cast<int64_t>(count), "name"))
        .label(target.span, plural(static_cast<int64_t>(count), "name"))
        .help(
            "write as many names as there are values; T.Kernel gives one for each grid "
            "dimension, a loop one for each extent");
    items.reset();
  }
  if (items) evaluate_before_stores(target, *items, value_span);
  for (size_t i = 0; i < count; ++i) {
    const bool starred = target.list[i]->kind == syntax::Kind::starred;
    const syntax::Node& one = starred ? target.list[i]->part(0) : *target.list[i];
    assign_to(one, items ? (*items)[i] : Value{}, value_span);
    if (const Binding* made = one.kind == syntax::Kind::name ? find(one.name) : nullptr)
      allow_rebinding(diagnostics_, *made, one.name);  // unlikely to be a forgotten index
  }
}

/// Tuple assignment reads all values before the first store: `A[0], A[1] = A[1], A[0]`.
void Elaborator::evaluate_before_stores(const syntax::Node& target, std::vector<Value>& values,
                                        Span span) {
  std::vector<Symbol> stored;
  bool written = false;
  for (size_t i = 0; i < values.size(); ++i) {
    const Expr* given = values[i].get<Expr>();
    const bool slice = values[i].is<RegionValue>() || (given && !(*given)->type.scalar());
    if (Expr value = written && (given || slice) ? to_expr(values[i], span) : nullptr) {
      const bool again = std::any_of(stored.begin(), stored.end(),
                                     [&](Symbol name) { return reads(*value, name); });
      if (!slice && (again || reads_memory(value) || reads_var(value))) {
        values[i] = hoist(value, span);
      } else if (again) {
        report(Diag::expression_unsupported, span, "a slice that an earlier target overwrites")
            .help("write separate assignments, and keep the slice in a fragment in between");
        values[i] = {};
      }
    }
    const bool element = target.list[i]->kind == syntax::Kind::subscript;
    const syntax::Node& one = element ? target.list[i]->part(0) : *target.list[i];
    const Binding* old = one.kind == syntax::Kind::name ? find(one.name) : nullptr;
    const BufferRef* buffer = old ? old->value.get<BufferRef>() : nullptr;
    if (element && buffer) stored.push_back((*buffer)->name);
    written |= element || (old && old->value.is<VarValue>());
  }
}

/// Reading a variable gives its current value, not an alias, for any expression that evaluates to
/// it (`v`, `v if True else w`, `items[0]`). A variable that no name in scope holds, nor a
/// container of one, is new and remains a variable.
Value Elaborator::current_value(Value value) const {
  const VarValue* var = value.get<VarValue>();
  if (!var || unbound_.count(var->name) || !is_held(var->name)) return value;
  return Expr(name_ref(var->name, {var->dtype}));
}

/// Whether a name in scope holds that variable, or a container of it.
bool Elaborator::is_held(Symbol variable) const {
  const auto is_it = [&](const Value& part) {
    const VarValue* var = part.get<VarValue>();
    const BufferRef* vector = part.get<BufferRef>();
    return (var && var->name == variable) ||
           (vector && (*vector)->variable && (*vector)->name == variable);
  };
  for (const Frame* frame = frame_.get(); frame; frame = frame->parent.get())
    for (const auto& [name, binding] : frame->names)
      if (ir_.active(binding.region) && any_part(binding.value, is_it)) return true;
  return false;
}

/// A name for an element of a buffer of vectors, or for a vector variable, is its current value.
Value Elaborator::vector_value(Symbol name, Value value, Span span) {
  if (!in_kernel_) return value;
  const RegionValue* element = value.get<RegionValue>();
  const BufferRef* buffer = value.get<BufferRef>();
  const bool variable = buffer && (*buffer)->variable && is_held((*buffer)->name);
  if (!variable && !(element && is_element(*element))) return value;
  const Expr region = to_expr(value, span);
  return region ? let_lanes(name, region, span) : Value{};
}

void Elaborator::exec_assign(const syntax::Node& node) {
  const syntax::Node& right = node.part(0);
  const syntax::Node& first = *node.list[0];
  auto is_tuple = [](const syntax::Node& n) {
    return n.kind == syntax::Kind::tuple || n.kind == syntax::Kind::list;
  };
  auto snapshot = [&](const syntax::Node& source, Value value, Symbol name) -> Value {
    value = vector_value(name ? name : "v", current_value(std::move(value)), source.span);
    const Expr* expr = value.get<Expr>();
    return expr && in_kernel_ && reads_var(*expr) ? let_value(name, *expr, source.span) : value;
  };
  if (is_tuple(right) && is_tuple(first) && right.list.size() == first.list.size()) {
    std::vector<Value> values;
    for (size_t i = 0; i < right.list.size(); ++i) {
      hint_ = first.list[i]->kind == syntax::Kind::name ? first.list[i]->name : Symbol();
      values.push_back(snapshot(*right.list[i], eval(*right.list[i]), hint_));
    }
    Value all = tuple_of(std::move(values));
    return assign_all(node.list, std::move(all), right.span);
  }
  hint_ = Objects::name_for(*this, first);
  Value value = eval(right);
  hint_ = {};
  value = current_value(std::move(value));
  if (const KernelFrame* frame = value.get<KernelFrame>()) {  // in scope for the rest of the body
    kernel_for_rest_ = true;
    if (!enter_kernel(*frame, &first, right.span)) assign_to(first, {}, right.span);
    return;
  }
  if (const LoopFrame* loop = value.get<LoopFrame>(); loop && loop->form == LoopFrame::Form::bound)
    value = loop->index;
  assign_all(node.list, std::move(value), right.span);
}

void Elaborator::exec_augmented(const syntax::Node& node) {
  const auto updated = [&](syntax::Op op, const Value& old, const Value& right, Span span) {
    auto made = Objects::in_place(*this, op, old, right, span);
    return made ? *made : binary_op(op, old, right, span);
  };
  const syntax::Node& target = node.part(0);
  if (target.kind == syntax::Kind::subscript) {
    Value object = eval(target.part(0)), index = eval_index(target.part(1));
    Value right = eval(node.part(1));
    if (object.poisoned() || index.poisoned() || right.poisoned()) return;
    Value old = subscript(object, index, target.span);
    Value value = old.poisoned() ? Value{} : updated(node.op, old, right, node.span);
    if (!value.poisoned() && !set_item(target, object, index, value))
      store(object, index, value, node.span, target.span);
    return;
  }
  Value old = eval(target), right = eval(node.part(1));
  if (old.poisoned() || right.poisoned()) return;
  if (const BufferRef* buffer = old.get<BufferRef>(); buffer && !(*buffer)->variable) {
    report(Diag::buffer_augmented, node.span, (*buffer)->name)
        .help("change its elements: " +
              loop_text(**buffer, "{} " + std::string(syntax::op_text(node.op)) + "= ..."));
    return;
  }
  if (const Sequence* list = old.get<Sequence>(); list && list->is_list) {  // changes the list
    const auto items =
        node.op == syntax::Op::add ? items_of(right, node.part(1).span) : std::nullopt;
    if (items && may_change(*list, *items, node.span)) extend(*list, *items);
    if (node.op == syntax::Op::add) return;
  }
  Value value = updated(node.op, old, right, node.span);
  if (!value.poisoned()) assign_to(target, value, node.span);
}

/// `A: T.Tensor(...)` declares a parameter; `x: dtype = value` binds.
void Elaborator::exec_annotated(const syntax::Node& node) {
  const syntax::Node& target = node.part(0);
  if (node.has_part(2)) {
    hint_ = target.kind == syntax::Kind::name ? target.name : Symbol();
    Value value = eval(node.part(2));
    hint_ = {};
    return assign_to(target, current_value(std::move(value)), node.part(2).span);
  }
  Value type = eval(node.part(1));
  if (target.kind != syntax::Kind::name) return assign_to(target, {}, target.span);
  if (type.poisoned()) {
    pending_.erase(std::remove(pending_.begin(), pending_.end(), target.name), pending_.end());
    return put(target.name, {}, target.span);
  }
  const TensorType* tensor = type.get<TensorType>();
  if (!tensor) {
    report(Diag::annotation_type, node.part(1).span, describe(type))
        .help("declare a tensor argument as `" + target.name.str() + ": T.Tensor(shape, dtype)`");
    return;
  }
  declare_parameter(target.name, *tensor, node.span);
}

// ---- stores

void Elaborator::store(const Value& object, const Value& index, const Value& value, Span span,
                       Span element) {
  if (const VarValue* var = object.get<VarValue>()) return assign_var(*var, value, span);
  if (const AddressValue* address = object.get<AddressValue>()) {
    auto place = ForeignCall::pointed(*this, *address, index, element);
    if (place) store_element(address->buffer, std::move(*place), value, span);
    return;
  }
  if (!object.is<BufferRef>() && !object.is<RegionValue>()) {
    report(Diag::store_target, span, describe(object))
        .help("store to elements of buffers and tensors only");
    return;
  }
  RegionValue box;
  if (box_of(object, index, element, box))
    store_element(box.buffer, std::move(box.dims), value, span);
}

void Elaborator::store_element(const BufferRef& buffer, std::vector<SliceDim> dims,
                               const Value& value, Span span, LoopMode lanes_mode) {
  if (!need_kernel(span, "a store")) return;
  std::vector<RegionDim> region;
  int64_t lanes = 1;
  for (const SliceDim& dim : dims) {
    if (dim.point) {
      region.push_back(point(dim.lo));
      continue;
    }
    auto extent = int_value(dim.extent);
    if (!extent) {
      report(Diag::extent_dynamic, span, expr_text(dim.extent))
          .help("store element by element, in a loop over the extent");
      return;
    }
    lanes *= *extent;
    region.push_back(slice(dim.lo, *extent));
  }
  Expr converted = stored_value(value, buffer->dtype, buffer->name, span);
  if (!converted) return;
  if (converted->type.lanes != lanes && !converted->type.scalar()) {
    report(Diag::vector_lanes, span, converted->type.lanes, lanes)
        .help(buffer->lanes > 1 && converted->type.lanes == buffer->lanes
                  ? "store to one element at a time, in a loop"
                  : "store as many elements as the value has, or copy with T.copy");
    return;
  }
  bool sliced = std::any_of(dims.begin(), dims.end(), [](const SliceDim& d) { return !d.point; });
  if (sliced) return store_lanes(buffer, dims, lanes, converted, span, lanes_mode);
  emit(tilelab::store(buffer->name, std::move(region), std::move(converted)), span);
}

}  // namespace tilelab::elaborate
