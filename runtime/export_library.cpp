// SPDX-License-Identifier: Apache-2.0
#include "runtime/export_library.h"

#include <filesystem>

#include "codegen/c_family/host.h"
#include "codegen/c_family/names.h"
#include "codegen/codegen.h"
#include "codegen/cpu/native.h"
#include "codegen/process.h"
#include "core/ir/build.h"
#include "core/ir/text/print.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "runtime/device_header.h"
#include "runtime/platform.h"

namespace tilelab::runtime {

namespace {

/// The C type of a scalar parameter in the header; null if C has none.
const char* scalar_type(DType dtype) {
  switch (dtype) {
    case DType::bool_: return "bool";
    case DType::i8: return "int8_t";
    case DType::u8: return "uint8_t";
    case DType::i16: return "int16_t";
    case DType::u16: return "uint16_t";
    case DType::i32: return "int32_t";
    case DType::u32: return "uint32_t";
    case DType::i64: return "int64_t";
    case DType::u64: return "uint64_t";
    case DType::f32: return "float";
    case DType::f64: return "double";
    default: return nullptr;
  }
}

std::string host_name(const Func& func) { return codegen::c_identifier(func.name.str() + "_host"); }

/// The alignment in bytes that the host section demands of a tensor.
int alignment_of(const Func& func, Symbol tensor) {
  int align = 1;
  for_each_of_host(func, [&](const CheckTensor& check) {
    if (check.buffer == tensor) align = static_cast<int>(check.align);
  });
  return align;
}

/// A parameter in the words of the program: "float32 [N, 64], dtype {2, 32}, aligned to 16 bytes".
std::string described(const Func& func, const Param& param, const BufferTable& buffers) {
  if (!param.tensor) return tilelang_name(param.dtype);
  const Buffer& buffer = *buffers.at(param.name);
  const auto text = [](const Expr& extent) { return print(extent); };
  return std::string(tilelang_name(buffer.dtype)) + " [" + join(buffer.shape, ", ", text) +
         "], dtype " + codegen::dtype_code(buffer.dtype) + ", aligned to " +
         plural(alignment_of(func, param.name), "byte");
}

constexpr const char* kTensor = R"(#ifndef TL_TENSOR
#define TL_TENSOR
/* An element type: code (0 int, 1 uint, 2 float, 4 bfloat, 6 bool, as DLPack numbers them; 7 e4m3,
   8 e5m2) and bits. */
typedef struct tl_dtype {
  unsigned char code, bits;
} tl_dtype;
/* A tensor: the address of its first element, on the GPU for a GPU's kernel; strides in elements. */
typedef struct tl_tensor {
  void* data;
  tl_dtype dtype;
  int rank;
  long long shape[8], strides[8];
} tl_tensor;
/* A contiguous tensor, its last dimension innermost. */
static inline tl_tensor tl_contiguous(void* data, int code, int bits, int rank, const long long* shape) {
  tl_tensor made;
  long long stride = 1;
  int i;
  made.data = data, made.rank = rank;
  made.dtype.code = (unsigned char)code, made.dtype.bits = (unsigned char)bits;
  for (i = rank - 1; i >= 0; --i) made.shape[i] = shape[i], made.strides[i] = stride, stride *= shape[i];
  return made;
}
#endif
)";

/// "const tl_tensor* A, float s, ", or "" with the error.
std::string parameters_of(const Func& func, std::string* problem) {
  std::string out;
  for (const Stmt& stmt : func.params) {
    const auto& param = to<Param>(stmt);
    const char* type = param.tensor ? "const tl_tensor*" : scalar_type(param.dtype);
    if (!type) {
      *problem = "parameter " + param.name.str() + " is " + tilelang_name(param.dtype) +
                 ", which C does not have: make it float32";
      return "";
    }
    out += std::string(type) + " " + codegen::c_identifier(param.name.str()) + ", ";
  }
  return out;
}

/// The header, or "" with the error.
std::string header_of(const Func& func, const std::string& library, std::string* problem) {
  const BufferTable buffers = buffers_of(func);
  const std::string parameters = parameters_of(func, problem);
  if (!problem->empty()) return "";
  std::string comments;
  for (const Stmt& stmt : func.params) {
    const auto& param = to<Param>(stmt);
    comments += "   " + codegen::c_identifier(param.name.str()) + ": " +
                described(func, param, buffers) + "\n";
  }
  const std::string guard = "TL_" + codegen::c_identifier(func.name.str()) + "_H";
  return "/* Kernel " + func.name.str() + " for " + func.target + ", in " + library +
         ". Link the library, or load it by dlopen. */\n#ifndef " + guard + "\n#define " + guard +
         "\n\n#include <stdbool.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n" +
         "#endif\n\n" + kTensor +
         "\n/* Returns null, or what is wrong; the text is valid until the "
         "thread's next call.\n" +
         comments +
         "   stream: a CUstream, cudaStream_t or musaStream_t of the current context, or null; "
         "ignored by a CPU's "
         "kernel. */\nconst char* " +
         host_name(func) + "(" + parameters +
         "void* stream);\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

/// The extents of a kernel's tensors: "A [96, N], B [96]", and the condition in C that the constant
/// ones hold.
std::pair<std::string, std::string> extents_of(const Func& func) {
  const BufferTable buffers = buffers_of(func);
  std::vector<std::string> texts, conditions;
  for (const Stmt& stmt : func.params) {
    const auto& param = to<Param>(stmt);
    if (!param.tensor) continue;
    const std::string name = codegen::c_identifier(param.name.str());
    const std::vector<Expr>& shape = buffers.at(param.name)->shape;
    conditions.push_back(name + " && " + name + "->rank == " + std::to_string(shape.size()));
    std::vector<std::string> extents;
    for (size_t d = 0; d < shape.size(); ++d) {
      extents.push_back(print(shape[d]));
      if (const auto constant = int_value(shape[d]))
        conditions.push_back(name + "->shape[" + std::to_string(d) +
                             "] == " + std::to_string(*constant));
    }
    texts.push_back(name + " [" + join(extents, ", ") + "]");
  }
  return {join(texts, ", "), join(conditions, " && ")};
}

/// The machine code as a C++ array.
std::string array_of(const std::string& image) {
  std::string out =
      "extern const unsigned char tl_image[];\nalignas(16) const unsigned char tl_image[] = {";
  for (size_t i = 0; i < image.size(); ++i)
    out += (i % 32 == 0 ? "\n" : "") + std::to_string(static_cast<unsigned char>(image[i])) + ",";
  return out + "};\n";
}

std::string compiled(const Func& func, const Target& target, const std::string& kernels) {
  return platform_of(target).compile(func.name.str(), kernels, target,
                                     architecture_number(target.name));
}

/// The unit of a GPU's library: the image and the host section, which calls the driver.
std::string unit_of(const Func& func, const Target& target, const std::string& kernels,
                    const std::string& host) {
  const DriverSource& source = platform_of(target).source();
  const std::string image = compiled(func, target, kernels);
  const std::string prefix = source.prefix;
  return "#define TL_DRIVER 1\n#define TL_DRIVER_LIBRARY \"" + std::string(source.library) +
         "\"\n#define TL_DRIVER_PREFIX \"" + prefix + "\"\n#define TL_DRIVER_ENCODE \"" + prefix +
         (source.map_encoder ? source.map_encoder : "") + "\"\n#include \"tl_device.h\"\n" +
         array_of(image) + host;
}

}  // namespace

std::string machine_code(const Func& flat, Diagnostics& sink) {
  const Target& target = *find_target(flat.target);
  const auto kernels = codegen::render(flat, target, {}, sink);
  return kernels ? compiled(flat, target, kernels->text) : "";
}

std::string library_chooser(const std::string& name, const std::vector<FuncRef>& flats) {
  std::string problem;
  const std::string parameters = parameters_of(*flats.at(0), &problem);
  std::string includes, calls, all, values;
  for (const Stmt& stmt : flats[0]->params)
    values += codegen::c_identifier(to<Param>(stmt).name.str()) + ", ";
  for (const FuncRef& flat : flats) {
    if (parameters_of(*flat, &problem) != parameters) return "";
    const auto [extents, condition] = extents_of(*flat);
    includes += "#include \"" + flat->name.str() + ".h\"\n";
    calls += "  if (" + (condition.empty() ? "1" : condition) + ")\n    return " +
             host_name(*flat) + "(" + values + "stream);\n";
    all += (all.empty() ? "" : "; ") + extents;
  }
  const std::string id = codegen::c_identifier(name);
  return "/* Kernel " + name + " for several extents; link all of its libraries. */\n#ifndef TL_" +
         id + "_H\n#define TL_" + id + "_H\n\n" + includes +
         "\n/* Calls the first kernel whose extents the tensors have. Returns null, or what is "
         "wrong, "
         "as each of\n   them does. */\nstatic inline const char* " +
         codegen::c_identifier(name + "_host") + "(" + parameters + "void* stream) {\n" + calls +
         "  return \"" + name + " is not compiled for these extents; there are: " + all +
         "\";\n}\n#endif\n";
}

std::string export_library(const Func& flat, const std::string& path, const std::string& arch,
                           Diagnostics& sink) {
  const Target& target = *find_target(flat.target);
  const bool on_cpu = target.family == Family::cpu;
  const std::filesystem::path file(path);
  if (file.extension() != ".so")
    return "the path of a library ends in .so, as in " + flat.name.str() + ".so";
  codegen::RenderOptions device, host;
  device.locations = host.locations = false;
  device.host = on_cpu, host.kernels = false, host.host = true;
  const auto kernels = codegen::render(flat, target, device, sink);
  const auto calls = codegen::render(flat, target, host, sink);
  if (!kernels || !calls) return "";
  for (const codegen::RenderedKernel& kernel : kernels->kernels)
    if (kernel.records)
      return "kernel " + kernel.name +
             " prints or asserts, which needs tilelab: remove T.print and T.device_assert";
  std::string problem;
  const std::string header = header_of(flat, file.filename().string(), &problem);
  if (!problem.empty()) return problem;
  const std::string unit =
      on_cpu ? kernels->text : unit_of(flat, target, kernels->text, calls->text);
  problem = cpu::build_library(unit, host_name(flat), path, arch);
  if (!problem.empty()) return problem;
  const std::string beside = std::filesystem::path(file).replace_extension(".h").string();
  return write_file(beside, header) ? "" : "cannot write " + beside;
}

}  // namespace tilelab::runtime
