// SPDX-License-Identifier: Apache-2.0
// Suggestions for `help` lines, with the names and shapes of the user's kernel.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/value.h"

namespace tilelab::elaborate {

/// "64x32"; "one element" for a tile without dimensions.
std::string extents_text(const std::vector<int64_t>& extents);
/// "(64, 32)", "(64,)": a shape in Python syntax.
std::string tuple_text(const std::vector<int64_t>& extents);
/// The extents that determine a copy's shape.
std::vector<int64_t> without_ones(const std::vector<int64_t>& extents);
/// "x[i, j]": an element of the buffer.
std::string element_text(const BufferInfo& buffer);
/// A loop over the elements of a buffer: "for i, j in T.Parallel(4, 32): x[i, j] += ...". `{}` in
/// `statement` is replaced by the element. For tensors, which are larger than a block, the text is
/// only the element.
std::string loop_text(const BufferInfo& buffer, std::string_view statement);
/// Adds "did you mean ...?" if a candidate is similar to `word`; returns whether one was.
bool suggest(Diagnostic& message, std::string_view word, const std::vector<std::string>& candidates,
             std::string_view prefix = "");
std::vector<std::string> dtype_names();
/// "`T.max(x, 0)` does this in a kernel" for a name of NumPy, torch, Triton or C; "" if unknown.
std::string instead_of(std::string_view name);
/// The help for a name that T lacks: its replacement, or the name that it misspells; `shown` is how
/// the user calls T. "" if neither is known.
std::string help_for_name_of_t(const std::string& name, const std::string& shown);
/// The language's replacement for an attribute of NumPy and torch arrays.
std::string instead_of_method(const std::string& attribute);
/// The dtype with that alias in C or another library ("half", "fp16"), or "".
std::string dtype_alias(const std::string& name);
/// Valid shapes for a view of `bits` bits with elements of `dtype`.
std::string view_help(const BufferInfo& source, int64_t bits, DType dtype);
/// Names in `T.`: functions that work or are planned, and dtypes.
std::vector<std::string> names_of_t();
/// The function of `T` that replaces a Python function of that name: "exp", "sqrt", "max"; "" if
/// there is none.
std::string builtin_instead(const std::string& function);
/// Suggestions for a copy with different extents, in the user's names. `slice`: a slice of the
/// tensor with the tile's extents, or "".
std::string copy_help(const BufferInfo& from, const std::vector<int64_t>& from_extents,
                      const BufferInfo& to, const std::vector<int64_t>& to_extents,
                      std::string_view slice);

}  // namespace tilelab::elaborate
