// SPDX-License-Identifier: Apache-2.0
// Calls of intrinsics: operands checked by the columns of intrinsics.def, attributes by the rows of
// attributes.def.
#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/intrinsics/call_type.h"
#include "core/ir/intrinsics/copied_elements.h"
#include "core/ir/linear.h"
#include "core/ir/text/print.h"
#include "core/ir/traverse.h"
#include "core/ir/verify/verifier.h"
#include "core/support/text.h"

namespace tilelab {

/// Depends on constants and on unrolled loop variables only.
bool Verifier::constant_when_unrolled(const Expr& e) const {
  return !contains<Load, Call>(*e) && !any_of(*e, [&](const Name& n) {
    const Entry* entry = find(n.id);
    return !entry || !entry->unrolled;
  });
}

/// Whether an operand matches its column, and a description of that column.
std::pair<bool, const char*> Verifier::is_operand(const Call& call, size_t i) const {
  const Expr& arg = call.args[i];
  const Region* region = as<Region>(arg);
  const DType dtype = arg->type.dtype;
  const bool number = arg->type.scalar() && !is_float(dtype) && dtype != DType::bool_;
  // A byte address, a descriptor or an ID for copy engines and matrix units.
  const bool at_flat = level_ == Level::flat && number && info(call.intrinsic).async != Async::cp;
  const Entry* entry = region ? find(region->buffer) : nullptr;
  auto in = [&](Scope scope) { return region && (!entry || entry->scope == scope); };
  switch (operand_info(call, i)->kind) {
    case OperandKind::value: return {arg->type.scalar(), "a scalar"};
    case OperandKind::values: return {true, ""};
    case OperandKind::numbers: return {dtype != DType::bool_, "a number"};
    case OperandKind::floats: return {is_float(dtype), "a float"};
    case OperandKind::wholes:
      if (call.intrinsic == Intrinsic::philox) return {dtype == DType::u64, "a u64"};
      return {!is_float(dtype) && dtype != DType::bool_, "an integer"};
    case OperandKind::integer: return {number, "an integer"};
    case OperandKind::immediate: return {int_value(arg).value_or(-1) >= 0, "a constant from 0 on"};
    case OperandKind::barrier:
      return {level_ == Level::flat ? arg->type == Type{DType::i32} : in(Scope::barrier),
              "a barrier"};
    case OperandKind::shared: return {in(Scope::shared) || at_flat, "a part of shared memory"};
    case OperandKind::matrix:
      return {in(Scope::shared) || in(Scope::local) || at_flat, "an operand of a matrix unit"};
    case OperandKind::local: return {in(Scope::local), "a slice of a local buffer"};
    case OperandKind::global: return {in(Scope::global), "a part of a global tensor"};
    case OperandKind::place:
      return {region && (!entry || entry->scope != Scope::barrier), "a part of a buffer"};
    case OperandKind::map: return {as<Name>(arg) != nullptr, "a tensor map"};
    case OperandKind::coordinates: return {false, "a list of coordinates"};  // see `operand`
    case OperandKind::any: break;  // of a foreign function: operand_info knows more
  }
  return {true, ""};
}

void Verifier::operand(const Call& call, size_t i) {
  const Expr& arg = call.args[i];
  const OperandInfo* operand = operand_info(call, i);
  const Vec* list = as<Vec>(arg);
  if (list && list->op == VecOp::list && operand && operand->kind == OperandKind::coordinates) {
    for (const Expr& part : list->parts) integer(part, "a coordinate");
    return;
  }
  const Name* map = operand && operand->kind == OperandKind::map ? as<Name>(arg) : nullptr;
  if (const Region* box = as<Region>(arg); box && operand && operand->is_place())
    region(*box, operand->kind == OperandKind::barrier);
  else if (map)
    need(map->id, Entry::What::map, "a tensor map");
  else
    expr(arg);
  if (!arg || !operand) return;  // excess operands: reported with the call
  const auto [is, what] = is_operand(call, i);
  if (!is) rule("operand " + std::to_string(i) + " of `" + name(call.intrinsic) + "` is " + what);
  if (level_ != Level::tile) registers(arg, operand->kind);
}

/// Registers have no addresses: the selected register must be known at compile time.
void Verifier::registers(const Expr& arg, OperandKind kind) {
  const Region* region = as<Region>(arg);
  const Entry* entry = region ? find(region->buffer) : nullptr;
  if (!entry || entry->scope != Scope::local) return;
  if (kind != OperandKind::local && kind != OperandKind::matrix) return;
  for (size_t i = 0; i < region->dims.size(); ++i) {
    const RegionDim& dim = region->dims[i];
    if (!constant_when_unrolled(dim.lo))
      rule("registers are named by constants, but `" + print(dim.lo) +
           "` is only known at run time");
    const auto first = evaluate(dim.lo, [](Symbol) { return std::optional<int64_t>(); });
    const auto all = i < entry->shape->size() ? int_value((*entry->shape)[i]) : std::nullopt;
    if (all && (dim.extent > *all || (first && (*first < 0 || *first + dim.extent > *all))))
      rule("`" + print(arg) + "` names registers beyond the " + std::to_string(*all) + " of `" +
           region->buffer.str() + "`");
  }
}

// ---- attributes

namespace {

enum class Needed : uint8_t { never, always, flat };

struct AttributeRow {
  const char *name, *intrinsics;
  Attr::Form form;
  const char* values;
  Needed needed;
};

constexpr AttributeRow kAttributes[] = {
#define ATTRIBUTE(name, intrinsics, form, values, needed) \
  {#name, intrinsics, Attr::Form::form, values, Needed::needed},
#include "core/ir/intrinsics/attributes.def"
};

bool has_word(std::string_view words, std::string_view word) {
  for (size_t end = 0; !words.empty(); words.remove_prefix(std::min(end + 1, words.size()))) {
    end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
  }
  return false;
}

/// The rows of an intrinsic, cached: every call is checked.
const std::vector<const AttributeRow*>& rows_of(Intrinsic intrinsic) {
  static const auto* all = [] {
    auto* made = new std::vector<std::vector<const AttributeRow*>>;
    for (int i = 0; i < kIntrinsicCount; ++i) {
      made->emplace_back();
      for (const AttributeRow& row : kAttributes)
        if (has_word(row.intrinsics, name(static_cast<Intrinsic>(i))) ||
            (info(static_cast<Intrinsic>(i)).step == Step::atomic &&
             has_word(row.intrinsics, "atomic")))
          made->back().push_back(&row);
    }
    return made;
  }();
  return (*all)[static_cast<size_t>(intrinsic)];
}

const char* form_text(Attr::Form form) {
  switch (form) {
    case Attr::Form::integer: return "an integer";
    case Attr::Form::boolean: return "True or False";
    case Attr::Form::string: return "a string";
    case Attr::Form::list: return "a list of integers";
  }
  return "";
}

std::string one_of(const std::string& words, const std::string& word) {
  return has_word(words, word) ? "" : "one of " + join(split(words, ' '), ", ");
}

/// Parses "lo..hi"; whether all of `list` are in the range.
bool in_range(const std::string& range, const std::vector<int64_t>& list) {
  const int64_t lo = std::atoll(range.c_str());
  const int64_t hi = std::atoll(range.c_str() + range.find("..") + 2);
  return std::all_of(list.begin(), list.end(), [&](int64_t x) { return x >= lo && x <= hi; });
}

/// Describes the expected value; "" if the value is valid.
std::string wanted(const AttributeRow& row, Intrinsic intrinsic, const Attr& a) {
  if (a.form != row.form) return form_text(row.form);
  const std::string values = row.values;
  switch (row.form) {
    case Attr::Form::boolean: return "";
    case Attr::Form::integer:
      if (values.find("..") == values.npos) return one_of(values, std::to_string(a.integer));
      return in_range(values, {a.integer}) ? "" : "in " + values;
    case Attr::Form::list:
      if (a.list.empty() || a.list.size() > 5) return "of 1 to 5 extents";
      return in_range(values, a.list) ? "" : "of extents in " + values;
    case Attr::Form::string: break;
  }
  if (values == "shape")
    return is_matrix_shape(intrinsic, a.string) ? "" : "a shape of this instruction";
  if (values == "text") return a.string.empty() ? "text" : "";
  if (values == "dtype") return dtype_from_name(a.string) ? "" : "a dtype";
  return one_of(values, a.string);
}

}  // namespace

void Verifier::attributes(const Call& call) {
  const std::vector<const AttributeRow*>& rows = rows_of(call.intrinsic);
  if (rows.empty() && call.attrs.empty()) return;
  const std::string of = name(call.intrinsic);
  for (size_t i = 0; i < call.attrs.size(); ++i) {
    const Attr& a = call.attrs[i];
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](auto* r) { return a.name == Symbol(r->name); });
    if (row == rows.end()) {
      rule("`" + of + "` has no attribute `" + a.name.str() + "`");
      continue;
    }
    if (find_attr(call.attrs, a.name) != &a)
      rule("`" + of + "` has its attribute `" + a.name.str() + "` twice");
    if (const std::string what = wanted(**row, call.intrinsic, a); !what.empty())
      rule("the attribute `" + a.name.str() + "` of `" + of + "` is " + what);
  }
  for (const AttributeRow* row : rows) {
    const bool needed =
        row->needed == Needed::always || (row->needed == Needed::flat && level_ == Level::flat);
    if (needed && !find_attr(call.attrs, row->name))
      rule("`" + of + "` needs its attribute `" + row->name + "`" +
           (row->needed == Needed::flat ? " at flat level" : ""));
  }
}

