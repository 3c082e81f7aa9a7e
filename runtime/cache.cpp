// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/support/descriptor.h"
#include "core/support/environment.h"
#include "core/support/sha256.h"

namespace tilelab::runtime {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "tilelab image 2\n";
constexpr int64_t kLargestEntry = int64_t{64} << 20;
constexpr uint64_t kLargestCache = uint64_t{1} << 30;

/// An entry: the digest of the remainder, the size of the key, the key, the image.
std::string entry_of(const std::string& key, const std::string& image) {
  const std::string content = std::to_string(key.size()) + "\n" + key + image;
  return std::string(kMagic) + sha256(content) + "\n" + content;
}

std::string path_of(const std::string& directory, const std::string& key) {
  return directory + "/" + sha256(key).substr(0, 32) + ".image";
}

/// Creates a directory and its parents. Only this user may enter it.
void make_directories(const std::string& path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0755);
  mkdir(path.c_str(), 0700);
}

/// Whether a file is an entry that this user has written and no other one can change.
bool is_own(const struct stat& info) {
  return S_ISREG(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 022) == 0 &&
         info.st_size <= kLargestEntry;
}

/// Nullopt also for what is not a file of this user: a link, a pipe (which opens without waiting),
/// a device, a file of another user.
std::optional<std::string> read_own_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct stat info;
  std::string text;
  if (fstat(descriptor, &info) == 0 && is_own(info)) {
    text.resize(size_t(info.st_size));
    size_t done = 0;
    for (ssize_t n;
         done < text.size() && (n = read(descriptor, text.data() + done, text.size() - done)) > 0;)
      done += size_t(n);
    text.resize(done);
    futimens(descriptor, nullptr);  // the last use, for evict()
  }
  close(descriptor);
  return text;
}

}  // namespace

void evict(const std::string& directory, uint64_t limit) {
  struct File {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::error_code ignored;
  std::vector<File> files;
  uint64_t total = 0;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(directory, ignored), end; at != end; at.increment(ignored)) {
    std::error_code gone;
    File file{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone || !at->is_regular_file(gone) || at->is_symlink(gone)) continue;
    const bool was_left = file.path.filename().string().starts_with(".writing-");
    if (was_left && now - file.used > std::chrono::hours(1)) fs::remove(file.path, ignored);
    if (file.path.extension() != ".image") continue;
    total += file.bytes;
    files.push_back(std::move(file));
  }
  if (total <= limit) return;
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (total <= limit / 4 * 3) break;
    if (fs::remove(file.path, ignored)) total -= file.bytes;
  }
}

std::string cache_directory() {
  if (const std::string off = environment("TILELANG_DISABLE_CACHE"); off == "1" || off == "true")
    return "";
  if (std::string own = environment("TILELAB_CACHE_DIR"); !own.empty()) return own;
  if (std::string caches = environment("XDG_CACHE_HOME"); !caches.empty())
    return caches + "/tilelab";
  std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/tilelab";
}

std::optional<std::string> cached(const std::string& key) {
  const std::string directory = cache_directory();
  if (directory.empty()) return std::nullopt;
  const auto entry = read_own_file(path_of(directory, key));
  const size_t before = entry_of(key, "").size();
  if (!entry || entry->size() < before) return std::nullopt;
  std::string image = entry->substr(before);
  if (*entry != entry_of(key, image)) return std::nullopt;
  return image;
}

void keep(const std::string& key, const std::string& image) {
  const std::string directory = cache_directory();
  if (directory.empty() || key.size() + image.size() + 1000 > size_t(kLargestEntry)) return;
  const std::string entry = entry_of(key, image);
  make_directories(directory);
  std::string beside = directory + "/.writing-XXXXXX";
  const int descriptor = mkostemp(beside.data(), O_CLOEXEC);  // mode 0600
  if (descriptor < 0) return;
  bool good = write_all(descriptor, entry);
  good = close(descriptor) == 0 && good;
  if (!good || std::rename(beside.c_str(), path_of(directory, key).c_str()) != 0)
    unlink(beside.c_str());
  evict(directory, kLargestCache);
}

}  // namespace tilelab::runtime
