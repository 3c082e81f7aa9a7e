// SPDX-License-Identifier: Apache-2.0
// Annotations of a kernel: block order, launch bounds, safe values, aliasing, pass configurations,
// assumptions.
#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"
#include "core/ir/configs.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

Value Elaborator::on_use_swizzle(Arguments& args) {
  if (!need_kernel(args.span, "T.use_swizzle")) return {};
  if (!flag(args, "enable")) return None{};
  auto panel =
      static_count(args["panel_size"].value, args["panel_size"].span, "panel_size", 1, INT32_MAX);
  const auto* text = args["order"].value.get<std::string>();
  const std::string given = text ? *text : "", order = given == "col" ? "column" : given;
  if (!panel) return {};
  if (order != "row" && order != "column") {
    report(Diag::swizzle_order, args.span, word_text(args["order"].value))
        .help("use a panel_size of at least 1, and the order \"row\" or \"column\"");
    return {};
  }
  const bool second = find_attr(kernel_attrs_, "panel"), clusters = !kernel_frame_.cluster.empty();
  if (second || clusters || kernel_frame_.grid.size() < 2) {
    report(usage::option_no_effect, args.span, "T.use_swizzle")
        .note(second     ? "the first T.use_swizzle of the kernel applies"
              : clusters ? "the blocks of a cluster stay together"
                         : "a grid of one dimension has no panels");
    return None{};
  }
  kernel_attrs_.push_back(attr("panel", *panel));
  kernel_attrs_.push_back(attr("panel_order", order));
  return None{};
}

Value Elaborator::on_min_blocks(Arguments& args) {
  auto count = static_count(args["n"].value, args["n"].span, "the number of blocks", 1, kMaxCount);
  if (!count || !need_kernel(args.span, "T." + args.row->name)) return {};
  kernel_attrs_.push_back(attr("min_blocks", *count));
  return None{};
}

/// The tensors and values of an annotation's dictionary; nullopt after an error. `example`: a
/// value.
static std::optional<std::vector<std::pair<BufferRef, Value>>> by_tensor(const Arguments& args,
                                                                         std::string_view what,
                                                                         const std::string& example,
                                                                         Reporter& reporter) {
  const Argument& given = args.at(0);
  const std::string called = "T." + args.row->name, call = called + "({A: " + example + "})";
  const Dictionary* dict = given.value.get<Dictionary>();
  if (!dict) {
    reporter.report(Diag::static_needed, given.span, what, describe(given.value)).help(call);
    return std::nullopt;
  }
  std::vector<std::pair<BufferRef, Value>> out;
  for (const auto& [key, value] : *dict->items) {
    const BufferRef* buffer = key.get<BufferRef>();
    if (!buffer || (*buffer)->scope != Scope::global) {
      reporter.report(Diag::buffer_needed, given.span, called, describe(key))
          .help("use tensors of the kernel as keys: " + call);
      return std::nullopt;
    }
    out.emplace_back(*buffer, value);
  }
  return out;
}

Value Elaborator::on_safe_value(Arguments& args) {
  const auto items = by_tensor(args, "the table of safe values", "0.0", reporter_);
  if (!items) return {};
  for (const auto& [buffer, value] : *items) {
    Expr safe = stored_value(value, buffer->dtype, buffer->name, args.span);
    if (safe) buffer->safe = safe;
  }
  return None{};
}

Value Elaborator::on_restrict_buffers(Arguments& args) {
  for (const Argument& given : args.rest) {
    const BufferRef* buffer = given.value.get<BufferRef>();
    if (!buffer || (*buffer)->scope != Scope::global) {
      report(Diag::buffer_needed, given.span, "T.annotate_restrict_buffers", describe(given.value))
          .help("pass tensors of the kernel: T.annotate_restrict_buffers(A, B)");
      return {};
    }
    root_of(*buffer).aliased = true;
  }
  return None{};
}

