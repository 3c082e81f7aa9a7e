// SPDX-License-Identifier: Apache-2.0
// Func.metered: memory traffic and operations of threads and units, by source line.
#include "core/sim/meter.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>

#include "core/layout/text.h"
#include "core/targets/peaks.h"
#include "python/compilation.h"
#include "python/runs.h"

namespace py = pybind11;

namespace tilelab::python {
namespace {

py::dict line_of(const Span& span) {
  py::dict out = place(span);
  out["text"] = span.known() ? source_line(span.file, span.line) : "";
  return out;
}

py::dict site_dict(const sim::MeteredSite& s) {
  py::dict out;
  out["span"] = line_of(s.span);
  out["launch"] = s.launch;
  out["buffer"] = s.buffer.str();
  out["dtype"] = std::string(tilelang_name(s.dtype));
  out["shared"] = s.shared;
  out["write"] = s.write;
  out["by"] = sim::mover_name(s.mover);
  out["bytes"] = s.bytes;
  out["runs"] = s.runs;
  out["lanes"] = s.lanes;
  out["idle"] = s.idle;
  out["asked"] = s.requested;
  out["moved"] = s.transferred;
  out["ideal"] = s.served.ideal;
  out["wavefronts"] = s.served.wavefronts;
  out["worst"] = s.served.worst;
  return out;
}

py::dict work_dict(const sim::MeteredWork& w) {
  py::dict out;
  out["span"] = line_of(w.span);
  out["unit"] = w.matrix ? "matrix" : w.special ? "special" : "arithmetic";
  out["dtype"] = std::string(tilelang_name(w.dtype));
  out["operations"] = w.operations;
  out["lanes"] = w.lanes;
  out["idle"] = w.idle;
  return out;
}

py::dict suggestion_dict(const LayoutSuggestion& suggestion, const sim::MeteredBuffer& b,
                         size_t rank) {
  const size_t own = std::min(std::max<size_t>(rank, 2), b.shape.size());
  const Index leading(b.shape.end() - int64_t(own), b.shape.end() - 2);
  py::dict out;
  out["kind"] = suggestion.kind == LayoutSuggestion::Kind::padding ? "padding" : "swizzle";
  out["text"] =
      suggestion_text(suggestion, b.name.str(), leading, {b.shape.end()[-2], b.shape.back()},
                      std::string(tilelang_name(b.dtype)));
  out["more_bytes"] = suggestion.more_bytes;
  Index shape(b.shape.end() - int64_t(own), b.shape.end());
  out["layout"] = "";
  if (suggestion.kind == LayoutSuggestion::Kind::padding) {
    shape.back() += suggestion.pad;
  } else {
    const ForwardLayout made = layout_of(suggestion, shape, sim::elem_bytes(b.dtype));
    const std::string text = to_text(made.layout);  // addr([64, 64], [[...], [...]])
    const size_t digits = text.find("], ") + 3;
    out["layout"] = "lay=" + text.substr(digits, text.size() - digits - 1) +
                    (made.swizzle.known() ? ", swz=" + to_text(made.swizzle) : "");
  }
  out["shape"] = shape;
  out["pad"] = suggestion.pad;
  out["ideal"] = suggestion.count.ideal;
  out["wavefronts"] = suggestion.count.wavefronts;
  out["worst"] = suggestion.count.worst;
  return out;
}

/// `ranks`: of the user's shared buffers; the compiler's own get no layout suggestion.
py::dict buffer_dict(const sim::Meter& meter, const sim::MeteredBuffer& b,
                     const std::map<std::string, size_t>& ranks) {
  py::dict out;
  out["name"] = b.name.str();
  out["launch"] = b.launch;
  out["shape"] = b.shape;
  out["dtype"] = std::string(tilelang_name(b.dtype));
  out["layout"] = b.layout.known() ? to_text(b.layout) : std::string("row-major");
  out["swizzle"] = b.swizzle.known() ? to_text(b.swizzle) : std::string();
  const auto rank = ranks.find(b.name.str());
  py::list suggestions;
  bool units = false, whole = true;
  if (rank != ranks.end()) {
    const sim::LayoutSuggestions found = sim::suggest_layouts(meter, b);
    for (const LayoutSuggestion& suggestion : found.suggestions)
      suggestions.append(suggestion_dict(suggestion, b, rank->second));
    units = found.units, whole = found.whole;
  }
  out["own"] = rank != ranks.end();
  out["suggestions"] = suggestions;
  out["units"] = units;
  out["whole"] = whole;
  return out;
}

/// At most this many blocks per launch; 0: all.
py::dict run_metered(const FuncObject& func, const py::list& described, int64_t most_blocks,
                     const std::map<std::string, size_t>& ranks, const py::object& progress) {
  sim::Meter meter;
  meter.most_blocks = most_blocks;
  sim::RunOptions options;
  options.threads = 1;
  options.meter = &meter;
  py::dict out;
  out["run"] = served_run(described, options, progress, [&](auto arguments, const auto& chosen) {
    return sim::run(*func.func, arguments, chosen);
  });
  py::list sites, work, buffers, tensors;
  for (const auto& one : meter.sites) sites.append(site_dict(one));
  for (const auto& one : meter.work) work.append(work_dict(one));
  for (const auto& one : meter.buffers) buffers.append(buffer_dict(meter, one, ranks));
  for (const auto& one : meter.tensors)
    tensors.append(py::make_tuple(one.name.str(), one.launch, one.bytes));
  out["sites"] = sites;
  out["work"] = work;
  out["buffers"] = buffers;
  out["tensors"] = tensors;
  out["blocks"] = meter.blocks;
  out["banks"] = py::make_tuple(meter.banks.banks, meter.banks.bank_bytes);
  return out;
}

}  // namespace

/// {"card", "source", "memory": bytes per second, "shared": ..., "special": ..., "matrix": {dtype:
/// operations per second}, "arithmetic": {dtype: ...}}, as far as known.
static py::dict peaks_of_target(const std::string& target) {
  py::dict out, matrix, arithmetic;
  for (const Peak& peak : peaks_of(target)) {
    out["card"] = std::string(peak.card);
    out["source"] = std::string(peak.source);
    const std::string dtype = peak.kind == PeakKind::matrix || peak.kind == PeakKind::arithmetic
                                  ? std::string(tilelang_name(peak.dtype))
                                  : std::string();
    if (peak.kind == PeakKind::matrix)
      matrix[py::str(dtype)] = peak.value;
    else if (peak.kind == PeakKind::arithmetic)
      arithmetic[py::str(dtype)] = peak.value;
    else
      out[peak_name(peak.kind)] = peak.value;
  }
  out["matrix"] = matrix;
  out["arithmetic"] = arithmetic;
  return out;
}

void bind_meter(py::module_& m, py::class_<FuncObject>& func) {
  m.def("peaks", &peaks_of_target, py::arg("target"));
  func.def("metered", &run_metered, py::arg("arguments"), py::arg("most_blocks") = 0,
           py::arg("ranks") = std::map<std::string, size_t>(), py::arg("progress") = py::none());
}

}  // namespace tilelab::python
