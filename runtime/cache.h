// SPDX-License-Identifier: Apache-2.0
// Compiled code on disk, shared by processes: an entry is written beside its place and renamed, so
// nobody reads half of one, and holds its whole key, so nobody reads another's.
#pragma once

#include <optional>
#include <string>

namespace tilelab::runtime {

/// TILELAB_CACHE_DIR, else tilelab in XDG_CACHE_HOME or ~/.cache; "" where nothing is to be kept
/// (TILELANG_DISABLE_CACHE=1) or there is no home.
std::string cache_directory();

/// What was kept for `key`; nothing where there is none, or a damaged one.
std::optional<std::string> cached(const std::string& key);
/// Keeps it, if the directory can be written.
void keep(const std::string& key, const std::string& image);

}  // namespace tilelab::runtime