Value Elaborator::on_l2_hit_ratio(Arguments& args) {
  const Span span = args.at(0).span;
  const auto items = by_tensor(args, "the table of ratios", "0", reporter_);
  if (!items) return {};
  for (const auto& [buffer, value] : *items) {
    const double* real = value.get<double>();
    const auto whole = integer_of(value);
    const double ratio = real ? *real : double(whole.value_or(-1));
    if (!(ratio >= 0 && ratio <= 1)) {
      report(Diag::static_needed, span, "a ratio from 0 to 1", describe(value))
          .help("0 for a tensor whose elements are loaded once: T.annotate_l2_hit_ratio({A: 0})");
      return {};
    }
    if (ratio == 0)
      root_of(buffer).evict_first = true;
    else if (reported_options_.insert("annotate_l2_hit_ratio").second)
      report(usage::option_no_effect, span, "a ratio above 0")
          .note("no part of the cache is reserved for a tensor");
  }
  return None{};
}

bool Elaborator::uses_units() const {
  const Attr* set = find_attr(configs_, "tilelab.hardware_units");
  return !set || set->integer != 0;
}

Value Elaborator::on_configs(Arguments& args) {
  const Dictionary* dict = args["configs"].value.get<Dictionary>();
  if (!dict) {
    report(usage::option_ignored, args["configs"].span, "`configs` of T.annotate_pass_configs")
        .note("only a literal dict is supported")
        .help(
            "write `T.annotate_pass_configs({\"tilelab.fp_contract\": False})`, or pass the dict "
            "to "
            "tilelang.jit as `pass_configs`");
    return None{};
  }
  bool units = uses_units();
  for (const auto& [key, value] : *dict->items) {
    const auto* name = key.get<std::string>();
    if (name && *name == "tilelab.hardware_units") units = integer_of(value).value_or(1) != 0;
  }
  for (const auto& [key, value] : *dict->items) {
    const auto* name = key.get<std::string>();
    auto number = integer_of(value);
    const auto* text = value.get<std::string>();
    if (name && config_is_unknown(*name)) {
      const std::string ours = name->starts_with("tilelab.") ? *name : "tilelab." + *name;
      suggest(report(usage::pass_config_unknown, args["configs"].span, "'" + *name + "'"), ours,
              names_of(config_rows()));
      continue;
    }
    if (name && !config_is_read(*name, units) && reported_options_.insert(*name).second)
      report(usage::option_no_effect, args.span, "the pass configuration " + *name)
          .note("it configures the passes of another compiler; results are the same without it");
    if (!name) continue;
    std::optional<Attr> config;
    if (text) config = attr(Symbol(*name), *text);
    if (number) config = attr(Symbol(*name), *number);
    if (number && value.is<bool>()) config = attr(Symbol(*name), *number != 0);
    const std::string needs = config_needs(*name, config ? &*config : nullptr);
    if (!needs.empty())
      report(usage::pass_config_value, args["configs"].span,
             number ? std::to_string(*number) : word_text(value), "'" + *name + "'")
          .help("use " + needs);
    else if (config)
      configs_.push_back(*config);
  }
  return None{};
}

/// A condition that each call checks before the kernel starts.
void Elaborator::check_on_host(Expr cond, std::string message, Span span) {
  signature_.use_extents({cond}, ir_);
  Check check;
  check.cond = std::move(cond);
  check.message = std::move(message);
  ir_.block(0).push_back(at(span, Stmt(make(std::move(check)))));
}

Value Elaborator::on_assume(Arguments& args) {
  if (request_.signature_only) return None{};
  Expr cond = to_bool(args["condition"].value, args["condition"].span);
  if (!cond || is_int(cond, 1)) return None{};
  const std::string message = "Assume: " + expr_text(cond);
  if (!in_kernel_ || signature_.computes(cond)) {  // evaluated by the host
    check_on_host(std::move(cond), message, args.span);
    return None{};
  }
  Record record;
  record.what = RecordKind::assume;
  record.message = message;
  record.values = {std::move(cond)};
  emit(make(std::move(record)), args.span);
  return None{};
}

}  // namespace tilelab::elaborate
