// SPDX-License-Identifier: Apache-2.0
// Addresses of elements (T.access_ptr, T.tvm_access_ptr) as operands of operations on vectors.
#pragma once

#include "core/elaborate/value.h"

namespace tilelab::elaborate {

/// Whether `count` elements from a multiple of `count` are in one row.
bool in_one_row(const AddressValue& address, int64_t count);
/// `count` adjacent elements of the last dimension, from the address on.
Expr elements_at(const AddressValue& address, int64_t count);
/// Indices of the element with that row-major number.
std::vector<Expr> index_of(const BufferInfo& buffer, Expr number);
/// Its address.
AddressValue address_of_number(const BufferRef& buffer, const Expr& number);

}  // namespace tilelab::elaborate
