// SPDX-License-Identifier: Apache-2.0
// Limits the size of displays in a notebook.
#pragma once

#include <string>

#include "session/session.h"

namespace tilelab::jupyter {

constexpr size_t kDisplayLimit = 200 * 1000;  // bytes of text; a longer one slows notebooks down

/// Cuts a text at a line end (otherwise at a character) so that it and a note fit into `limit`
/// bytes.
std::string cut_text(const std::string& text, size_t limit);

/// The bundle with text/plain cut to `limit` bytes, with a note. Markup, images and data stay
/// whole: a part of them would be invalid.
MimeBundle limit_bundle(const MimeBundle& bundle, size_t limit = kDisplayLimit);

}  // namespace tilelab::jupyter
