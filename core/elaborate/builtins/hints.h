// SPDX-License-Identifier: Apache-2.0
// What a message proposes: text for `help`, written with the names and shapes of the user's kernel.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/value.h"

namespace tilelab::elaborate {

/// "64x32"; "one element" for a tile without dimensions.
std::string extents_text(const std::vector<int64_t>& extents);
/// "(64, 32)", "(64,)": a shape as Python writes it.
std::string tuple_text(const std::vector<int64_t>& extents);
/// The extents that say what a copy moves.
std::vector<int64_t> without_ones(const std::vector<int64_t>& extents);
/// "x[i, j]": an element of the buffer.
std::string element_text(const BufferInfo& buffer);
/// A loop over the elements of a buffer: "for i, j in T.Parallel(4, 32): x[i, j] += ...".
/// `statement` has `{}` where the element stands. Tensors have no such loop (they are larger than a
/// block); for them the element alone is named.
std::string loop_text(const BufferInfo& buffer, std::string_view statement);
/// Adds "did you mean ...?" if a candidate is near to `word`; true if one was.
bool suggest(Diagnostic& message, std::string_view word, const std::vector<std::string>& candidates,
             std::string_view prefix = "");
std::vector<std::string> dtype_names();
/// "`T.max(x, 0)` does this in a kernel" for a name of NumPy, torch, Triton or C; "" if it is none.
std::string instead_of(std::string_view name);
/// What the language has in place of an attribute that arrays of NumPy and torch have.
std::string instead_of_method(const std::string& attribute);
/// The dtype that C or another library calls so ("half", "fp16"), or "".
std::string dtype_alias(const std::string& name);
/// A view of `bits` bits in elements of `dtype`: shapes that would do.
std::string view_help(const BufferInfo& source, int64_t bits, DType dtype);
/// Names that `T.` has: functions that work or are planned, and dtypes.
std::vector<std::string> names_of_t();
/// Functions of `T` that take the place of a Python function of that name: "exp", "sqrt", "max".
/// "" if there is none.
std::string builtin_instead(const std::string& function);
/// Both sides of a copy whose extents differ: what could be done, in the user's names. `slice`: of
/// the tensor, as large as the tile; or "".
std::string copy_help(const BufferInfo& from, const std::vector<int64_t>& from_extents,
                      const BufferInfo& to, const std::vector<int64_t>& to_extents,
                      std::string_view slice);

}  // namespace tilelab::elaborate
