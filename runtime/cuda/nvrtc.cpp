// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/nvrtc.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>

#include "runtime/driver.h"

namespace tilelab::runtime {

namespace {

std::mutex mutex;
std::vector<std::string> more_files;

std::vector<std::string> places() {
  if (const char* given = std::getenv("TILELAB_NVRTC"); given && *given) return {given};
  std::vector<std::string> out{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                               "/usr/local/cuda/lib64/libnvrtc.so"};
  out.insert(out.end(), more_files.begin(), more_files.end());
  return out;
}

}  // namespace

void look_for_nvrtc_in(std::vector<std::string> files) {
  const std::lock_guard lock(mutex);
  more_files = std::move(files);
}

bool Nvrtc::load(void* library) {
#define NVRTC(field, ...)                                                          \
  field##_ = reinterpret_cast<decltype(field##_)>(dlsym(library, "nvrtc" #field)); \
  if (!field##_) return false;
#include "runtime/cuda/nvrtc.def"
#undef NVRTC
  return true;
}

std::unique_ptr<Nvrtc> Nvrtc::open(std::string* problem) {
  auto nvrtc = std::make_unique<Nvrtc>();
  std::string last, first;
  for (const std::string& place : places()) {
    void* library = open_library(place, &last);
    if (library && nvrtc->load(library)) return nvrtc;
    if (library) last = place + " lacks functions";
    if (first.empty()) first = last;
  }
  *problem = first;
  return nullptr;
}

const Nvrtc* Nvrtc::get(std::string* problem) {
  const std::lock_guard lock(mutex);
  static std::map<std::string, std::unique_ptr<Nvrtc>> opened;  // by what TILELAB_NVRTC says
  const char* given = std::getenv("TILELAB_NVRTC");
  auto& nvrtc = opened[given ? given : ""];
  if (!nvrtc) nvrtc = open(problem);
  return nvrtc.get();
}

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  Version_(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string Nvrtc::read(Program program, int (*size)(Program, size_t*),
                        int (*get)(Program, char*)) const {
  size_t bytes = 0;
  if (size(program, &bytes) != 0) return "";
  std::string out(bytes, '\0');
  if (get(program, out.data()) != 0) return "";
  return out;
}

std::string Nvrtc::compile(const std::string& text,
                           const std::map<std::string, std::string>& headers,
                           const std::vector<std::string>& options, bool ptx,
                           std::string* log) const {
  std::vector<const char*> names, texts, words;
  for (const auto& [name, content] : headers) {
    names.push_back(name.c_str());
    texts.push_back(content.c_str());
  }
  for (const std::string& option : options) words.push_back(option.c_str());
  Program program = nullptr;
  int status = CreateProgram_(&program, text.c_str(), "kernel.cu", int(names.size()), texts.data(),
                              names.data());
  if (status == 0) status = CompileProgram_(program, int(words.size()), words.data());
  std::string image;
  if (program) {
    *log = read(program, GetProgramLogSize_, GetProgramLog_);
    if (status == 0)
      image = ptx ? read(program, GetPTXSize_, GetPTX_) : read(program, GetCUBINSize_, GetCUBIN_);
    DestroyProgram_(&program);
  }
  if (image.empty() && log->size() <= 1) *log = "error " + std::to_string(status);
  return image;
}

}  // namespace tilelab::runtime