/// A barrier of a part of a block has an ID and states the number of threads.
void Verifier::partial_barrier(const Call& n) {
  if (!is_part_barrier(n.intrinsic) || level_ == Level::flat) return;
  const bool numbered = find_attr(n.attrs, "id"), counted = find_attr(n.attrs, "threads");
  const std::string of = "`" + std::string(name(n.intrinsic)) + "`";
  if (numbered != counted) return rule(of + " has both its `id` and `threads`, or neither");
  if (!numbered && from(Stage::allocate_barriers))
    missing(Stage::allocate_barriers, of + " has no number");
  const int64_t all = threads_here(), group = 4 * limits_.lanes;
  if (n.intrinsic == Intrinsic::range_sync && n.args.size() == 2) {
    const int64_t lo = int_value(n.args[0]).value_or(-1), hi = int_value(n.args[1]).value_or(-1);
    if (lo < 0 || hi <= lo || lo % limits_.lanes || hi % limits_.lanes || hi - lo > all)
      rule(of + " synchronizes whole warps of the " + std::to_string(all) + " threads here, not " +
           std::to_string(lo) + " to " + std::to_string(hi - 1));
  }
  if (n.intrinsic == Intrinsic::group_sync && all % group != 0)
    rule(of + " synchronizes " + std::to_string(group) + " threads; the " + std::to_string(all) +
         " that reach it are not a multiple of that");
}

