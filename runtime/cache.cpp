// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/support/environment.h"

namespace tilelab::runtime {

namespace {

constexpr std::string_view kMagic = "tilelab image 1\n";

/// FNV-1a: names files and detects damage; entries are identified by their complete key.
uint64_t hash(std::string_view text) {
  uint64_t h = 14695981039346656037u;
  for (unsigned char c : text) h = (h ^ c) * 1099511628211u;
  return h;
}

std::string number(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx\n", static_cast<unsigned long long>(value));
  return text;
}

/// The bytes of an entry before the image.
std::string head(const std::string& key, const std::string& image) {
  return std::string(kMagic) + number(key.size()) + number(image.size()) + number(hash(image)) +
         key;
}

std::string path_of(const std::string& directory, const std::string& key) {
  std::string name = number(hash(key));
  name.pop_back();
  return directory + "/" + name + ".image";
}

/// Creates a directory and its parents.
void make_directories(const std::string& path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0755);
  mkdir(path.c_str(), 0755);
}

std::optional<std::string> read_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return std::nullopt;
  std::string text;
  char part[1 << 16];
  while (const size_t n = std::fread(part, 1, sizeof part, file)) text.append(part, n);
  const bool good = !std::ferror(file);
  std::fclose(file);
  if (!good) return std::nullopt;
  return text;
}

}  // namespace

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
  const auto entry = read_file(path_of(directory, key));
  const size_t before = kMagic.size() + 3 * 17 + key.size();
  if (!entry || entry->size() < before) return std::nullopt;
  std::string image = entry->substr(before);
  if (entry->compare(0, before, head(key, image)) != 0) return std::nullopt;
  return image;
}

void keep(const std::string& key, const std::string& image) {
  const std::string directory = cache_directory();
  if (directory.empty()) return;
  make_directories(directory);
  std::string beside = directory + "/.writing-XXXXXX";
  const int descriptor = mkstemp(beside.data());
  if (descriptor < 0) return;
  std::FILE* file = fdopen(descriptor, "wb");
  const std::string entry = head(key, image) + image;
  bool good = std::fwrite(entry.data(), 1, entry.size(), file) == entry.size();
  good = std::fclose(file) == 0 && good;
  if (!good || std::rename(beside.c_str(), path_of(directory, key).c_str()) != 0)
    unlink(beside.c_str());
}

}  // namespace tilelab::runtime
