// SPDX-License-Identifier: Apache-2.0
// The host side of an exported library: kernels are an image in this library, and the vendor's
// driver is found at run time. Needs no compiler, no runtime library and no tilelab. The library
// defines TL_DRIVER_LIBRARY ("libcuda.so.1"), TL_DRIVER_PREFIX ("cu") and tl_image.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef void* tl_stream;

extern const unsigned char tl_image[];

/// A tensor map as a kernel's parameter.
struct alignas(64) tl_map {
  unsigned long long words[16];
};

namespace tl_host {

/// Functions of the driver's API, named as CUDA names them.
struct tl_driver {
  int (*context)(void** context);
  int (*load)(void** module, const void* image);
  int (*function)(void** function, void* module, const char* name);
  int (*set)(void* function, int attribute, int value);
  int (*launch)(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y,
                unsigned z, unsigned smem, tl_stream stream, void** params, void** extra);
  int (*allocate)(unsigned long long* address, size_t bytes, tl_stream stream);
  int (*release)(unsigned long long address, tl_stream stream);
  int (*fill)(unsigned long long address, unsigned char value, size_t count, tl_stream stream);
  int (*error_text)(int status, const char** text);
  void* encode;  // creates tensor maps; null if the driver cannot
};

/// Null with the error, a text that stays valid.
inline const tl_driver* tl_open(const char** wrong) {
  static tl_driver driver;
  static const char* problem = nullptr;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] {
    void* library = dlopen(TL_DRIVER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      problem = "no driver: " TL_DRIVER_LIBRARY " not found";
      return;
    }
    auto resolve = [&](auto& field, const char* name, bool needed) {
      field = (decltype(+field))dlsym(library, name);
      if (!field && needed) problem = "the driver is too old";
    };
    resolve(driver.context, TL_DRIVER_PREFIX "CtxGetCurrent", true);
    resolve(driver.load, TL_DRIVER_PREFIX "ModuleLoadData", true);
    resolve(driver.function, TL_DRIVER_PREFIX "ModuleGetFunction", true);
    resolve(driver.set, TL_DRIVER_PREFIX "FuncSetAttribute", true);
    resolve(driver.launch, TL_DRIVER_PREFIX "LaunchKernel", true);
    resolve(driver.allocate, TL_DRIVER_PREFIX "MemAllocAsync", true);
    resolve(driver.release, TL_DRIVER_PREFIX "MemFreeAsync", true);
    resolve(driver.fill, TL_DRIVER_PREFIX "MemsetD8Async", true);
    resolve(driver.error_text, TL_DRIVER_PREFIX "GetErrorString", true);
    resolve(driver.encode, TL_DRIVER_ENCODE, false);
  });
  *wrong = problem;
  return problem ? nullptr : &driver;
}

inline const char* tl_status_text(const tl_driver& driver, int status) {
  const char* text = nullptr;
  return driver.error_text(status, &text) == 0 && text ? text : "the driver reports an error";
}

/// A kernel of the image. Each context has its own module, which is loaded at the first launch.
class tl_kernel {
 public:
  explicit constexpr tl_kernel(const char* name) : name_(name) {}
  tl_kernel(const tl_kernel&) = delete;

  template <class... A>
  const char* launch(long long gx, long long gy, long long gz, unsigned threads, unsigned smem,
                     tl_stream stream, A... args) {
    if (!gx || !gy || !gz) return nullptr;
    const char* wrong;
    const tl_driver* driver = tl_open(&wrong);
    void* function = driver ? find(*driver, smem, &wrong) : nullptr;
    if (!function) return wrong;
    void* params[] = {(void*)&args..., nullptr};
    const int status = driver->launch(function, (unsigned)gx, (unsigned)gy, (unsigned)gz, threads,
                                      1, 1, smem, stream, params, nullptr);
    return status == 0 ? nullptr : tl_status_text(*driver, status);
  }

 private:
  struct Loaded {
    void *context, *function;
    Loaded* next;
  };

  void* find(const tl_driver& driver, unsigned smem, const char** wrong) {
    void* context = nullptr;
    if (driver.context(&context) != 0 || !context) {
      *wrong = "no context is current: call cudaSetDevice, or the like, before";
      return nullptr;
    }
    pthread_mutex_lock(&mutex_);
    const Loaded* found = loaded_;
    while (found && found->context != context) found = found->next;
    if (!found) found = load(driver, context, smem, wrong);
    pthread_mutex_unlock(&mutex_);
    return found ? found->function : nullptr;
  }

  const Loaded* load(const tl_driver& driver, void* context, unsigned smem, const char** wrong) {
    constexpr int kMaxDynamicSharedMemory = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    void *module = nullptr, *function = nullptr;
    int status = driver.load(&module, tl_image);
    if (status == 0) status = driver.function(&function, module, name_);
    if (status == 0) status = driver.set(function, kMaxDynamicSharedMemory, (int)smem);
    if (status != 0) {
      *wrong = tl_status_text(driver, status);
      return nullptr;
    }
    auto* made = (Loaded*)malloc(sizeof(Loaded));
    if (!made) {
      *wrong = "out of memory";
      return nullptr;
    }
    *made = {context, function, loaded_};
    return loaded_ = made;
  }

  const char* name_;
  Loaded* loaded_ = nullptr;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

#define TL_LAUNCH(kernel, gx, gy, gz, threads, smem, stream, ...)                              \
  do {                                                                                         \
    static tl_kernel tl_this(#kernel);                                                         \
    if (const char* tl_wrong = tl_this.launch(gx, gy, gz, threads, smem, stream, __VA_ARGS__)) \
      return tl_wrong;                                                                         \
  } while (0)

/// Memory on the GPU; null if there is none.
inline void* tl_allocate(unsigned long long bytes, bool zeroed, tl_stream stream) {
  const char* wrong;
  const tl_driver* driver = tl_open(&wrong);
  unsigned long long address = 0;
  if (!driver || driver->allocate(&address, bytes, stream) != 0) return nullptr;
  if (zeroed) driver->fill(address, 0, bytes, stream);
  return (void*)address;
}

inline void tl_release(void* data, tl_stream stream) {
  const char* wrong;
  const tl_driver* driver = data ? tl_open(&wrong) : nullptr;
  if (driver) driver->release((unsigned long long)data, stream);
}

}  // namespace tl_host