/// Named barriers are for whole warps, with the same count at every use of an ID.
void Verifier::named(const Call& n) {
  if (!is_named_barrier(n.intrinsic) || n.args.size() != 1) return;
  const std::string of = "`" + std::string(name(n.intrinsic)) + "`";
  const Attr *threads = find_attr(n.attrs, "threads"), *id = find_attr(n.attrs, "id");
  if (!threads) return;
  const auto number = evaluate(n.args[0], [](Symbol) { return std::optional<int64_t>(); });
  if (number && (*number < 1 || *number > 15))
    rule(of + " uses one of the barriers 1 to 15, not " + std::to_string(*number));
  if (threads->integer % limits_.lanes != 0)
    rule(of + " needs whole warps of " + std::to_string(limits_.lanes) + " threads, not " +
         std::to_string(threads->integer));
  const bool registers = limits_.barrier_ids > 0;
  if (id && !registers)
    rule(of + " has an `id`, but the barriers of this target are not registers");
  if (!id && registers && level_ != Level::tile && from(Stage::allocate_barriers))
    missing(Stage::allocate_barriers, of + " has no number");
  named_.emplace(number.value_or(-1), threads->integer);
  for (const auto& [other, count] : named_)
    if (count != threads->integer && (!number || other == *number || other < 0))
      return rule(of + " is for " + std::to_string(threads->integer) +
                  " threads at a barrier that is for " + std::to_string(count) + " elsewhere");
}

