// SPDX-License-Identifier: Apache-2.0
// Limits the size of displays in a notebook.
#pragma once

#include <string>

#include "session/session.h"

namespace tilelab::jupyter {

/// Larger texts slow notebooks down and hit the servers' rate limit of 1 MB per second.
constexpr size_t kDisplayLimit = 200 * 1000;  // bytes, per representation

/// Cuts a text at a line end (otherwise at a character) so that it and a note fit into `limit`
/// bytes.
std::string cut_text(const std::string& text, size_t limit);

/// The bundle with every textual part within `limit` bytes. A long text/plain is cut, with a note;
/// markup that is too long is omitted (a part of it would be invalid), and text/html is replaced by
/// the cut plain text. Images are unchanged.
MimeBundle limit_bundle(const MimeBundle& bundle, size_t limit = kDisplayLimit);

}  // namespace tilelab::jupyter
