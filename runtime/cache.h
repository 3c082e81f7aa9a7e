// SPDX-License-Identifier: Apache-2.0
// Compiled code on disk, shared by processes. An entry is written to a temporary file and renamed,
// so that readers never see a partial one, and holds its complete key, so that collisions are
// detected.
#pragma once

#include <optional>
#include <string>

namespace tilelab::runtime {

/// TILELAB_CACHE_DIR, otherwise tilelab in XDG_CACHE_HOME or ~/.cache; "" if caching is disabled
/// (TILELANG_DISABLE_CACHE=1) or there is no home directory.
std::string cache_directory();

/// The cached image of `key`; nullopt if there is none or it is damaged.
std::optional<std::string> cached(const std::string& key);
/// Stores the image, if the directory is writable.
void keep(const std::string& key, const std::string& image);

}  // namespace tilelab::runtime
