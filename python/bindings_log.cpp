// SPDX-License-Identifier: Apache-2.0
// Func.run_logged: a run that records the writers of watched elements and the writes of each
// statement of a block. Comparison of two snapshots.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <cstring>

#include "core/ir/traverse.h"
#include "core/passes/pass.h"
#include "core/sim/write_log.h"
#include "core/syntax/parser.h"
#include "python/compilation.h"
#include "python/results.h"
#include "python/runs.h"
#include "python/traces.h"

namespace py = pybind11;

namespace tilelab::python {
namespace {

/// The distance from 1 to the next number of a floating-point kind.
double epsilon(DType dtype) {
  const uint64_t one = encode_float(dtype, 1);
  return decode_float(dtype, one + 1) - 1;
}

py::tuple place_tuple(const sim::MemoryPlace& p) {
  return py::make_tuple(p.tensor.str(), p.byte, p.launch, p.block);
}

py::dict value_dict(const sim::LoggedValue& v) {
  py::dict out;
  out["buffer"] = v.buffer.str();
  out["scope"] = v.scope;
  out["element"] = v.element;
  out["place"] = place_tuple(v.place);
  out["dtype"] = std::string(tilelang_name(v.dtype));
  out["bits"] = v.bits;
  out["value"] = number_object(v.dtype, v.bits);
  out["outside"] = v.outside;
  out["role"] = v.role;
  return out;
}

/// The source location of a statement, and its line.
py::dict line_dict(const Span& span) {
  py::dict out = place(span);
  out["text"] = span.known() ? source_line(span.file, span.line) : "";
  const std::string mark = syntax::origin_text(span);  // as in IR text, with the column
  out["mark"] = mark.substr(0, mark.rfind(':'));
  return out;
}

py::dict write_dict(const sim::LoggedWrite& w) {
  py::list of;
  for (const sim::LoggedValue& v : w.of) of.append(value_dict(v));
  py::dict out;
  out["when"] = w.when;
  out["launch"] = w.launch;
  out["number"] = w.number;
  out["block"] = py::make_tuple(w.block[0], w.block[1], w.block[2]);
  out["span"] = line_dict(w.span);
  out["how"] = w.how;
  out["actor"] = w.actor;
  out["to"] = value_dict(w.to);
  out["of"] = of;
  return out;
}

/// `cells`: (byte, count, hash, last value) of each, packed as "<qqQQ".
py::dict statement_dict(const sim::WrittenBy& by) {
  std::string cells;
  auto put = [&](uint64_t word) {
    cells.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  for (const auto& [byte, cell] : by.cells) {
    put(static_cast<uint64_t>(byte)), put(static_cast<uint64_t>(cell.count));
    put(cell.hash), put(cell.last);
  }
  py::dict out;
  out["span"] = line_dict(by.span);
  out["buffer"] = by.buffer.str();
  out["dtype"] = std::string(tilelang_name(by.dtype));
  out["global"] = by.global;
  out["cells"] = py::bytes(cells);
  py::list visits;
  for (const auto& visit : by.visits) visits.append(py::make_tuple(visit.when, visit.hash));
  out["visits"] = visits;
  return out;
}

/// (result, [(count, [writes])] for each watched location, [statements])
py::tuple run_logged(const FuncObject& self, const py::list& described, const py::list& watched,
                     const py::object& statements, int64_t block, const py::object& progress) {
  sim::WriteLog log;
  for (auto item : watched) {
    auto [tensor, byte, launch, number, until] =
        item.cast<std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>>();
    sim::WatchedPlace one{{tensor.empty() ? Symbol() : Symbol(tensor), byte, launch, number}};
    if (until >= 0) one.until = until;
    log.watched.push_back(one);
  }
  if (!statements.is_none()) {
    log.statements = true;
    std::tie(log.launch, log.block) = statements.cast<std::pair<int64_t, int64_t>>();
  }
  sim::Sample sample;
  if (block >= 0) sample.blocks = {block};
  sim::RunOptions options;
  options.log = &log;
  options.threads = 1;
  if (block >= 0) options.sample = &sample;
  py::dict result = served_run(
      described, options, progress,
      [&](auto arguments, const auto& chosen) { return sim::run(*self.func, arguments, chosen); });
  py::list seen, written;
  for (const sim::SeenWrites& one : log.seen) {
    py::list last;
    for (const sim::LoggedWrite& write : one.last) last.append(write_dict(write));
    seen.append(py::make_tuple(one.count, last));
  }
  for (const sim::WrittenBy& by : log.written) written.append(statement_dict(by));
  return py::make_tuple(result, seen, written);
}

int64_t kernels_of(const FuncObject& self) {
  int64_t count = 0;
  walk(*self.func->body, [&](const Node& node) {
    count += node.kind == Kind::Kernel;
    return node.kind != Kind::Kernel;
  });
  return count;
}

/// Whether the pass of the function's name may change the bits of results.
bool reassociated(const FuncObject& after, const FuncObject& before) {
  const PassInfo* pass = find_pass(after.func->after);
  return pass && has_reassociated(*pass, *before.func, *after.func);
}

/// The difference of two memories of one dtype: (count, index of the first element, both values),
/// or None. Floats may differ by `ulps` of the largest magnitude; 0: bitwise, except for NaN.
py::object differ(const std::string& name, const std::string& a, const std::string& b,
                  double ulps) {
  const auto dtype = dtype_from_name(name);
  if (!dtype || a.size() != b.size())
    throw py::value_error("memories to compare need the same dtype and size");
  const auto width = static_cast<size_t>(bytes(*dtype));
  auto bits = [&](const std::string& from, size_t at) {
    uint64_t out = 0;
    std::memcpy(&out, from.data() + at, width);
    return out;
  };
  double largest = 0;
  for (size_t at = 0; is_float(*dtype) && ulps > 0 && at + width <= a.size(); at += width)
    if (double x = std::fabs(decode_float(*dtype, bits(a, at))); std::isfinite(x))
      largest = std::max(largest, x);
  const double slack = is_float(*dtype) ? ulps * epsilon(*dtype) * largest : 0;
  int64_t count = 0, first = -1;
  for (size_t at = 0; at + width <= a.size(); at += width) {
    const uint64_t u = bits(a, at), v = bits(b, at);
    if (u == v) continue;
    if (is_float(*dtype)) {
      const double x = decode_float(*dtype, u), y = decode_float(*dtype, v);
      if ((std::isnan(x) && std::isnan(y)) || (ulps > 0 && std::fabs(x - y) <= slack)) continue;
    }
    if (count++ == 0) first = static_cast<int64_t>(at / width);
  }
  if (!count) return py::none();
  const size_t at = static_cast<size_t>(first) * width;
  return py::make_tuple(count, first, number_object(*dtype, bits(a, at)),
                        number_object(*dtype, bits(b, at)));
}

}  // namespace

void bind_log(py::module_& m, py::class_<FuncObject>& func) {
  m.def("differ", &differ, py::arg("dtype"), py::arg("a"), py::arg("b"), py::arg("ulps") = 0.0);
  m.def("number", [](const std::string& name, uint64_t bits) {
    return number_object(dtype_from_name(name).value(), bits);
  });
  func.def("run_logged", &run_logged, py::arg("arguments"), py::arg("watched") = py::list(),
           py::arg("statements") = py::none(), py::arg("block") = -1,
           py::arg("progress") = py::none())
      .def_property_readonly("kernels", &kernels_of)
      .def("reassociated", &reassociated, py::arg("before"))
      .def("without_contraction", [](const FuncObject& f) {
        return FuncObject{without_contraction(f.func), f.said, f.from_text};
      });
}

}  // namespace tilelab::python