/// The number of hardware barriers is limited; other barriers occupy the end of the kernel's shared
/// memory and must not overlap a buffer.
void Verifier::reserved_barriers(const Call& n) {
  if (n.intrinsic == Intrinsic::bar_reserve && !n.args.empty() && kernel_)
    check_barrier_space(int_value(n.args[0]).value_or(0));
}

/// The same once barriers have IDs, before flatten reserves them.
void Verifier::numbered_barriers(const Kernel& k) {
  if (level_ != Level::thread || !from(Stage::allocate_barriers)) return;
  int64_t end = 0;
  for_each(*k.body, [&](const Buffer& b) {
    if (b.scope == Scope::barrier && b.shape.size() == 1)
      end = std::max(end, b.id + int_value(b.shape[0]).value_or(0));
  });
  if (end > 0) check_barrier_space(limits_.barrier_ids > 0 ? end - 1 : end);
}

void Verifier::check_barrier_space(int64_t count) {
  const std::string of = plural(count, "barrier");
  if (limits_.barrier_ids > 0 && count > limits_.barrier_ids)
    rule(of + " are more than the " + std::to_string(limits_.barrier_ids) + " of the hardware");
  const int64_t bytes = count * limits_.barrier_bytes;
  if (bytes == 0) return;
  if (bytes > kernel_->smem)
    return rule(of + " do not fit the kernel's " +
                std::to_string(std::max<int64_t>(kernel_->smem, 0)) +
                " bytes of shared memory (`smem`)");
  for_each(*kernel_->body, [&](const Buffer& b) {
    const bool sized = std::all_of(b.shape.begin(), b.shape.end(), int_value);
    if (sized && b.scope == Scope::shared && b.at + allocated_bytes(b) > kernel_->smem - bytes)
      rule(of + ", the last " + std::to_string(bytes) + " bytes of the kernel's " +
           std::to_string(kernel_->smem) + " (`smem`), overlap `" + b.name.str() + "`");
  });
}

// ---- the call

/// Operands that must share a dtype do.
void Verifier::operand_types(const Call& n) {
  const std::string_view of = name(n.intrinsic);
  const uint32_t same = same_dtype_operands(n.intrinsic);
  const Expr* first = nullptr;
  for (size_t i = 0; i < n.args.size(); ++i) {
    if (!n.args[i]) return;
    if (!(same >> i & 1)) continue;
    if (!first)
      first = &n.args[i];
    else if ((*first)->type.dtype != n.args[i]->type.dtype)
      report(Diag::ir_type, n.args[i]->span, to_string(n.args[i]->type),
             to_string((*first)->type) + ", as another operand of `" + std::string(of) + "` has,");
  }
  if (n.intrinsic == Intrinsic::select && !n.args.empty()) boolean_type(n.args[0], "a condition");
}

