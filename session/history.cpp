// SPDX-License-Identifier: Apache-2.0
// The file is a list of records: a line "\x01 TIME PID LINE", then the text. The control character
// cannot occur in a cell's first column, so no text is parsed as a header.
#include "session/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <ctime>
#include <unordered_map>
#include <utility>

#include "core/support/descriptor.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

constexpr size_t kept_entries = 5000, kept_bytes = size_t{2} << 20;
constexpr size_t full_at = size_t{4} << 20;       // a larger file is compacted when a session ends
constexpr size_t read_bytes = 2 * full_at;        // of a file that grew too large: its end
constexpr size_t longest_kept = size_t{1} << 20;  // bytes of a cell
constexpr int lock_patience_ms = 200;

std::string header(int line) {
  return "\x01 " + std::to_string(std::time(nullptr)) + " " + std::to_string(getpid()) + " " +
         std::to_string(line) + "\n";
}

void make_directories(const std::string& file) {
  for (size_t at = file.find('/', 1); at != std::string::npos; at = file.find('/', at + 1))
    mkdir(file.substr(0, at).c_str(), 0700);
}

size_t size_of(int descriptor) {
  struct stat info;
  return fstat(descriptor, &info) == 0 ? size_t(info.st_size) : 0;
}

std::string read_from(int descriptor, size_t first) {
  std::string text(size_of(descriptor) - first, '\0');
  size_t done = 0;
  for (ssize_t n; done < text.size() && (n = pread(descriptor, text.data() + done,
                                                   text.size() - done, off_t(first + done))) > 0;)
    done += size_t(n);
  text.resize(done);
  return text;
}

/// The end of the file, from the start of a record.
std::string read_end(int descriptor) {
  size_t size = size_of(descriptor);
  if (size <= read_bytes) return read_from(descriptor, 0);
  std::string text = read_from(descriptor, size - read_bytes);
  size_t start = text.find("\n\x01 ");
  return start == std::string::npos ? read_from(descriptor, 0) : text.substr(start + 1);
}

/// Whether a kill truncated the last append.
bool ends_in_a_line(int descriptor) {
  char last = '\n';
  size_t size = size_of(descriptor);
  return size > 0 && pread(descriptor, &last, 1, off_t(size - 1)) == 1 && last != '\n';
}

/// The file under a lock. Sessions share it, and one of them may replace it.
class Locked {
 public:
  Locked(const std::string& file, int flags, int lock) {
    for (int tries = 0; tries < 10; ++tries) {
      // O_NONBLOCK: opening a FIFO must not block.
      descriptor_ = open(file.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
      struct stat ours, there;
      if (descriptor_ < 0 || fstat(descriptor_, &ours) != 0 || !S_ISREG(ours.st_mode)) break;
      wait_for(lock);
      if (stat(file.c_str(), &there) == 0 && there.st_ino == ours.st_ino) return;
      close(std::exchange(descriptor_, -1));
    }
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }
  ~Locked() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Locked(const Locked&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  /// Waits for a limited time: a longer holder is stopped or broken, and appends are single writes
  /// anyway.
  void wait_for(int lock) {
    for (int waited = 0; flock(descriptor_, lock | LOCK_NB) != 0 && waited < lock_patience_ms;
         ++waited)
      usleep(1000);
  }

  int descriptor_ = -1;
};

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

/// The newest entries to keep.
std::string shortened(const std::string& file) {
  std::vector<StoredCell> records = parse_stored(file);
  std::vector<std::string> kept;
  size_t bytes = 0;
  for (size_t i = records.size(); i-- > 0 && kept.size() < kept_entries;) {
    std::string text = "\x01 " + records[i].stamp + "\n" + records[i].text + "\n";
    if (bytes + text.size() > kept_bytes)
      continue;  // drop an oversized entry, keep those before it
    bytes += text.size();
    kept.push_back(std::move(text));
  }
  std::string text;
  for (size_t i = kept.size(); i-- > 0;) text += kept[i];
  return text;
}

std::string without_links(const std::string& file) {
  char buffer[PATH_MAX];
  return realpath(file.c_str(), buffer) ? buffer : file;
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
  if (file_.empty() || input.size() > longest_kept) return;
  read();  // before it contains this session's lines
  make_directories(file_);
  Locked file(file_, O_RDWR | O_CREAT | O_APPEND, LOCK_EX);
  if (!file) return;
  write_all(file.descriptor(), std::string(ends_in_a_line(file.descriptor()) ? "\n" : "") +
                                   header(own_.back().line) + input +
                                   (input.back() == '\n' ? "" : "\n"));
}

void History::compact() const {
  std::string path = without_links(file_);
  struct stat info;
  if (file_.empty() || stat(path.c_str(), &info) != 0 || size_t(info.st_size) <= full_at) return;
  Locked file(path, O_RDWR, LOCK_EX);
  if (!file) return;
  std::string beside = path + ".new";  // possibly left by a session that was killed here
  int made = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (made < 0) return;
  bool whole = write_all(made, shortened(read_end(file.descriptor())));
  bool kept = fsync(made) == 0 && whole;
  if (close(made) != 0 || !kept || std::rename(beside.c_str(), path.c_str()) != 0)
    unlink(beside.c_str());
}

std::string History::problem() const {
  struct stat info;
  if (file_.empty() || stat(file_.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return "";
  return file_ + " is not a regular file: the history is not saved";
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
  if (file_.empty()) return;
  std::string text;
  if (Locked file(file_, O_RDONLY, LOCK_SH); file) text = read_end(file.descriptor());
  struct Owner {
    int session, line;
  };
  std::unordered_map<std::string, Owner> owners;  // by process ID; sessions may interleave
  int sessions = 0;
  for (StoredCell& record : parse_stored(text)) {
    std::vector<std::string> stamp = split(record.stamp, ' ');
    int line = stamp.size() > 2 ? std::atoi(stamp[2].c_str()) : 0;
    auto [owner, fresh] = owners.try_emplace(stamp.size() > 1 ? stamp[1] : "", Owner{0, 0});
    // A process ID may recur; line numbers of one session only grow.
    if (fresh || line <= owner->second.line) owner->second.session = ++sessions;
    owner->second.line = line;
    earlier_.push_back({owner->second.session, line, std::move(record.text), ""});
  }
  session_ = sessions + 1;
}

}  // namespace tilelab
