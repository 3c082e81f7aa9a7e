// SPDX-License-Identifier: Apache-2.0
// The host section in C++: what a call checks, describes and launches.
#pragma once

#include <string>
#include <vector>

#include "codegen/codegen.h"

namespace tilelab::codegen {

/// One extern "C" function per IR function, NAME_host (NAME alone may be a function of C), on the
/// header tl_host.h.
std::string host_section(const Func& func, const Target& target,
                         const std::vector<RenderedKernel>& kernels);

/// "{2, 32}": DLPack's numbers of a dtype, as tl_dtype of tl_host.h has them.
std::string dtype_code(DType dtype);

/// The element type's number for muTensorDescriptorEncode and cuTensorMapEncodeTiled; -1 where the
/// engine has none.
int tensor_map_type(DType dtype, Family family);

}  // namespace tilelab::codegen