/// The result type of a call matches the table.
void Verifier::result_type(const Call& n) {
  for (const Expr& arg : n.args)
    if (!arg) return;  // reported with the operand
  if (n.intrinsic == Intrinsic::bits && !n.args.empty() &&
      (n.args[0]->type.lanes != n.type.lanes || bits(n.args[0]->type.dtype) != bits(n.type.dtype)))
    rule("`bits` must keep the number of bits: " + to_string(n.args[0]->type) + " is not " +
         to_string(n.type));
  const CallResult result = info(n.intrinsic).result;
  const char* of = name(n.intrinsic);
  if (result == CallResult::nothing) return rule("`" + std::string(of) + "` gives no value");
  if (result == CallResult::stated) return;
  const Type natural = natural_type(n.intrinsic, n.args);
  if (n.type != natural)
    report(Diag::ir_type, n.span, to_string(n.type),
           to_string(natural) + ", which `" + std::string(of) + "` gives,");
}

/// An atomic accesses one element, of a dtype that it can combine. Sums without a result may access
/// adjacent elements, below tile level.
void Verifier::atomic_elements(const Call& n, bool result) {
  if (info(n.intrinsic).step != Step::atomic || n.args.empty() || !n.args[0]) return;
  const Region* into = as<Region>(n.args[0]);
  const int lanes = n.args.size() > 1 && n.args[1] ? n.args[1]->type.lanes : 1;
  const std::string of = "`" + std::string(name(n.intrinsic)) + "`";
  if (const DType dtype = n.args[0]->type.dtype; !has_atomic(n.intrinsic, dtype))
    rule(of + " of " + name(dtype));
  if (into && elements(*into) != lanes)
    rule(of + " of " + plural(elements(*into), "element") + " and " + plural(lanes, "value"));
  else if (lanes > 1 && (result || level_ == Level::tile))
    rule(of + " of " + plural(lanes, "element") +
         (result ? " has no result" : " is not an operation of tile level"));
}

/// An asynchronous copy of a thread has one vector on either side, and a condition.
void Verifier::copied_vector(const Call& n) {
  if (n.intrinsic != Intrinsic::cp_async) return;
  const Region* into = n.args.empty() ? nullptr : as<Region>(n.args[0]);
  const Region* from = n.args.size() < 2 ? nullptr : as<Region>(n.args[1]);
  const auto is_vector = [](const Region& region) {
    return region.dims.empty() || elements(region) == region.dims.back().extent;
  };
  if (into && from &&
      (elements(*into) != elements(*from) || !is_vector(*into) || !is_vector(*from)))
    rule("`cp_async` copies adjacent elements to as many");
  if (n.args.size() > 2 && n.args[2]) boolean_type(n.args[2], "a condition");
}

void Verifier::call(const Call& n, bool result) {
  OperandCount count = operand_count(n.intrinsic);
  auto given = static_cast<int>(n.args.size());
  if (positional_attr(n.intrinsic)) count.least = 0;
  if (given < count.least || (count.most >= 0 && given > count.most))
    rule("`" + std::string(name(n.intrinsic)) + "` has " + plural(given, "operand"));
  for (size_t i = 0; i < n.args.size(); ++i) operand(n, i);
  attributes(n);
  matrix_operands(n);
  partial_barrier(n);
  named(n);
  reserved_barriers(n);
  operand_types(n);
  copied_vector(n);
  atomic_elements(n, result);
  const bool by_threads =
      info(n.intrinsic).scope != CollectiveScope::none || n.intrinsic == Intrinsic::leader;
  if (by_threads && !kernel_)
    rule("`" + std::string(name(n.intrinsic)) +
         "` is an operation of threads, but is outside a kernel");
  const Feature needs = needed(n.intrinsic, level_);
  if (!limits_.features.has(needs))
    report(Diag::target_lacks, n.span.known() ? n.span : here_, name(n.intrinsic), func_.target,
           reason_without(needs));
}

void Verifier::check(const Call& n) {
  call(n, true);
  result_type(n);
  if (!info(n.intrinsic).pure()) report(Diag::ir_effect, n.span, name(n.intrinsic));
}

/// The whole value of a Let or Assign: here the call may have an effect.
void Verifier::effect_call(const Expr& e) {
  const Call* n = as<Call>(e);
  if (!n) return expr(e);
  call(*n, true);
  result_type(*n);
}

}  // namespace tilelab
