// SPDX-License-Identifier: Apache-2.0
// The file is a list of records: a line "\x01 TIME PID LINE", then the text. The control character
// can't stand in a cell's first column, so no text is taken for a header.
#include "session/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <unordered_map>

#include "core/support/text.h"

namespace tilelab {
namespace {

constexpr size_t kept_entries = 10000;
constexpr size_t trim_bytes = size_t{4} << 20;  // the file is cut when it is longer than this

std::string header(int line) {
  return "\x01 " + std::to_string(std::time(nullptr)) + " " + std::to_string(getpid()) + " " +
         std::to_string(line) + "\n";
}

void make_directories(const std::string& file) {
  for (size_t at = file.find('/', 1); at != std::string::npos; at = file.find('/', at + 1))
    mkdir(file.substr(0, at).c_str(), 0700);
}

void write_all(int descriptor, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t n = write(descriptor, text.data() + done, text.size() - done);
    if (n <= 0) return;  // a full disk costs the history, not the session
    done += size_t(n);
  }
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[65536];
  for (ssize_t n; (n = read(descriptor, buffer, sizeof buffer)) > 0;)
    text.append(buffer, size_t(n));
  return text;
}

struct StoredCell {
  std::string stamp, text;  // stamp: "TIME PID LINE"
};

std::vector<StoredCell> parse_stored(const std::string& file) {
  std::vector<StoredCell> records;
  for (size_t at = 0; at < file.size();) {
    size_t end = file.find("\n\x01 ", at);
    size_t stop = end == std::string::npos ? file.size() : end;
    std::string_view record = std::string_view(file).substr(at, stop - at);
    size_t newline = record.find('\n');
    if (record.rfind("\x01 ", 0) == 0 && newline != std::string_view::npos) {
      std::string_view text = record.substr(newline + 1);
      while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
      records.push_back({std::string(record.substr(2, newline - 2)), std::string(text)});
    }
    at = end == std::string::npos ? file.size() : end + 1;
  }
  return records;
}

/// Keeps the newest entries. The lock is held; other sessions append to the same inode.
void trim(int descriptor) {
  lseek(descriptor, 0, SEEK_SET);
  std::vector<StoredCell> records = parse_stored(read_all(descriptor));
  std::string text;
  size_t first = records.size() > kept_entries / 2 ? records.size() - kept_entries / 2 : 0;
  for (size_t i = first; i < records.size(); ++i)
    text += "\x01 " + records[i].stamp + "\n" + records[i].text + "\n";
  if (ftruncate(descriptor, 0) == 0) write_all(descriptor, text);
}

}  // namespace

std::string default_history_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state && *state) return std::string(state) + "/tilelab/history";
  if (home && *home) return std::string(home) + "/.local/state/tilelab/history";
  return "";
}

void History::add(int line, const std::string& input) {
  if (strip(input).empty()) return;
  own_.push_back({0, line, input, ""});
  if (input[0] != ' ' && input != last_) append(input);
  last_ = input;
}

void History::append(const std::string& input) {
  if (file_.empty()) return;
  read();  // before our own lines are in it
  make_directories(file_);
  int descriptor = open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  flock(descriptor, LOCK_EX);
  write_all(descriptor, header(own_.back().line) + input + (input.back() == '\n' ? "" : "\n"));
  struct stat info;
  if (fstat(descriptor, &info) == 0 && size_t(info.st_size) > trim_bytes) trim(descriptor);
  close(descriptor);
}

void History::set_output(const std::string& output) {
  if (!own_.empty()) own_.back().output = output;
}

const std::vector<HistoryEntry>& History::earlier() const {
  read();
  return earlier_;
}

int History::session() const {
  read();
  return session_;
}

void History::read() const {
  if (read_) return;
  read_ = true;
  int descriptor = file_.empty() ? -1 : open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  flock(descriptor, LOCK_SH);
  std::string text = read_all(descriptor);
  close(descriptor);
  struct Owner {
    int session, line;
  };
  std::unordered_map<std::string, Owner> owners;  // by process number; sessions may interleave
  int sessions = 0;
  for (StoredCell& record : parse_stored(text)) {
    std::vector<std::string> stamp = split(record.stamp, ' ');
    int line = stamp.size() > 2 ? std::atoi(stamp[2].c_str()) : 0;
    auto [owner, fresh] = owners.try_emplace(stamp.size() > 1 ? stamp[1] : "", Owner{0, 0});
    // A process number may come again; line numbers of one session only grow.
    if (fresh || line <= owner->second.line) owner->second.session = ++sessions;
    owner->second.line = line;
    earlier_.push_back({owner->second.session, line, std::move(record.text), ""});
  }
  session_ = sessions + 1;
}

}  // namespace tilelab
