// SPDX-License-Identifier: Apache-2.0
// Explicit layouts: T.Layout, T.Fragment, the make_*_layout family, T.annotate_layout, loop_layout.
#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"
#include "core/elaborate/rewrites/half_bytes.h"
#include "core/ir/traverse.h"
#include "core/layout/forward.h"
#include "core/layout/recognize.h"

namespace tilelab::elaborate {
namespace {

using MapRef = std::shared_ptr<const ForwardMap>;

Value made(ForwardMap map, bool for_matmuls = false) {
  return LayoutValue{std::make_shared<const ForwardMap>(std::move(map)), nullptr, for_matmuls};
}

/// An element or a place of a map, in index syntax.
std::string coordinates(const Index& index) { return index.empty() ? "()" : tuple_text(index); }

/// The places of all elements, for any form of layout: address, or thread and register.
std::vector<Index> places_of(const Layout& layout, const Swizzle& swizzle, const ElementMap& where,
                             const Index& shape, int64_t element_bytes) {
  if (where.known()) return all_places(where, shape).value_or(std::vector<Index>{});
  std::vector<Index> out;
  for (const Place& p : tabulate(layout, swizzle, element_bytes).places)
    out.push_back(is_fragment(layout) ? Index{p.thread, p.reg} : Index{p.address});
  return out;
}

/// The first element that two layouts of a buffer map to different places: address, or thread and
/// register; all threads if the replicas differ.
struct Difference {
  Index element, first, second;
};
std::optional<Difference> difference(const Layout& a, const Swizzle& a_swizzle,
                                     const ElementMap& a_map, const Layout& b,
                                     const Swizzle& b_swizzle, const ElementMap& b_map,
                                     const Index& shape, int64_t element_bytes) {
  const auto first = places_of(a, a_swizzle, a_map, shape, element_bytes);
  const auto second = places_of(b, b_swizzle, b_map, shape, element_bytes);
  const ForwardMap elements{shape, {}, 0, {}};
  for (size_t e = 0; e < std::min(first.size(), second.size()); ++e)
    if (first[e] != second[e]) return Difference{elements.element(int64_t(e)), first[e], second[e]};
  if (!a.known() || !b.known() || !is_fragment(a)) return std::nullopt;
  if (auto at = first_difference(a, b))
    return Difference{*at, threads_of(a, *at), threads_of(b, *at)};
  return std::nullopt;
}

}  // namespace

constexpr int64_t kMaxPlace = int64_t{1} << 28;  // the limit of the layout verifier

/// The integers that a forward function returns for one element; nullopt after an error.
std::optional<Index> Elaborator::forward_at(const Argument& function, const Index& arguments) {
  std::vector<Argument> positional;
  for (int64_t i : arguments) positional.push_back({i, function.span, true});
  host_.poll();
  Value result = call(function.value, std::move(positional), {}, function.span, function.span);
  if (result.poisoned()) return std::nullopt;
  std::vector<Value> items{result};
  if (const Sequence* list = result.get<Sequence>()) items = *list->items;
  Index out;
  for (const Value& item : items) {
    const Sequence* inner = item.get<Sequence>();  // forward_fn: (thread, [index, ...])
    std::vector<Value> flat{item};
    if (inner) flat = *inner->items;
    for (const Value& one : flat) {
      auto known = integer_of(one);
      if (!known) {
        report(Diag::static_needed, function.span, "a location of a layout", describe(one))
            .help("return integers computed from the indices of an element");
        return std::nullopt;
      }
      if (!static_count(one, function.span, "a location of a layout", INT32_MIN, kMaxPlace))
        return std::nullopt;
      out.push_back(*known);
    }
  }
  return out;
}

/// T.Layout(shape, forward_fn): coordinates of each element in memory.
Value Elaborator::on_layout(Arguments& args) {
  auto shape = static_shape(args["shape"].value, args["shape"].span);
  if (!shape) return {};
  ForwardMap map{*shape, {}, 0, {}};
  constexpr int64_t kMaxElements = 1 << 18;  // exceeds any shared memory
  for (int64_t e = 0; map.elements() <= kMaxElements && e < map.elements(); ++e) {
    auto place = forward_at(args["forward_fn"], map.element(e));
    if (!place) return {};
    map.coordinates.push_back(std::move(*place));
  }
  return LayoutValue{std::make_shared<const ForwardMap>(std::move(map)),
                     std::make_shared<const Value>(args["forward_fn"].value)};
}

/// T.Fragment(shape, ...): a thread for each element and replica, and a register.
Value Elaborator::on_fragment(Arguments& args) {
  auto shape = static_shape(args["shape"].value, args["shape"].span);
  auto replicas =
      static_count(args["replicate"].value, args.span, "the number of replicas", 1, kMaxCount);
  if (!shape || !replicas) return {};
  bool both = args.has("forward_fn") && !args["forward_fn"].value.is<None>();
  bool own_index = args.has("forward_index_fn") && !args["forward_index_fn"].value.is<None>();
  const Argument& thread_of = args[both ? "forward_fn" : "forward_thread_fn"];
  if (thread_of.value.is<None>() || *replicas < 1) {
    report(Diag::call_missing, args.span, "T.Fragment", "forward_thread_fn")
        .help("T.Fragment((16, 8), forward_thread_fn=lambda i, j: i * 2 + j // 4)");
    return {};
  }
  ForwardMap map{*shape, {}, *replicas, {}};
  for (int64_t r = 0; r < map.replicas; ++r)
    for (int64_t e = 0; e < map.elements(); ++e) {
      Index at = map.element(e), with_replica = at;
      if (map.replicas > 1) with_replica.push_back(r);
      auto place = forward_at(thread_of, with_replica);
      if (!place || place->empty()) return {};
      map.threads.push_back(place->front());
      if (r > 0) continue;
      place->erase(place->begin());
      if (!both && own_index) place = forward_at(args["forward_index_fn"], at);
      if (!place) return {};
      if (both || own_index) map.coordinates.push_back(std::move(*place));
    }
  return made(std::move(map));
}

/// make_swizzled_layout(buffer) and similar: maps that depend only on a buffer's shape and dtype.
Value Elaborator::on_make_layout(Arguments& args) {
  std::vector<int64_t> shape;
  int64_t element_bytes = 4;
  const Argument& of = args["buffer"];
  if (auto found = operand(of)) {
    for (const SliceDim& dim : found->dims) {
      if (found->form == Operand::Form::slice && shape.empty() && is_int(dim.extent, 1)) continue;
      shape.push_back(int_value(dim.extent).value_or(0));
    }
    element_bytes = bytes(found->buffer->dtype);
  }
  if (shape.empty() || std::count(shape.begin(), shape.end(), 0)) {
    report(Diag::layout_shape, of.span, "a layout", describe(of.value))
        .help("give a buffer, or a slice of one, whose extents are constants");
    return {};
  }
  const std::string& kind = args.row->data;
  if (kind == "linear") return made(linear_map(shape));
  if (kind == "replicated") {
    auto threads = static_count(args["threads"].value, args["threads"].span,
                                "the number of threads", 1, kMaxCount);
    return threads ? made(replicated_map(shape, *threads)) : Value{};
  }
  if (kind == "swizzled") {
    bool pad = args.row->name == "make_swizzled_layout" && flag(args, "allow_pad");
    return made(widest_bank_swizzle(shape, element_bytes, pad),
                args.row->name == "make_sqmma_swizzled_layout");
  }
  int64_t panel = kind == "full" ? 128 : kind == "half" ? 64 : 32;
  if (auto map = bank_swizzled(shape, element_bytes, panel)) return made(std::move(*map));
  report(Diag::layout_shape, of.span, "this swizzle",
         "`" + host_or_buffer_name(of.value) + "` of " + extents_text(shape))
      .help("use a multiple of 8 rows, each a multiple of " + std::to_string(panel) +
            " bytes; make_swizzled_layout selects the widest swizzle that fits");
  return {};
}

std::string Elaborator::host_or_buffer_name(const Value& value) {
  const BufferRef* buffer = value.get<BufferRef>();
  return buffer ? (*buffer)->name.str() : "the buffer";
}

/// Whether the layout for `what` has a usable digit form; reports the reason if not.
bool Elaborator::has_digits(const ForwardLayout& layout, const ForwardMap& map,
                            const std::string& what, Span span) {
  const ForwardFault& fault = layout.fault;
  switch (fault.what) {
    case ForwardFault::What::none: break;
    case ForwardFault::What::negative:
      report(Diag::layout_form, span, what, "puts element " + coordinates(fault.first) + " below 0")
          .help("start threads, registers and addresses at 0");
      return false;
    case ForwardFault::What::clash:
      report(Diag::layout_injective, span, what, coordinates(fault.first),
             coordinates(fault.second), coordinates(fault.place))
          .help("give each element a separate location");
      return false;
    case ForwardFault::What::no_digits:
      report(Diag::layout_form, span, what,
             "has no digits: it is not a sum over the dimensions, followed by an exclusive or of "
             "address bits")
          .help("build it from //, %, + and * of single indices, or use make_swizzled_layout");
      return false;
  }
  if (map.is_fragment() && !decoding(layout.layout, 't')) {
    report(Diag::layout_form, span, what, "assigns replicas to threads without elements")
        .help(
            "place replicas at a distance that is a multiple of the number of threads that hold "
            "one copy");
    return false;
  }
  return !map.is_fragment() || fits_block(extent(layout.layout, 't'), what, span);
}

bool Elaborator::fits_block(int64_t held, const std::string& what, Span span) {
  int64_t threads = kernel_frame_.threads[0] * kernel_frame_.threads[1] * kernel_frame_.threads[2];
  if (held <= threads) return true;
  report(Diag::layout_threads, span, what, held - 1, threads)
      .help("keep the thread of every element below `threads` of the kernel");
  return false;
}

bool Elaborator::annotate(const BufferRef& buffer, const Value& value, Span span) {
  if (buffer->scope == Scope::global) return annotate_global(buffer, value, span);
  std::string kind = std::string(name(buffer->scope)) + " buffer `" + buffer->name.str() + "`";
  const LayoutValue* given = value.get<LayoutValue>();
  std::vector<int64_t> shape;
  for (const Expr& extent : buffer->shape) shape.push_back(int_value(extent).value_or(0));
  MapRef map = given ? given->map : nullptr;
  if (!map && (value.is<FunctionValue>() || value.is<HostRef>())) {  // a bare function
    ForwardMap from{shape, {}, 0, {}};
    for (int64_t e = 0; e < from.elements(); ++e) {
      auto place = forward_at({value, span, true}, from.element(e));
      if (!place) return false;
      from.coordinates.push_back(std::move(*place));
    }
    map = std::make_shared<const ForwardMap>(std::move(from));
  }
  bool fragment = buffer->scope == Scope::fragment;
  if (!map || map->is_fragment() != fragment || (!fragment && buffer->scope != Scope::shared)) {
    report(Diag::layout_kind, span, kind,
           map ? (map->is_fragment() ? "a T.Fragment" : "a T.Layout") : describe(value))
        .label(buffer->span, "allocated here")
        .help(buffer->scope == Scope::shared ? "use a T.Layout for shared memory"
              : fragment ? "use a T.Fragment, which gives the thread of each element"
                         : "use layouts for tensors, T.alloc_shared and T.alloc_fragment");
    return false;
  }
  ForwardMap whole = *map;
  if (!fragment && shape.size() > map->shape.size())
    whole = with_leading(*map, Index(shape.begin(), shape.end() - int64_t(map->shape.size())));
  if (whole.shape != shape || (!fragment && whole.coordinates.empty())) {
    report(Diag::layout_shape, span, "a layout of " + extents_text(map->shape),
           "`" + buffer->name.str() + "` of " + extents_text(shape))
        .label(buffer->span, "allocated here")
        .help("give the layout the shape of the buffer");
    return false;
  }
  const auto before = layouts_.find(buffer->name);
  if (before != layouts_.end()) {
    const GivenLayout first = before->second;
    layouts_.erase(before);
    if (!annotate(buffer, value, span)) return false;
    const GivenLayout& second = layouts_.at(buffer->name);
    const auto at = difference(first.layout, first.swizzle, first.where, second.layout,
                               second.swizzle, second.where, shape, bytes(buffer->dtype));
    if (!at) return true;
    report(Diag::layout_form, span, kind,
           "puts element " + coordinates(at->element) + " at " + coordinates(at->second) +
               ", the previous layout at " + coordinates(at->first))
        .label(first.span, "the previous layout")
        .help("remove one of them: a buffer has one layout in a kernel");
    return false;
  }
  ForwardLayout layout = layout_of(whole, bytes(buffer->dtype));
  if (layout.fault.what == ForwardFault::What::no_digits)
    return annotate_by_places(buffer, whole, map->shape.size(),
                              given ? given->function.get() : &value, span);
  if (!has_digits(layout, whole, kind, span)) return false;
  layouts_[buffer->name] = {layout.layout, layout.swizzle, {}, span};
  return true;
}

/// The buffer of a key of T.annotate_layout; with allow_buffer_region also one matrix of a buffer,
/// whose matrices then all have that layout. Null after an error.
const BufferRef* Elaborator::laid_out_buffer(const Value& key, Arguments& args) {
  const bool regions = flag(args, "allow_buffer_region");
  if (const BufferRef* buffer = key.get<BufferRef>()) return buffer;
  const RegionValue* region = key.get<RegionValue>();
  bool whole = region && regions, leading = true;
  for (size_t d = 0; region && d < region->dims.size(); ++d) {
    const SliceDim& dim = region->dims[d];
    leading = leading && is_int(dim.extent, 1);
    const auto extent = int_value(region->buffer->shape[d]);
    whole = whole && (leading || (is_int(dim.lo, 0) && int_value(dim.extent) == extent));
  }
  if (whole) return &region->buffer;
  report(Diag::buffer_needed, args.span, "T.annotate_layout", describe(key))
      .help(
          region
              ? "with allow_buffer_region=True use one matrix of a buffer as the key, `S[0, :, :]`"
              : "use buffers of the kernel as keys: T.annotate_layout({S: layout})");
  return nullptr;
}

Value Elaborator::on_annotate_layout(Arguments& args) {
  const Dictionary* dict = args["layout_map"].value.get<Dictionary>();
  if (!need_kernel(args.span, "T.annotate_layout")) return {};
  if (!dict) {
    report(Diag::static_needed, args.span, "the table of layouts",
           describe(args["layout_map"].value))
        .help("T.annotate_layout({S: make_swizzled_layout(S)})");
    return {};
  }
  for (const auto& [key, value] : *dict->items) {
    const BufferRef* buffer = laid_out_buffer(key, args);
    if (!buffer) return {};
    const LayoutValue* given = value.get<LayoutValue>();
    const bool for_matmuls = given && given->for_matmuls && (*buffer)->scope == Scope::shared;
    if (value.poisoned() || for_matmuls) continue;
    if (given && (*buffer)->scope == Scope::local) {  // as in TileLang's examples
      report(usage::option_no_effect, args.span, "a layout of `" + (*buffer)->name.str() + "`")
          .label((*buffer)->span, "allocated here")
          .note("T.alloc_local is private to each thread, and row-major");
      continue;
    }
    if (in_pairs(**buffer)) {
      report(Diag::half_byte_use, args.span, "T.annotate_layout", (*buffer)->name)
          .label((*buffer)->span, "declared here")
          .help("omit its layout, or annotate a uint8 buffer of its bytes");
      return {};
    }
    if (!annotate(*buffer, value, args.span)) return {};
  }
  return None{};
}

/// loop_layout of T.Parallel and of copies: the thread of each iteration of `extents`. A copy does
/// not loop over dimensions of extent 1, but its layout may include them.
bool Elaborator::loop_layout(Arguments& args, const std::vector<int64_t>& extents, Layout& out) {
  if (!args.has("loop_layout") || args["loop_layout"].value.is<None>()) return true;
  const Argument& given = args["loop_layout"];
  const LayoutValue* value = given.value.get<LayoutValue>();
  if (!value || !value->map->is_fragment()) {
    report(Diag::layout_kind, given.span, "a loop", value ? "a T.Layout" : describe(given.value))
        .help("loop_layout=T.Fragment((16, 8), ...) gives the thread of each iteration");
    return false;
  }
  ForwardMap map = *value->map;
  if (map.shape != extents) std::erase(map.shape, 1);
  if (map.shape != extents) {
    report(Diag::layout_shape, given.span, "a layout of " + extents_text(value->map->shape),
           "a loop over " + extents_text(extents))
        .help("give the layout the shape of the loop");
    return false;
  }
  const ForwardLayout layout = layout_of(map, 1);
  if (!has_digits(layout, map, "loop_layout", given.span)) return false;
  if (!extents.empty()) out = layout.layout;  // otherwise there is no loop
  return true;
}

/// Adds the layouts of T.annotate_layout to the declarations.
Stmt Elaborator::with_layouts(const Stmt& body) const {
  if (layouts_.empty()) return body;
  return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
    const Buffer* buffer = as<Buffer>(s);
    auto found = buffer ? layouts_.find(buffer->name) : layouts_.end();
    if (found == layouts_.end()) return s;
    Buffer out(*buffer);
    const GivenLayout& given = found->second;
    out.layout = given.layout, out.swizzle = given.swizzle, out.where = given.where;
    return make(std::move(out));
  });
}

}  // namespace tilelab::elaborate
