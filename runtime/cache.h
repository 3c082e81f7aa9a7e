// SPDX-License-Identifier: Apache-2.0
// Compiled code on disk, shared by the processes of one user. An entry is written to a temporary
// file and renamed, so that readers never see a partial one. It holds its complete key and the
// SHA-256 of its content, so that damage is detected. An entry that another user owns or can write
// is ignored: only this user, and root, can make this user run code. The least recently used
// entries are removed beyond 1 GiB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilelab::runtime {

/// TILELAB_CACHE_DIR, otherwise tilelab in XDG_CACHE_HOME or ~/.cache; "" if caching is disabled
/// (TILELANG_DISABLE_CACHE=1) or there is no home directory.
std::string cache_directory();

/// The cached image of `key`; nullopt if there is none, or it is damaged, larger than 64 MiB or not
/// this user's.
std::optional<std::string> cached(const std::string& key);
/// Stores the image, if the directory is writable.
void keep(const std::string& key, const std::string& image);
/// If the entries have more than `limit` bytes, removes the least recently used until three
/// quarters of it are left. Also removes temporary files that a killed process has left.
void evict(const std::string& directory, uint64_t limit);

}  // namespace tilelab::runtime
