// SPDX-License-Identifier: Apache-2.0
#include "core/support/span.h"

#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/support/fork_safe.h"

namespace tilelab {
namespace {

struct SourceText {
  std::string name, text;
  std::vector<size_t> lines = {};  // where each begins; made when the first one is asked for

  void index_lines() {
    lines = {0};
    for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1))
      lines.push_back(end + 1);
  }
};

struct Sources {
  ForkSafe<std::mutex> mutex;
  std::deque<SourceText> all{SourceText{"<unknown>", ""}};
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
  table.all[id].lines.clear();
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
  SourceText& source = table.all.at(file);
  if (source.lines.empty()) source.index_lines();
  if (line == 0 || line > source.lines.size()) return "";
  const size_t begin = source.lines[line - 1];
  return source.text.substr(begin, source.text.find('\n', begin) - begin);
}

}  // namespace tilelab
