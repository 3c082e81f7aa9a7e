// SPDX-License-Identifier: Apache-2.0
// Lists that the kernel makes, which change while it is elaborated; the limits of containers.
#include <algorithm>

#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"

namespace tilelab::elaborate {

bool Extent::fits() const { return nesting <= kMaxNesting && items <= kMaxItems; }

std::shared_ptr<Container> container_of(const Value& value) {
  if (const auto* sequence = value.get<Sequence>()) return sequence->items;
  if (const auto* dict = value.get<Dictionary>()) return dict->items;
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

// ---- changes of lists

/// Whether a list may take new items here: not in a branch or loop that begins after the list was
/// made, because compilation would change it exactly once; and not itself, because walks over its
/// items would not end.
bool Elaborator::may_change(const Sequence& list, const std::vector<Value>& added, Span span) {
  const auto is_list = [&](const Value& part) {
    const Sequence* items = part.get<Sequence>();
    return items && items->items == list.items;
  };
  if (std::any_of(added.begin(), added.end(),
                  [&](const Value& value) { return any_part(value, is_list); })) {
    report(Diag::store_target, span, "a list that would contain itself")
        .help("make a second list, `outer = [items]`");
    return false;
  }
  Extent more;
  for (const Value& value : added) {
    const Extent one = extent_as_item(value);
    more = {std::max(more.nesting, one.nesting), more.items + one.items};
  }
  if (const auto excess = list.items->excess(more)) {
    report_too_large(*excess, span);
    return false;
  }
  if (list.region < 0 || !ir_.conditional_since(list.region)) return true;
  const Binding* made = nullptr;  // the first name of the list
  for (const Frame* frame = frame_.get(); frame; frame = frame->parent.get())
    for (const auto& [name, binding] : frame->names) {
      const Sequence* held = binding.value.get<Sequence>();
      const auto place = [](const Binding& b) { return std::pair(b.span.line, b.span.col); };
      if (held && held->items == list.items && (!made || place(binding) < place(*made)))
        made = &binding;
    }
  Diagnostic& message = report(Diag::store_target, span, "a list from outside this block");
  if (made) message.label(made->span, "declared here");
  message.help("keep values that change at run time in a buffer: T.alloc_local((n,), dtype)");
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
  const bool contains = value.is<Sequence>() || value.is<Dictionary>() || value.is<FunctionValue>();
  const auto container = contains ? container_of(value) : nullptr;
  const bool large = container && !container->extent().fits();
  if (large) report_too_large(container->extent(), span);
  return !large && !(text && std::ssize(*text) > kMaxCharacters);
}

}  // namespace tilelab::elaborate
