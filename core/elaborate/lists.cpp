// SPDX-License-Identifier: Apache-2.0
// Lists that the kernel makes, which change while it is elaborated.
#include <algorithm>

#include "core/elaborate/elaborator.h"

namespace tilelab::elaborate {

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
  (*list->items)[static_cast<size_t>(place)] = evaluated(value, target.span);
  return true;
}

}  // namespace tilelab::elaborate
