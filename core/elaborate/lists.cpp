// SPDX-License-Identifier: Apache-2.0
// Lists and objects that the kernel makes, which change while it is elaborated; the limits of
// containers.
#include <algorithm>

#include "core/elaborate/limits.h"
#include "core/elaborate/objects.h"

namespace tilelab::elaborate {

bool Extent::fits() const { return nesting <= kMaxNesting && items <= kMaxItems; }

std::shared_ptr<Container> container_of(const Value& value) {
  if (const auto* sequence = value.get<Sequence>()) return sequence->items;
  if (const auto* dict = value.get<Dictionary>()) return dict->items;
  if (const auto* object = value.get<ObjectValue>()) return object->attributes;
  if (const auto* function = value.get<FunctionValue>()) return function->defaults;
  if (const auto* method = value.get<Method>()) return container_of(*method->object);
  const auto* layout = value.get<LayoutValue>();
  return layout && layout->function ? container_of(*layout->function) : nullptr;
}

Extent extent_as_item(const Value& value) {
  const auto inner = container_of(value);
  return inner ? Extent{inner->extent().nesting + 1, inner->extent().items + 1} : Extent{1, 1};
}

void Container::add(const std::shared_ptr<Container>& container, const Value& item, int64_t count) {
  const auto inner = container_of(item);
  if (inner && inner->grows_) {
    inner->hold(container, count);
    container->grows_ = true;
  }
  const Extent more = extent_as_item(item);
  container->grow({more.nesting, more.items * count});
}

void Container::hold(const std::shared_ptr<Container>& holder, int64_t count) {
  const auto known = std::find_if(holders_.begin(), holders_.end(), [&](const Holder& one) {
    return one.container.lock() == holder;
  });
  if (known != holders_.end()) {
    known->times += count;
    if (known->times <= 0) holders_.erase(known);
    return;
  }
  std::erase_if(holders_, [](const Holder& one) { return one.container.expired(); });
  holders_.push_back({holder, count});
}

void Container::grow(const Extent& more) {
  extent_.nesting = std::max(extent_.nesting, more.nesting);
  extent_.items += more.items;
  for (const Holder& holder : holders_)
    if (const auto container = holder.container.lock())
      container->grow({extent_.nesting + 1, more.items * holder.times});
}

std::optional<Extent> Container::excess(const Extent& more) const {
  const Extent after{std::max(extent_.nesting, more.nesting), extent_.items + more.items};
  if (!after.fits()) return after;
  for (const Holder& holder : holders_)
    if (const auto container = holder.container.lock())
      if (auto found = container->excess({after.nesting + 1, more.items * holder.times}))
        return found;
  return std::nullopt;
}

// ---- changes of lists and objects

/// The first name that was bound to a list or an object; null if it has none.
static const Binding* first_name(const Frame* frame, const std::shared_ptr<Container>& items) {
  const Binding* made = nullptr;
  const auto place = [](const Binding& b) { return std::pair(b.span.line, b.span.col); };
  for (; frame; frame = frame->parent.get())
    for (const auto& [name, binding] : frame->names)
      if (container_of(binding.value) == items && (!made || place(binding) < place(*made)))
        made = &binding;
  return made;
}

/// Whether a list or an object may take new items here: not in a branch or loop that begins after
/// it was made, because compilation would change it exactly once; and not itself, because walks
/// over its items would not end.
bool Elaborator::may_change(const Value& container, const std::vector<Value>& added, Span span) {
  const auto items = container_of(container);
  const ObjectValue* object = container.get<ObjectValue>();
  const Dictionary* dict = container.get<Dictionary>();
  const Sequence* list = container.get<Sequence>();
  const std::string noun = object ? "an attribute of an object" : dict ? "a dict" : "a list";
  if (list ? list->of_program : dict && dict->of_program) {
    report(Diag::store_target, span, noun + " of the program")
        .help("make it in the kernel; for a list of an object, mark its class with T.meta_class");
    return false;
  }
  const auto is_it = [&](const Value& part) { return container_of(part) == items; };
  if (std::any_of(added.begin(), added.end(),
                  [&](const Value& value) { return any_part(value, is_it); })) {
    report(Diag::store_target, span, noun + " that would contain itself")
        .help(object ? "pass the object to the methods that use it"
                     : "make a second list, `outer = [items]`");
    return false;
  }
  Extent more;
  for (const Value& value : added) {
    any_part(value, [&](const Value& part) {
      const Expr* expr = part.get<Expr>();
      if (const Name* name = expr ? as<Name>(*expr) : nullptr) held_.insert(name->id);
      return false;
    });
    const Extent one = extent_as_item(value);
    more = {std::max(more.nesting, one.nesting), more.items + one.items};
  }
  if (const auto excess = items->excess(more)) {
    report_too_large(*excess, span);
    return false;
  }
  const int region = object ? object->region : dict ? dict->region : list->region;
  if (region < 0 || !ir_.conditional_since(region)) return true;
  Diagnostic& message = report(Diag::store_target, span, noun + " from outside this block");
  if (const Binding* made = first_name(frame_.get(), items))
    message.label(made->span, "declared here");
  message.help(object
                   ? "keep a value that changes at run time in a variable: make the attribute "
                     "with T.alloc_var(dtype)"
                   : "keep values that change at run time in a buffer: T.alloc_local((n,), dtype)");
  return false;
}

/// Replaces the items from `first` to `last`, not included, by others; reports nothing.
static void replace_items(const std::shared_ptr<Items>& items, int64_t first, int64_t last,
                          const std::vector<Value>& others) {
  const auto begin = items->begin() + first, end = items->begin() + std::max(first, last);
  for (auto one = begin; one != end; ++one) Container::add(items, *one, -1);
  const auto place = items->erase(begin, end);
  items->insert(place, others.begin(), others.end());
  for (const Value& item : others) Container::add(items, item);
}

/// `list[i] = value`, `list[i:j] = values` and `dict[key] = value` for containers that elaboration
/// created: Python's own assignment, visible through all references. A host object is a copy, in
/// which a store would be lost.
bool Elaborator::set_item(const syntax::Node& target, const Value& object, const Value& index,
                          const Value& value) {
  if (Objects::special(*this, object, "__setitem__", {index, value}, target.span)) return true;
  if (const Dictionary* dict = object.get<Dictionary>()) {
    if (!may_change(*dict, {value}, target.span)) return true;
    if (Value* entry = Objects::entry(*this, *dict, index, target.span)) {
      Container::add(dict->items, *entry, -1);
      *entry = evaluated(value, target.span);
      Container::add(dict->items, *entry);
    } else {
      dict->items->emplace_back(index, evaluated(value, target.span));
      Container::add(dict->items, index);
      Container::add(dict->items, dict->items->back().second);
    }
    return true;
  }
  const Sequence* list = object.get<Sequence>();
  if (!list || !list->is_list) return false;
  const bool slice = index.is<SliceValue>();
  const auto items = slice ? items_of(value, target.span) : std::vector<Value>{value};
  if (!items || !may_change(*list, *items, target.span)) return true;
  const auto range = Objects::item_range(*this, *list, index, target.span);
  if (!range) return true;
  std::vector<Value> taken;
  for (const Value& item : *items) taken.push_back(evaluated(item, target.span));
  replace_items(list->items, range->first, range->second, taken);
  return true;
}

Value* Objects::entry(Elaborator& e, const Dictionary& dict, const Value& key, Span span) {
  for (auto& [known, value] : *dict.items) {
    const bool constant = is_compile_time(known) && is_compile_time(key);
    const Value equal =
        constant ? e.compare_op(syntax::Op::eq, known, key, span) : Value(e.same(known, key));
    if (equal.is<bool>() && *equal.get<bool>()) return &value;
  }
  return nullptr;
}

/// The first and the end of the items that an index or a slice without a step selects; nullopt
/// after an error.
std::optional<std::pair<int64_t, int64_t>> Objects::item_range(Elaborator& e, const Sequence& list,
                                                               const Value& index, Span span) {
  const int64_t count = std::ssize(*list.items);
  const auto from_end = [&](int64_t i) { return i < 0 ? i + count : i; };
  if (const SliceValue* slice = index.get<SliceValue>()) {
    const auto lo = slice->lo->is<None>() ? 0 : integer_of(*slice->lo);
    const auto hi = slice->hi->is<None>() ? count : integer_of(*slice->hi);
    if (!lo || !hi || integer_of(*slice->step).value_or(1) != 1) {
      e.report(Diag::static_needed, span, "a slice of a Python list that changes", describe(index))
          .help("use constants, without a step");
      return std::nullopt;
    }
    const int64_t first = std::clamp<int64_t>(from_end(*lo), 0, count);
    return std::pair(first, std::clamp(from_end(*hi), first, count));
  }
  const auto given = integer_of(index);
  const int64_t place = from_end(given.value_or(-count - 1));
  if (given && place >= 0 && place < count) return std::pair(place, place + 1);
  e.sequence_item(list, index, span);  // reports the reason
  return std::nullopt;
}

/// `del list[i]`, `del dict[key]`; false if the object is neither.
bool Objects::remove(Elaborator& e, const Value& object, const Value& index, Span span) {
  if (special(e, object, "__delitem__", {index}, span)) return true;
  const Sequence* list = object.get<Sequence>();
  const Dictionary* dict = object.get<Dictionary>();
  if (!dict && !(list && list->is_list)) return false;
  if (!e.may_change(object, {}, span)) return true;
  if (list) {
    if (const auto range = item_range(e, *list, index, span))
      replace_items(list->items, range->first, range->second, {});
  } else if (const Value* found = entry(e, *dict, index, span)) {
    Container::add(dict->items, *found, -1);
    std::erase_if(*dict->items, [&](const auto& one) { return &one.second == found; });
  } else {
    e.subscript(object, index, span);  // reports the missing key
  }
  return true;
}

std::optional<Value> Objects::call_python_method(Elaborator& e, const Method& method,
                                                 const std::vector<Argument>& positional,
                                                 const KeywordArguments& keywords, Span span) {
  const Value& object = *method.object;
  const std::string& name = method.name.str();
  const HostResult found =
      e.host_.attribute(object.is<Dictionary>() ? dict_of({}) : list_of({}), method.name);
  const HostRef* ours = found.value.get<HostRef>();
  const HostResult source = ours ? e.host_.source(*ours) : HostResult::absent();
  if (const FunctionValue* function = source.value.get<FunctionValue>()) {
    std::vector<Argument> all{{object, span, true}};
    all.insert(all.end(), positional.begin(), positional.end());
    return e.call_function(*function, all, keywords, span);
  }
  std::vector<Value> values{object};
  for (const Argument& one : positional) values.push_back(one.value);
  if ((name != "index" && name != "count") || !is_compile_time(tuple_of(values)))
    return std::nullopt;
  const Value copied = e.host_value(e.host_.attribute(object, method.name), span);
  values.erase(values.begin());
  return copied.is<HostRef>() ? e.host_value(e.host_.call(*copied.get<HostRef>(), values, {}), span)
                              : Value{};
}

std::vector<Value> Objects::arguments_for_python(Elaborator& e,
                                                 const std::vector<Argument>& arguments) {
  std::vector<Value> values;
  for (const Argument& argument : arguments) {
    const bool range = Elaborator::static_range(argument.value).has_value();
    const auto items = range ? e.items_of(argument.value, argument.span) : std::nullopt;
    values.push_back(items ? list_of(*items) : argument.value);
  }
  return values;
}

/// Adds items that the list may take.
void Elaborator::extend(const Sequence& list, const std::vector<Value>& added) {
  for (const Value& item : added) {
    list.items->push_back(item);
    Container::add(list.items, item);
  }
}

void Elaborator::report_too_large(const Extent& extent, Span span) {
  const bool deep = extent.nesting > kMaxNesting;
  report(Diag::too_large, span,
         deep ? "the nesting of containers" : "the number of items, nested ones included,",
         deep ? extent.nesting : extent.items, deep ? kMaxNesting : kMaxItems)
      .help("keep data in a tensor, which the kernel reads when it runs");
}

/// Whether a container or a string, which compile-time code can make as large as it likes, has a
/// size that elaboration can handle.
bool Elaborator::within_limits(const Value& value, Span span) {
  const auto* text = value.get<std::string>();
  if (text && std::ssize(*text) > kMaxCharacters)
    report(Diag::too_large, span, "the number of characters", text->size(), kMaxCharacters)
        .help("keep data in a tensor, which the kernel reads when it runs");
  const bool contains = value.is<Sequence>() || value.is<Dictionary>() || value.is<ObjectValue>() ||
                        value.is<FunctionValue>();
  const auto container = contains ? container_of(value) : nullptr;
  const bool large = container && !container->extent().fits();
  if (large) report_too_large(container->extent(), span);
  return !large && !(text && std::ssize(*text) > kMaxCharacters);
}

}  // namespace tilelab::elaborate
