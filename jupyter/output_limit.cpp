// SPDX-License-Identifier: Apache-2.0
#include "jupyter/output_limit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace tilelab::jupyter {
namespace {

namespace fs = std::filesystem;

std::string default_directory() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state && *state) return std::string(state) + "/tilelab/outputs";
  return home && *home ? std::string(home) + "/.local/state/tilelab/outputs" : "";
}

OutputLimit::Sizes default_sizes() {
  OutputLimit::Sizes sizes;
  if (const char* lines = std::getenv("TILELAB_OUTPUT_LINES"); lines && *lines) {
    sizes.lines = std::strtoul(lines, nullptr, 10);
    sizes.bytes = sizes.lines * 100;
  }
  return sizes;
}

/// Whether a session is writing the file.
bool is_locked(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = flock(descriptor, LOCK_EX | LOCK_NB) != 0;
  close(descriptor);
  return locked;
}

/// A new file that only this user can read, locked; -1 if it exists.
int create_locked(const std::string& path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int descriptor = open(path.c_str(), flags, 0600);
  if (descriptor >= 0) flock(descriptor, LOCK_EX);
  return descriptor;
}

/// Removes the oldest files to make room for one more, except those that are being written.
void remove_oldest(const fs::path& directory, int kept) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    if (entry.path().extension() == ".txt")
      files.emplace_back(entry.last_write_time(ignored), entry.path());
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i + size_t(kept) <= files.size(); ++i)
    if (!is_locked(files[i].second)) fs::remove(files[i].second, ignored);
}

size_t line_ends(std::string_view text) {
  return size_t(std::count(text.begin(), text.end(), '\n'));
}

std::string amount(size_t lines, size_t bytes) {
  std::string size = bytes < 1'000'000 ? std::to_string(bytes / 1000) + " kB"
                                       : std::to_string(bytes / 1'000'000) + " MB";
  return std::to_string(lines) + " lines, " + size;
}

/// The last lines of a text, complete ones if possible.
std::string last_part(const std::string& text, size_t lines) {
  size_t at = text.size();
  if (at && text.back() == '\n') --at;
  for (; lines > 0 && at != std::string::npos && at > 0; --lines) at = text.rfind('\n', at - 1);
  size_t begin = at == std::string::npos || at == 0 ? 0 : at + 1;
  while (begin < text.size() && (text[begin] & 0xC0) == 0x80) ++begin;  // not within a character
  return text.substr(begin);
}

}  // namespace

OutputLimit::OutputLimit() : OutputLimit(default_sizes(), default_directory()) {}

OutputLimit::OutputLimit(const Sizes& sizes, std::string directory)
    : sizes_(sizes), directory_(std::move(directory)) {}

OutputLimit::~OutputLimit() { close(); }

void OutputLimit::close() {
  if (file_) std::fclose(file_);
  file_ = nullptr;
}

void OutputLimit::begin(const std::string& what) {
  std::lock_guard<std::mutex> lock(mutex_);
  what_ = what;
}

void OutputLimit::start_over() {
  over_ = false;
  shown_.clear();
  lines_ = bytes_ = line_bytes_ = 0;
}

void OutputLimit::forget() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!over_) start_over();
}

void OutputLimit::count(char c) {
  if (c == '\r') {
    bytes_ -= line_bytes_;
    line_bytes_ = 0;
    return;
  }
  ++bytes_;
  ++line_bytes_;
  if (c != '\n') return;
  ++lines_;
  line_bytes_ = 0;
}

std::string OutputLimit::take(const std::string& text) {
  if (sizes_.lines == 0 || text.empty()) return text;
  std::lock_guard<std::mutex> lock(mutex_);
  if (over_) {
    write(text);
    return "";
  }
  size_t end = 0;
  while (end < text.size() && lines_ < sizes_.lines && bytes_ < sizes_.bytes) count(text[end++]);
  // A progress bar that rewrites its line for days must not exhaust the memory.
  if (shown_.size() > 4 * sizes_.bytes) shown_.erase(0, shown_.size() / 2);
  shown_ += text.substr(0, end);
  if (end == text.size()) return text;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // not within a UTF-8 sequence
  over_ = true;
  all_bytes_ = all_lines_ = file_bytes_ = 0;
  last_.clear();
  bool kept = open_file();
  write(shown_);
  write(text.substr(end));
  shown_.clear();
  std::string where =
      kept ? "all of it goes to " + path_ : "it is not kept (no file could be made)";
  std::string shown = text.substr(0, end);
  if (!shown.empty() && shown.back() != '\n') shown += '\n';
  return shown + "... more than " + amount(lines_, bytes_) + ": " + where +
         "; the end follows when the cell ends\n";
}

bool OutputLimit::open_file() {
  if (directory_.empty()) return false;
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) return false;
  chmod(directory_.c_str(), 0700);
  remove_oldest(directory_, sizes_.files);
  std::string name = directory_ + "/" + std::to_string(getpid()) + "-" + what_;
  std::replace(name.begin() + std::ptrdiff_t(directory_.size()), name.end(), ' ', '-');
  // In a container the process IDs of earlier days recur.
  int descriptor = -1;
  for (int number = 1; descriptor < 0 && number <= 1000; ++number) {
    path_ = name + (number > 1 ? "-" + std::to_string(number) : "") + ".txt";
    descriptor = create_locked(path_);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  file_ = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
  return file_ != nullptr;
}

void OutputLimit::write(std::string_view text) {
  all_bytes_ += text.size();
  all_lines_ += line_ends(text);
  last_ += text.substr(text.size() > sizes_.last_bytes ? text.size() - sizes_.last_bytes : 0);
  if (last_.size() > 2 * sizes_.last_bytes) last_.erase(0, last_.size() - sizes_.last_bytes);
  size_t room = sizes_.file_bytes - std::min(file_bytes_, sizes_.file_bytes);
  std::string_view part = text.substr(0, room);
  if (file_) file_bytes_ += std::fwrite(part.data(), 1, part.size(), file_);
}

std::string OutputLimit::note() const {
  std::string lost = all_bytes_ - file_bytes_ == 0
                         ? ""
                         : ", but for " + amount(0, all_bytes_ - file_bytes_).substr(9);
  std::string where = path_.empty() ? "" : " in " + path_ + lost;
  return "... " + amount(all_lines_, all_bytes_) + where + "; the last lines:\n";
}

std::string OutputLimit::finish() {
  std::lock_guard<std::mutex> lock(mutex_);
  bool was_over = over_;
  start_over();
  if (!was_over) return "";
  close();
  return note() + last_part(last_, sizes_.last_lines);
}

}  // namespace tilelab::jupyter
