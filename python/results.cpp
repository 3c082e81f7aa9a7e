// SPDX-License-Identifier: Apache-2.0
#include "python/runs.h"

#include <algorithm>

#include "python/compilation.h"

namespace tilelab::python {
namespace {

Object side_dict(const sim::FindingSide& side) {
  return dict_of("span", place(side.span), "line_text", line_text(side.span), "actor", side.actor,
                 "verb", side.verb);
}

Object finding_dict(const sim::Finding& finding) {
  return dict_of("kind", sim::finding_name(finding.kind), "meaning",
                 sim::finding_meaning(finding.kind), "block", finding.block, "buffer",
                 finding.buffer, "element", finding.element, "detail", finding.detail, "fragment",
                 finding.fragment, "count", finding.count, "where",
                 list_of(finding.where, side_dict), "related", list_of(finding.related, side_dict));
}

Object note_dict(const sim::Note& note) {
  return dict_of("span", place(note.span), "block", note.block, "count", note.count);
}

Object record_dict(const sim::Recorded& record) {
  auto dtype = [&](size_t i) {
    return static_cast<DType>(record.dtypes[std::min(i, record.dtypes.size() - 1)]);
  };
  size_t value = 0, name = 0;
  return dict_of(
      "site", record.site, "is_assert", record.is_assert, "block", record.block, "thread",
      record.thread, "span", place(record.span), "values",
      list_of(record.values, [&](uint64_t bits) { return number_object(dtype(value++), bits); }),
      "dtypes",
      list_of(record.values, [&](uint64_t) { return object_of(tilelang_name(dtype(name++))); }),
      "index_count", record.index_count);
}

Object not_finite_dict(const sim::NotFinite& one) {
  return dict_of("buffer", one.buffer, "elements", one.elements, "first", one.first, "nan", one.nan,
                 "poison", one.poison, "inf", one.inf, "way", origin_list(one.origin));
}

Object unwritten_dict(const sim::Unwritten& one) {
  return dict_of("buffer", one.buffer, "elements", one.elements, "first", one.first, "count",
                 one.count);
}

Object traffic_dict(const sim::Traffic& one) {
  return dict_of("buffer", one.buffer, "read", one.read, "written", one.written);
}

Object writer_dict(const sim::Writer& one) {
  return dict_of("block", one.block, "span", place(one.span), "line_text", line_text(one.span),
                 "thread", one.thread);
}

}  // namespace

Object origin_list(const std::vector<sim::OriginStep>& origin) {
  return list_of(origin, [](const sim::OriginStep& step) {
    return dict_of("span", place(step.span), "block", step.block, "actor", step.actor, "what",
                   step.what);
  });
}

Object result_dict(const sim::RunResult& result, const Object& raised) {
  return dict_of(
      "status", sim::status_name(result.status), "error", result.error, "error_span",
      place(result.error_span), "findings", list_of(result.findings, finding_dict), "notes",
      list_of(result.notes, note_dict), "records", list_of(result.records, record_dict),
      "lost_records", result.lost_records, "damaged_records", result.damaged_records, "not_finite",
      list_of(result.not_finite, not_finite_dict), "unwritten",
      list_of(result.unwritten, unwritten_dict), "traffic", list_of(result.traffic, traffic_dict),
      "writers", list_of(result.writers, writer_dict), "raised", raised, "failed",
      result.failed ? state_dict(*result.failed) : none(), "blocks", result.blocks, "all_blocks",
      result.all_blocks, "proved", result.proved, "accesses", result.accesses, "threads",
      result.threads, "lane_results", result.lane_results);
}

// ---- the inverse

/// Sets `out` to the entry of a described structure.
template <class T> static void read_entry(const Object& from, const char* key, T& out) {
  out = entry<T>(from, key);
}

static void read_place(const Object& from, const char* key, Span& out) {
  const Object place = entry(from, key);
  const auto line = entry<uint32_t>(place, "line");
  if (line)
    out = {source_id(entry<std::string>(place, "file")), line, entry<uint32_t>(place, "column"),
           entry<uint32_t>(place, "end_line"), entry<uint32_t>(place, "end_column")};
}

static sim::FindingKind kind_of(const std::string& name) {
  for (int i = 0; i < static_cast<int>(sim::FindingKind::count_); ++i)
    if (name == sim::finding_name(static_cast<sim::FindingKind>(i)))
      return static_cast<sim::FindingKind>(i);
  CHECK(false, "no finding " + name);
  return {};
}

static void read(const Object& from, sim::FindingSide& out) {
  read_place(from, "span", out.span);
  read_entry(from, "actor", out.actor), read_entry(from, "verb", out.verb);
}

static void read(const Object& from, sim::Finding& out) {
  out.kind = kind_of(entry<std::string>(from, "kind"));
  read_entry(from, "block", out.block), read_entry(from, "buffer", out.buffer);
  read_entry(from, "element", out.element), read_entry(from, "detail", out.detail);
  read_entry(from, "fragment", out.fragment), read_entry(from, "count", out.count);
  read_entry(from, "where", out.where), read_entry(from, "related", out.related);
}

static void read(const Object& from, sim::Note& out) {
  read_place(from, "span", out.span);
  read_entry(from, "block", out.block), read_entry(from, "count", out.count);
}

static void read(const Object& from, sim::OriginStep& out) {
  read_place(from, "span", out.span);
  read_entry(from, "block", out.block), read_entry(from, "actor", out.actor);
  read_entry(from, "what", out.what);
}

static void read(const Object& from, sim::NotFinite& out) {
  read_entry(from, "buffer", out.buffer), read_entry(from, "nan", out.nan);
  read_entry(from, "inf", out.inf), read_entry(from, "elements", out.elements);
  read_entry(from, "poison", out.poison), read_entry(from, "first", out.first);
  read_entry(from, "way", out.origin);
}

static void read(const Object& from, sim::Unwritten& out) {
  read_entry(from, "buffer", out.buffer), read_entry(from, "count", out.count);
  read_entry(from, "elements", out.elements), read_entry(from, "first", out.first);
}

void read(const Object& from, sim::RunResult& out) {
  using Status = sim::RunResult::Status;
  const auto status = entry<std::string>(from, "status");
  for (Status one : {Status::stopped, Status::interrupted, Status::refused})
    if (status == sim::status_name(one)) out.status = one;
  read_place(from, "error_span", out.error_span);
  read_entry(from, "error", out.error), read_entry(from, "blocks", out.blocks);
  read_entry(from, "all_blocks", out.all_blocks), read_entry(from, "proved", out.proved);
  read_entry(from, "threads", out.threads), read_entry(from, "accesses", out.accesses);
  read_entry(from, "findings", out.findings), read_entry(from, "notes", out.notes);
  read_entry(from, "not_finite", out.not_finite), read_entry(from, "unwritten", out.unwritten);
}

}  // namespace tilelab::python
