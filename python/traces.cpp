// SPDX-License-Identifier: Apache-2.0
#include "python/traces.h"

#include <pybind11/stl.h>

#include <cstring>

#include "core/support/check.h"
#include "python/runs.h"

namespace py = pybind11;

namespace tilelab::python {

py::object number_object(DType dtype, uint64_t bits) {
  if (is_float(dtype)) return py::float_(decode_float(dtype, bits));
  if (dtype == DType::bool_) return py::bool_(bits != 0);
  if (is_unsigned(dtype)) return py::int_(bits);
  return py::int_(wrap_int(dtype, static_cast<int64_t>(bits)));
}

namespace {

py::dict names_dict(const std::vector<sim::TraceValue>& names) {
  py::dict out;
  for (const sim::TraceValue& v : names) {
    py::list lanes;
    for (uint64_t bits : v.bits) lanes.append(number_object(v.dtype, bits));
    out[py::str(v.name.str())] = v.bits.size() == 1 ? py::object(lanes[0]) : py::object(lanes);
  }
  return out;
}

py::dict touch_dict(const sim::TraceTouch& t) {
  py::dict out;
  out["buffer"] = t.buffer.str();
  out["what"] = !t.write ? "read" : t.atomic ? "atomic" : "write";
  out["of_threads"] = t.of_threads;
  out["late"] = t.late;
  out["lo"] = t.lo;
  out["extent"] = t.extent;
  out["elements"] = t.elements;
  out["accesses"] = t.accesses;
  out["most"] = t.most;
  out["counts"] = t.counts;
  out["low"] = t.low;
  out["high"] = t.high;
  out["nan"] = t.nan;
  out["cut"] = t.cut;
  out["corner"] = t.corner;
  out["corner_width"] = t.corner_width;
  return out;
}

py::object sync_object(const sim::TraceSync& s) {
  if (s.object.empty()) return py::none();
  py::dict out;
  out["object"] = s.object;
  out["verb"] = s.verb;
  out["slot"] = s.slot < 0 ? py::object(py::none()) : py::object(py::int_(s.slot));
  out["phase"] = s.phase;
  out["waits"] = s.waits;
  return out;
}

py::dict event_dict(const sim::TraceEvent& e) {
  static constexpr const char* kinds[] = {"statement", "completes", "continues"};
  py::dict out;
  out["number"] = e.number;
  out["kind"] = kinds[static_cast<int>(e.kind)];
  out["of"] = e.of < 0 ? py::object(py::none()) : py::object(py::int_(e.of));
  out["late"] = e.late;
  out["agent"] = e.agent;
  out["span"] = place(e.span);
  out["line_text"] = e.span.known() ? source_line(e.span.file, e.span.line) : "";
  out["text"] = e.text;
  out["sync"] = sync_object(e.sync);
  out["lanes"] = py::make_tuple(e.lanes[0], e.lanes[1]);
  out["names"] = names_dict(e.names);
  py::list touched;
  for (const sim::TraceTouch& t : e.touched) touched.append(touch_dict(t));
  out["touched"] = touched;
  return out;
}

py::list agents_list(const std::vector<sim::TraceAgent>& agents) {
  py::list out;
  for (const sim::TraceAgent& a : agents) {
    py::dict one;
    one["name"] = a.name;
    one["first_thread"] = a.first_thread;
    one["threads"] = a.threads;
    one["span"] = place(a.span);
    one["line_text"] = a.span.known() ? source_line(a.span.file, a.span.line) : "";
    one["ended"] = a.ended;
    one["waits"] = a.waits;
    one["names"] = names_dict(a.names);
    out.append(std::move(one));
  }
  return out;
}

/// The values in a dtype supported by NumPy: others as float32.
std::string numpy_values(const sim::TraceBuffer& b, std::vector<uint8_t>* values) {
  const bool known = !is_float(b.dtype) || b.dtype == DType::f16 || bytes(b.dtype) >= 4;
  if (known) {
    *values = b.bytes;
    return b.dtype == DType::bool_ ? "bool" : std::string(tilelang_name(b.dtype));
  }
  const auto size = static_cast<size_t>(bytes(b.dtype));
  values->resize(b.bytes.size() / size * 4);
  for (size_t i = 0; i * size < b.bytes.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &b.bytes[i * size], size);
    const auto value = static_cast<float>(decode_float(b.dtype, bits));
    std::memcpy(&(*values)[i * 4], &value, 4);
  }
  return "float32";
}

}  // namespace

py::dict state_dict(const sim::TraceState& state) {
  py::dict out;
  out["event"] = state.event;
  out["block"] = py::make_tuple(state.block[0], state.block[1], state.block[2]);
  out["agent"] = state.agent;
  out["agents"] = agents_list(state.agents);
  py::list buffers;
  auto raw = [](const std::vector<uint8_t>& bytes) {
    return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  for (const sim::TraceBuffer& b : state.buffers) {
    py::dict one;
    one["name"] = b.name.str();
    one["scope"] = std::string(name(b.scope));
    one["dtype"] = std::string(tilelang_name(b.dtype));
    one["of_threads"] = b.of_threads;
    one["shape"] = b.shape;
    std::vector<uint8_t> values;
    one["numpy"] = numpy_values(b, &values);
    one["bytes"] = raw(values);
    one["written"] = b.written.empty() ? py::object(py::none()) : py::object(raw(b.written));
    buffers.append(std::move(one));
  }
  out["buffers"] = buffers;
  return out;
}

py::dict run_traced(const FuncObject& func, const py::list& described, std::array<int64_t, 3> block,
                    int64_t launch, int64_t first, int64_t last, std::optional<int64_t> stop,
                    bool steps, const py::object& progress, uint64_t seed) {
  sim::Trace trace;
  trace.block = block, trace.launch = launch;
  trace.first = first, trace.last = last, trace.stop = stop;
  trace.steps_wanted = steps;
  sim::RunOptions options;
  options.threads = 1;
  options.trace = &trace;
  options.seed = seed;
  options.watch.uninitialized = true;
  py::dict out;
  out["run"] = served_run(described, options, progress, [&](auto arguments, const auto& chosen) {
    return sim::run(*func.func, arguments, chosen);
  });
  py::list events, indices;
  for (const sim::TraceEvent& e : trace.events) events.append(event_dict(e));
  for (Symbol name : trace.indices) indices.append(name.str());
  out["events"] = events;
  out["agents"] = agents_list(trace.agents);
  out["indices"] = indices;
  out["count"] = trace.count;
  out["lost"] = trace.lost;
  out["steps"] = py::bytes(reinterpret_cast<const char*>(trace.steps.data()),
                           trace.steps.size() * sizeof(sim::TraceStep));
  out["launches"] = trace.launches;
  out["grid"] = py::make_tuple(trace.grid[0], trace.grid[1], trace.grid[2]);
  out["state"] = trace.state ? py::object(state_dict(*trace.state)) : py::none();
  return out;
}

}  // namespace tilelab::python
