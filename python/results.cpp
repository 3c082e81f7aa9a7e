// SPDX-License-Identifier: Apache-2.0
#include "python/results.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>

#include "core/diagnostics/render.h"
#include "python/compilation.h"
#include "python/traces.h"

namespace py = pybind11;

namespace tilelab::python {
namespace {

py::dict finding_dict(const sim::Finding& finding) {
  py::dict out;
  out["kind"] = std::string(sim::finding_name(finding.kind));
  out["meaning"] = std::string(sim::finding_meaning(finding.kind));
  out["block"] = py::make_tuple(finding.block[0], finding.block[1], finding.block[2]);
  out["buffer"] = finding.buffer;
  out["element"] = finding.element;
  out["detail"] = finding.detail;
  out["fragment"] = finding.fragment;
  out["count"] = finding.count;
  auto sides = [](const std::vector<sim::FindingSide>& all) {
    py::list made;
    for (const sim::FindingSide& side : all) {
      py::dict one;
      one["span"] = place(side.span);
      one["line_text"] = side.span.known() ? source_line(side.span.file, side.span.line) : "";
      one["actor"] = side.actor;
      one["verb"] = side.verb;
      made.append(std::move(one));
    }
    return made;
  };
  out["where"] = sides(finding.where);
  out["related"] = sides(finding.related);
  return out;
}

py::dict record_dict(const sim::Recorded& record) {
  py::dict out;
  out["site"] = record.site;
  out["is_assert"] = record.is_assert;
  out["block"] = py::make_tuple(record.block[0], record.block[1], record.block[2]);
  out["thread"] = record.thread;
  out["span"] = place(record.span);
  py::list values, dtypes;
  for (size_t i = 0; i < record.values.size(); ++i) {
    auto dtype = static_cast<DType>(record.dtypes[std::min(i, record.dtypes.size() - 1)]);
    values.append(number_object(dtype, record.values[i]));
    dtypes.append(std::string(tilelang_name(dtype)));
  }
  out["values"] = values;
  out["dtypes"] = dtypes;
  out["index_count"] = record.index_count;
  return out;
}

/// [{"buffer": ..., "elements": count, "first": index}], and what `count` adds to each.
template <class Item, class F> py::list tensors_list(const std::vector<Item>& items, F&& count) {
  py::list out;
  for (const Item& one : items) {
    py::dict made;
    made["buffer"] = one.buffer;
    made["elements"] = one.elements;
    made["first"] = one.first;
    count(one, made);
    out.append(std::move(made));
  }
  return out;
}

}  // namespace

py::list origin_list(const std::vector<sim::OriginStep>& origin) {
  py::list out;
  for (const sim::OriginStep& step : origin) {
    py::dict one;
    one["span"] = place(step.span);
    one["block"] = py::make_tuple(step.block[0], step.block[1], step.block[2]);
    one["actor"] = step.actor;
    one["what"] = step.what;
    out.append(std::move(one));
  }
  return out;
}

namespace {

py::list not_finite_list(const sim::RunResult& result) {
  return tensors_list(result.not_finite, [](const sim::NotFinite& one, py::dict& made) {
    made["nan"] = one.nan;
    made["poison"] = one.poison;
    made["inf"] = one.inf;
    made["way"] = origin_list(one.origin);
  });
}

py::list unwritten_list(const sim::RunResult& result) {
  return tensors_list(result.unwritten,
                      [](const sim::Unwritten& one, py::dict& made) { made["count"] = one.count; });
}

py::list traffic_list(const sim::RunResult& result) {
  py::list out;
  for (const sim::Traffic& one : result.traffic) {
    py::dict made;
    made["buffer"] = one.buffer;
    made["read"] = one.read;
    made["written"] = one.written;
    out.append(std::move(made));
  }
  return out;
}

py::list writers_list(const sim::RunResult& result) {
  py::list out;
  for (const sim::Writer& one : result.writers) {
    py::dict made;
    made["block"] = py::make_tuple(one.block[0], one.block[1], one.block[2]);
    made["span"] = place(one.span);
    made["line_text"] = one.span.known() ? source_line(one.span.file, one.span.line) : "";
    made["thread"] = one.thread;
    out.append(std::move(made));
  }
  return out;
}

std::array<int64_t, 3> triple(const py::handle& object) {
  return object.cast<std::array<int64_t, 3>>();
}

Span span_of(const py::dict& place) {
  auto line = place["line"].cast<uint32_t>();
  if (!line) return {};
  return {source_id(place["file"].cast<std::string>()), line, place["column"].cast<uint32_t>(),
          place["end_line"].cast<uint32_t>(), place["end_column"].cast<uint32_t>()};
}

sim::FindingKind kind_of(const std::string& name) {
  for (int i = 0; i < static_cast<int>(sim::FindingKind::count_); ++i)
    if (name == sim::finding_name(static_cast<sim::FindingKind>(i)))
      return static_cast<sim::FindingKind>(i);
  CHECK(false, "no finding " + name);
  return {};
}

sim::Finding finding_of(const py::dict& described) {
  sim::Finding out;
  out.kind = kind_of(described["kind"].cast<std::string>());
  out.block = triple(described["block"]);
  out.buffer = described["buffer"].cast<std::string>();
  out.element = described["element"].cast<std::string>();
  out.detail = described["detail"].cast<std::string>();
  out.fragment = described["fragment"].cast<bool>();
  out.count = described["count"].cast<int64_t>();
  auto sides = [&](const char* key, std::vector<sim::FindingSide>& all) {
    for (auto side : described[key].cast<py::list>()) {
      auto one = side.cast<py::dict>();
      all.push_back({span_of(one["span"].cast<py::dict>()), one["actor"].cast<std::string>(),
                     one["verb"].cast<std::string>()});
    }
  };
  sides("where", out.where);
  sides("related", out.related);
  return out;
}

std::vector<sim::OriginStep> origin_from(const py::list& described) {
  std::vector<sim::OriginStep> out;
  for (auto item : described) {
    auto one = item.cast<py::dict>();
    out.push_back({span_of(one["span"].cast<py::dict>()), triple(one["block"]),
                   one["actor"].cast<std::string>(), one["what"].cast<std::string>()});
  }
  return out;
}

}  // namespace

py::dict result_dict(const sim::RunResult& result, const py::object& raised) {
  py::dict out;
  out["status"] = sim::status_name(result.status);
  out["error"] = result.error;
  out["error_span"] = place(result.error_span);
  py::list findings, marks, records;
  for (const auto& finding : result.findings) findings.append(finding_dict(finding));
  for (const auto& note : result.notes) {
    py::dict one;
    one["span"] = place(note.span);
    one["block"] = py::make_tuple(note.block[0], note.block[1], note.block[2]);
    one["count"] = note.count;
    marks.append(std::move(one));
  }
  for (const auto& record : result.records) records.append(record_dict(record));
  out["findings"] = findings;
  out["notes"] = marks;
  out["records"] = records;
  out["lost_records"] = result.lost_records;
  out["damaged_records"] = result.damaged_records;
  out["not_finite"] = not_finite_list(result);
  out["unwritten"] = unwritten_list(result);
  out["traffic"] = traffic_list(result);
  out["writers"] = writers_list(result);
  out["raised"] = raised;
  out["failed"] = result.failed ? py::object(state_dict(*result.failed)) : py::none();
  out["blocks"] = result.blocks;
  out["all_blocks"] = result.all_blocks;
  out["proved"] = result.proved;
  out["accesses"] = result.accesses;
  out["threads"] = result.threads;
  out["lane_results"] = result.lane_results;
  return out;
}

sim::RunResult result_of(const py::dict& described) {
  using Status = sim::RunResult::Status;
  sim::RunResult result;
  std::string status = described["status"].cast<std::string>();
  result.status = status == "stopped"       ? Status::stopped
                  : status == "interrupted" ? Status::interrupted
                  : status == "refused"     ? Status::refused
                                            : Status::finished;
  result.error = described["error"].cast<std::string>();
  result.error_span = span_of(described["error_span"].cast<py::dict>());
  result.blocks = described["blocks"].cast<int64_t>();
  result.all_blocks = described["all_blocks"].cast<int64_t>();
  result.proved = described["proved"].cast<int64_t>();
  result.threads = described["threads"].cast<int64_t>();
  result.accesses = described["accesses"].cast<int64_t>();
  for (auto finding : described["findings"].cast<py::list>())
    result.findings.push_back(finding_of(finding.cast<py::dict>()));
  for (auto note : described["notes"].cast<py::list>()) {
    auto one = note.cast<py::dict>();
    result.notes.push_back({span_of(one["span"].cast<py::dict>()), triple(one["block"]), 0,
                            one["count"].cast<int64_t>()});
  }
  for (auto item : described["not_finite"].cast<py::list>()) {
    auto one = item.cast<py::dict>();
    result.not_finite.push_back(
        {one["buffer"].cast<std::string>(), one["nan"].cast<int64_t>(), one["inf"].cast<int64_t>(),
         one["elements"].cast<int64_t>(), one["poison"].cast<int64_t>(),
         one["first"].cast<std::vector<int64_t>>(), origin_from(one["way"].cast<py::list>())});
  }
  for (auto item : described["unwritten"].cast<py::list>()) {
    auto one = item.cast<py::dict>();
    result.unwritten.push_back({one["buffer"].cast<std::string>(), one["count"].cast<int64_t>(),
                                one["elements"].cast<int64_t>(),
                                one["first"].cast<std::vector<int64_t>>()});
  }
  return result;
}

}  // namespace tilelab::python
