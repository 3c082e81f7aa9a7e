// SPDX-License-Identifier: Apache-2.0
// filetest [--bless] [FILTER...]: runs the file tests whose path contains a FILTER (all without
// one). The last line counts them.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/support/text.h"
#include "tests/filetest/filetest.h"

namespace fs = std::filesystem;

namespace tilelab::filetest {
namespace {

struct Entry {
  Command run = nullptr;
  bool in_place = false;
};

std::map<std::string, Entry>& commands() {
  static std::map<std::string, Entry> table;
  return table;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A parsed file: its text, and the expectation after it without the "#> ".
struct Parts {
  std::string text, expected;
  bool expects = false;
};

Parts split_expectation(const std::string& content) {
  std::vector<std::string> lines = split(content, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  size_t first = lines.size();
  while (first > 0 && lines[first - 1].rfind("#>", 0) == 0) --first;
  Parts parts;
  for (size_t i = 0; i < first; ++i) parts.text += lines[i] + "\n";
  for (size_t i = first; i < lines.size(); ++i) {
    std::string line = lines[i].substr(2);
    parts.expected += (line.rfind(' ', 0) == 0 ? line.substr(1) : line) + "\n";
    parts.expects = true;
  }
  return parts;
}

std::string with_expectation(const std::string& text, const std::string& output) {
  std::string out = text;
  std::vector<std::string> lines = split(output, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (const std::string& line : lines) out += line.empty() ? "#>\n" : "#> " + line + "\n";
  return out;
}

/// The leading comment lines, of which the first is the directive.
std::string leading_comments(const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    if (line.rfind('#', 0) != 0) break;
    out += line + "\n";
  }
  return out;
}

/// Command and arguments of `# test: command key=value ...`; false without such a first line.
bool read_directive(Test& test) {
  std::string line = test.text.substr(0, test.text.find('\n'));
  constexpr std::string_view prefix = "# test: ";
  if (line.rfind(prefix, 0) != 0) return false;
  for (const std::string& word : split(line.substr(prefix.size()), ' ')) {
    size_t equals = word.find('=');
    if (word.empty()) continue;
    if (equals == word.npos)
      test.command = word;
    else
      test.arguments[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return true;
}

void show_difference(const std::string& expected, const std::string& output) {
  auto want = split(expected, '\n'), got = split(output, '\n');
  size_t i = 0;
  while (i < want.size() && i < got.size() && want[i] == got[i]) ++i;
  std::printf("  first difference in line %zu of the output\n", i + 1);
  for (size_t j = i; j < std::min(i + 4, want.size()); ++j)
    std::printf("  expected  %s\n", want[j].c_str());
  for (size_t j = i; j < std::min(i + 4, got.size()); ++j)
    std::printf("  got       %s\n", got[j].c_str());
}

Outcome run_command(const Entry& entry, const Test& test) {
  try {
    return entry.run(test);
  } catch (const std::exception& e) {
    return {false, std::string("exception: ") + e.what() + "\n"};
  }
}

enum class Verdict { passed, failed, blessed, none };

Verdict run_file(const fs::path& file, const std::string& path, bool bless) {
  Parts parts = split_expectation(read_file(file));
  Test test{path, parts.text, "", {}};
  if (!read_directive(test)) return Verdict::none;
  auto found = commands().find(test.command);
  if (found == commands().end() && test.command == std::string_view(TILELAB_FILETEST_ABSENT))
    return Verdict::none;
  if (found == commands().end()) {
    std::printf("FAILED %s\n  no command `%s`\n", path.c_str(), test.command.c_str());
    return Verdict::failed;
  }
  const Entry& entry = found->second;
  Outcome outcome = run_command(entry, test);
  bool must_fail = test.source().rfind("fail_", 0) == 0;
  std::string comments = leading_comments(parts.text);
  bool in_place = entry.in_place && outcome.ok;
  std::string expected = in_place ? parts.text.substr(comments.size()) : parts.expected;
  bool right_way = outcome.ok != must_fail;
  if (right_way && outcome.output == expected) return Verdict::passed;
  if (right_way && bless) {
    std::ofstream(file, std::ios::binary)
        << (in_place ? comments + outcome.output : with_expectation(parts.text, outcome.output));
    std::printf("blessed %s\n", path.c_str());
    return Verdict::blessed;
  }
  std::printf("FAILED %s\n", path.c_str());
  if (!right_way) std::printf("  %s\n", outcome.ok ? "must fail, but is fine" : "must not fail");
  show_difference(expected, outcome.output);
  return Verdict::failed;
}

bool wanted(const std::string& path, const std::vector<std::string>& filters) {
  if (filters.empty()) return true;
  return std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) {
    return path.find(filter) != std::string::npos;
  });
}

int run_all(bool bless, const std::vector<std::string>& filters) {
  std::vector<std::string> paths;
  const fs::path root = TILELAB_SOURCE_DIR;
  for (const auto& item : fs::recursive_directory_iterator(root / "tests")) {
    std::string extension = item.path().extension().string();
    if (item.is_regular_file() && (extension == ".py" || extension == ".ir"))
      paths.push_back(fs::relative(item.path(), root).generic_string());
  }
  std::sort(paths.begin(), paths.end());
  int passed = 0, failed = 0;
  for (const std::string& path : paths) {
    if (!wanted(path, filters)) continue;
    Verdict verdict = run_file(root / path, path, bless);
    passed += verdict == Verdict::passed || verdict == Verdict::blessed;
    failed += verdict == Verdict::failed;
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}

}  // namespace

AddCommand::AddCommand(const char* name, Command run, bool in_place) {
  commands()[name] = {run, in_place};
}

}  // namespace tilelab::filetest

int main(int argc, char** argv) {
  bool bless = false;
  std::vector<std::string> filters;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--bless")
      bless = true;
    else
      filters.push_back(argv[i]);
  }
  return tilelab::filetest::run_all(bless, filters);
}
