// SPDX-License-Identifier: Apache-2.0
#include "python/runs.h"

#include <cstring>

namespace tilelab::python {

Object number_object(DType dtype, uint64_t bits) {
  if (is_float(dtype)) return object_of(decode_float(dtype, bits));
  if (dtype == DType::bool_) return object_of(bits != 0);
  if (is_unsigned(dtype)) return object_of(bits);
  return object_of(wrap_int(dtype, static_cast<int64_t>(bits)));
}

namespace {

Object names_dict(const std::vector<sim::TraceValue>& names) {
  Object out = dict_of();
  for (const sim::TraceValue& v : names) {
    auto number = [&](uint64_t bits) { return number_object(v.dtype, bits); };
    set(out, v.name.str().c_str(),
        v.bits.size() == 1 ? number(v.bits[0]) : list_of(v.bits, number));
  }
  return out;
}

Object touch_dict(const sim::TraceTouch& t) {
  return dict_of("buffer", t.buffer.str(), "what",
                 !t.write   ? "read"
                 : t.atomic ? "atomic"
                            : "write",
                 "of_threads", t.of_threads, "late", t.late, "lo", t.lo, "extent", t.extent,
                 "elements", t.elements, "accesses", t.accesses, "most", t.most, "counts", t.counts,
                 "low", t.low, "high", t.high, "nan", t.nan, "cut", t.cut, "corner", t.corner,
                 "corner_width", t.corner_width);
}

/// None for a negative number.
Object index_object(int64_t index) { return index < 0 ? none() : object_of(index); }

Object sync_object(const sim::TraceSync& s) {
  if (s.object.empty()) return none();
  return dict_of("object", s.object, "verb", s.verb, "slot", index_object(s.slot), "phase", s.phase,
                 "waits", s.waits);
}

Object event_dict(const sim::TraceEvent& e) {
  static constexpr const char* kinds[] = {"statement", "completes", "continues"};
  return dict_of("number", e.number, "kind", kinds[static_cast<int>(e.kind)], "of",
                 index_object(e.of), "late", e.late, "agent", e.agent, "span", place(e.span),
                 "line_text", line_text(e.span), "text", e.text, "sync", sync_object(e.sync),
                 "lanes", tuple_of(e.lanes[0], e.lanes[1]), "names", names_dict(e.names), "touched",
                 list_of(e.touched, touch_dict));
}

Object agent_dict(const sim::TraceAgent& a) {
  return dict_of("name", a.name, "first_thread", a.first_thread, "threads", a.threads, "span",
                 place(a.span), "line_text", line_text(a.span), "ended", a.ended, "waits", a.waits,
                 "names", names_dict(a.names));
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

Object buffer_dict(const sim::TraceBuffer& b) {
  std::vector<uint8_t> values;
  const std::string numpy = numpy_values(b, &values);
  return dict_of("name", b.name.str(), "scope", name(b.scope), "dtype", tilelang_name(b.dtype),
                 "of_threads", b.of_threads, "shape", b.shape, "numpy", numpy, "bytes",
                 bytes_object(values.data(), values.size()), "written",
                 b.written.empty() ? none() : bytes_object(b.written.data(), b.written.size()));
}

}  // namespace

Object state_dict(const sim::TraceState& state) {
  return dict_of("event", state.event, "block", state.block, "agent", state.agent, "agents",
                 list_of(state.agents, agent_dict), "buffers", list_of(state.buffers, buffer_dict));
}

Object run_traced(const FuncObject& func, const std::vector<sim::Argument>& arguments,
                  std::array<int64_t, 3> block, int64_t launch, int64_t first,
                  std::optional<int64_t> last, std::optional<int64_t> stop, bool steps,
                  const Object& progress, uint64_t seed) {
  sim::Trace trace;
  trace.block = block, trace.launch = launch;
  trace.first = first, trace.last = last.value_or(INT64_MAX), trace.stop = stop;
  trace.steps_wanted = steps;
  sim::RunOptions options;
  options.threads = 1;
  options.trace = &trace;
  options.seed = seed;
  options.watch.uninitialized = true;
  Object run = served_run(arguments, options, progress, [&](auto given, const auto& chosen) {
    return sim::run(*func.func, given, chosen);
  });
  return dict_of("run", run, "events", list_of(trace.events, event_dict), "agents",
                 list_of(trace.agents, agent_dict), "indices",
                 list_of(trace.indices, [](Symbol name) { return object_of(name.str()); }), "count",
                 trace.count, "lost", trace.lost, "steps",
                 bytes_object(trace.steps.data(), trace.steps.size() * sizeof(sim::TraceStep)),
                 "launches", trace.launches, "grid", trace.grid, "state",
                 trace.state ? state_dict(*trace.state) : none());
}

}  // namespace tilelab::python
