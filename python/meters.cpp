// SPDX-License-Identifier: Apache-2.0
// Func.metered: memory traffic and operations of threads and units, by source line.
#include "core/sim/meter.h"

#include <map>

#include "core/layout/text.h"
#include "core/targets/peaks.h"
#include "python/compilation.h"
#include "python/runs.h"

namespace tilelab::python {
namespace {

using Ranks = std::map<std::string, size_t>;

Object site_dict(const sim::MeteredSite& s) {
  return dict_of("span", line_of(s.span), "launch", s.launch, "buffer", s.buffer.str(), "dtype",
                 tilelang_name(s.dtype), "shared", s.shared, "write", s.write, "by",
                 sim::mover_name(s.mover), "bytes", s.bytes, "runs", s.runs, "lanes", s.lanes,
                 "idle", s.idle, "asked", s.requested, "moved", s.transferred, "ideal",
                 s.served.ideal, "wavefronts", s.served.wavefronts, "worst", s.served.worst);
}

Object work_dict(const sim::MeteredWork& w) {
  return dict_of("span", line_of(w.span), "unit",
                 w.matrix    ? "matrix"
                 : w.special ? "special"
                             : "arithmetic",
                 "dtype", tilelang_name(w.dtype), "operations", w.operations, "lanes", w.lanes,
                 "idle", w.idle);
}

/// A swizzle suggestion's layout in the form of IR text.
std::string layout_of_suggestion(const LayoutSuggestion& suggestion, const Index& shape,
                                 DType dtype) {
  const ForwardLayout made = layout_of(suggestion, shape, sim::elem_bytes(dtype));
  const std::string text = to_text(made.layout);  // addr([64, 64], [[...], [...]])
  const size_t digits = text.find("], ") + 3;
  return "lay=" + text.substr(digits, text.size() - digits - 1) +
         (made.swizzle.known() ? ", swz=" + to_text(made.swizzle) : "");
}

Object suggestion_dict(const LayoutSuggestion& suggestion, const sim::MeteredBuffer& b,
                       size_t rank) {
  const bool pads = suggestion.kind == LayoutSuggestion::Kind::padding;
  const size_t own = std::min(std::max<size_t>(rank, 2), b.shape.size());
  const Index leading(b.shape.end() - int64_t(own), b.shape.end() - 2);
  Index shape(b.shape.end() - int64_t(own), b.shape.end());
  if (pads) shape.back() += suggestion.pad;
  return dict_of(
      "kind", pads ? "padding" : "swizzle", "text",
      suggestion_text(suggestion, b.name.str(), leading, {b.shape.end()[-2], b.shape.back()},
                      std::string(tilelang_name(b.dtype))),
      "more_bytes", suggestion.more_bytes, "layout",
      pads ? std::string() : layout_of_suggestion(suggestion, shape, b.dtype), "shape", shape,
      "pad", suggestion.pad, "ideal", suggestion.count.ideal, "wavefronts",
      suggestion.count.wavefronts, "worst", suggestion.count.worst);
}

/// `ranks`: of the user's shared buffers; the compiler's own get no layout suggestion.
Object metered_dict(const sim::Meter& meter, const sim::MeteredBuffer& b, const Ranks& ranks) {
  const auto rank = ranks.find(b.name.str());
  const bool own = rank != ranks.end();
  const auto found = own ? sim::suggest_layouts(meter, b) : sim::LayoutSuggestions();
  return dict_of("name", b.name.str(), "launch", b.launch, "shape", b.shape, "dtype",
                 tilelang_name(b.dtype), "layout",
                 b.layout.known() ? to_text(b.layout) : std::string("row-major"), "swizzle",
                 b.swizzle.known() ? to_text(b.swizzle) : std::string(), "own", own, "suggestions",
                 list_of(found.suggestions,
                         [&](const auto& one) { return suggestion_dict(one, b, rank->second); }),
                 "units", own && found.units, "whole", !own || found.whole);
}

/// At most this many blocks per launch; 0: all.
Object run_metered(const FuncObject& func, const std::vector<sim::Argument>& arguments,
                   int64_t most_blocks, const Ranks& ranks, const Object& progress) {
  sim::Meter meter;
  meter.most_blocks = most_blocks;
  sim::RunOptions options;
  options.threads = 1;
  options.meter = &meter;
  Object run = served_run(arguments, options, progress, [&](auto given, const auto& chosen) {
    return sim::run(*func.func, given, chosen);
  });
  auto buffer = [&](const auto& one) { return metered_dict(meter, one, ranks); };
  auto tensor = [](const auto& one) { return tuple_of(one.name.str(), one.launch, one.bytes); };
  return dict_of("run", run, "sites", list_of(meter.sites, site_dict), "work",
                 list_of(meter.work, work_dict), "buffers", list_of(meter.buffers, buffer),
                 "tensors", list_of(meter.tensors, tensor), "blocks", meter.blocks, "banks",
                 tuple_of(meter.banks.banks, meter.banks.bank_bytes));
}

/// {"card", "source", "memory": bytes per second, "shared": ..., "special": ..., "matrix": {dtype:
/// operations per second}, "arithmetic": {dtype: ...}}, as far as known.
Object peaks_of_target(const std::string& target) {
  Object out = dict_of(), matrix = dict_of(), arithmetic = dict_of();
  for (const Peak& peak : peaks_of(target)) {
    set(out, "card", peak.card);
    set(out, "source", peak.source);
    if (peak.kind == PeakKind::matrix)
      set(matrix, tilelang_name(peak.dtype), peak.value);
    else if (peak.kind == PeakKind::arithmetic)
      set(arithmetic, tilelang_name(peak.dtype), peak.value);
    else
      set(out, peak_name(peak.kind), peak.value);
  }
  set(out, "matrix", matrix);
  set(out, "arithmetic", arithmetic);
  return out;
}

}  // namespace

void bind_meter(const Object& module, Members& func) {
  add_functions(module, {function<peaks_of_target>("peaks", "target")});
  func.push_back(method<run_metered>("metered", "arguments, most_blocks?, ranks?, progress?"));
}

}  // namespace tilelab::python
