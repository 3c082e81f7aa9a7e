// SPDX-License-Identifier: Apache-2.0
// Lists and objects that the kernel makes, which change while it is elaborated; the limits of
// containers.
#include <algorithm>

#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"

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
  const std::string noun = object ? "an attribute of an object" : "a list";
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
    const Extent one = extent_as_item(value);
    more = {std::max(more.nesting, one.nesting), more.items + one.items};
  }
  if (const auto excess = items->excess(more)) {
    report_too_large(*excess, span);
    return false;
  }
  const int region = object ? object->region : container.get<Sequence>()->region;
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

/// `list[i] = value` for a list that elaboration created: Python's own assignment, visible through
/// all references. A host object is a copy, in which a store would be lost.
bool Elaborator::set_item(const syntax::Node& target, const Value& object, const Value& index,
                          const Value& value) {
  const Sequence* list = object.get<Sequence>();
  if (!list || !list->is_list) return false;
  if (index.is<SliceValue>()) return false;
  if (!may_change(*list, {value}, target.span)) return true;
  const auto given = integer_of(index);
  const auto count = static_cast<int64_t>(list->items->size());
  const int64_t place = given.value_or(0) < 0 ? *given + count : given.value_or(0);
  if (!given || place < 0 || place >= count) {
    sequence_item(*list, index, target.span);  // reports the reason
    return true;
  }
  Value& item = (*list->items)[static_cast<size_t>(place)];
  Container::add(list->items, item, -1);
  item = evaluated(value, target.span);
  Container::add(list->items, item);
  return true;
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
