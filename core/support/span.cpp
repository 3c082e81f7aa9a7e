// SPDX-License-Identifier: Apache-2.0
#include "core/support/span.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace tilelab {
namespace {

struct Source {
  std::string name, text;
};

struct Sources {
  std::mutex mutex;
  std::deque<Source> all{Source{"<unknown>", ""}};
  std::unordered_map<std::string, FileId> by_name;

  FileId intern(std::string_view name) {
    auto [it, fresh] = by_name.try_emplace(std::string(name), static_cast<FileId>(all.size()));
    if (fresh) all.push_back({std::string(name), ""});
    return it->second;
  }
};

Sources& sources() {
  static Sources table;
  return table;
}

}  // namespace

Span join(const Span& a, const Span& b) {
  if (!a.known()) return b;
  if (!b.known()) return a;
  return {a.file, a.line, a.col, b.end_line, b.end_col};
}

FileId add_source(std::string_view name, std::string_view text) {
  Sources& table = sources();
  std::lock_guard lock(table.mutex);
  FileId id = table.intern(name);
  table.all[id].text = text;
  return id;
}

FileId source_id(std::string_view name) {
  Sources& table = sources();
  std::lock_guard lock(table.mutex);
  return table.intern(name);
}

std::string source_name(FileId file) {
  Sources& table = sources();
  std::lock_guard lock(table.mutex);
  return table.all.at(file).name;
}

std::string source_line(FileId file, uint32_t line) {
  Sources& table = sources();
  std::lock_guard lock(table.mutex);
  const std::string& text = table.all.at(file).text;
  size_t begin = 0;
  for (uint32_t at = 1; at < line; ++at) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return "";
    ++begin;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace tilelab
