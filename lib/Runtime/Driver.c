/*===- Driver.c - The CUDA driver, opened at run time ---------------------===*/

#include "Driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static cuda_driver entries;
static bool opened;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Those with a suffix are the ones that take 64-bit addresses. */
static const struct {
  const char *name;
  size_t offset;
  bool optional;
} symbols[] = {
#define SYMBOL(FIELD, NAME) {NAME, offsetof(cuda_driver, FIELD), false}
    SYMBOL(Init, "cuInit"),
    SYMBOL(GetErrorName, "cuGetErrorName"),
    SYMBOL(GetErrorString, "cuGetErrorString"),
    SYMBOL(DeviceGetCount, "cuDeviceGetCount"),
    SYMBOL(DeviceGet, "cuDeviceGet"),
    SYMBOL(DeviceGetAttribute, "cuDeviceGetAttribute"),
    SYMBOL(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"),
    SYMBOL(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2"),
    SYMBOL(CtxGetCurrent, "cuCtxGetCurrent"),
    SYMBOL(CtxSetCurrent, "cuCtxSetCurrent"),
    SYMBOL(CtxGetDevice, "cuCtxGetDevice"),
    SYMBOL(ModuleLoadDataEx, "cuModuleLoadDataEx"),
    SYMBOL(ModuleUnload, "cuModuleUnload"),
    SYMBOL(ModuleGetFunction, "cuModuleGetFunction"),
    SYMBOL(ModuleGetGlobal, "cuModuleGetGlobal_v2"),
    SYMBOL(FuncGetAttribute, "cuFuncGetAttribute"),
    SYMBOL(FuncSetAttribute, "cuFuncSetAttribute"),
    SYMBOL(LaunchKernel, "cuLaunchKernel"),
    SYMBOL(MemAllocAsync, "cuMemAllocAsync"),
    SYMBOL(MemFreeAsync, "cuMemFreeAsync"),
    SYMBOL(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2"),
    SYMBOL(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2"),
    SYMBOL(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2"),
    SYMBOL(StreamSynchronize, "cuStreamSynchronize"),
    SYMBOL(TensorMapEncodeTiled, "cuTensorMapEncodeTiled"),
#undef SYMBOL
    {"cuFuncGetParamInfo", offsetof(cuda_driver, FuncGetParamInfo), true},
};

static coda_status open_locked(const coda_message *message) {
  const char *name = getenv("CODA_DRIVER");
  if (!name || !*name)
    name = "libcuda.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return coda_fail(message, CODA_NO_DRIVER,
                     "no CUDA driver: %s could not be opened (%s)", name,
                     reason ? reason : "unknown reason");
  }
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    void *address = dlsym(library, symbols[i].name);
    if (!address && !symbols[i].optional) {
      dlclose(library);
      return coda_fail(message, CODA_NO_DRIVER,
                       "the CUDA driver %s has no %s: Coda needs a driver of "
                       "CUDA 12 or later",
                       name, symbols[i].name);
    }
    memcpy((char *)&entries + symbols[i].offset, &address, sizeof address);
  }
  int result = entries.Init(0), count = 0;
  if (result == CUDA_SUCCESS)
    result = entries.DeviceGetCount(&count);
  coda_status status = CODA_OK;
  if (result == CUDA_ERROR_NO_DEVICE || (result == CUDA_SUCCESS && !count))
    status = coda_fail(message, CODA_NO_DEVICE,
                       "no GPU: the CUDA driver %s finds no device", name);
  else if (result)
    status = coda_driver_fail(&entries, result, "cuInit", message);
  if (status)
    dlclose(library);
  return status;
}

coda_status coda_open_driver(const cuda_driver **driver,
                             const coda_message *message) {
  coda_status status = CODA_OK;
  pthread_mutex_lock(&mutex);
  if (!opened) {
    status = open_locked(message);
    opened = !status;
  }
  pthread_mutex_unlock(&mutex);
  *driver = &entries;
  return status;
}

const cuda_driver *coda_driver(void) { return &entries; }

coda_status coda_driver_fail(const cuda_driver *driver, int result,
                             const char *call, const coda_message *message) {
  const char *name = NULL, *text = NULL;
  driver->GetErrorName(result, &name);
  driver->GetErrorString(result, &text);
  return coda_fail(message,
                   result == CUDA_ERROR_OUT_OF_MEMORY ? CODA_OUT_OF_MEMORY
                                                      : CODA_DRIVER_ERROR,
                   "%s failed: %s (error %d: %s)", call,
                   name ? name : "unknown error", result,
                   text ? text : "no description");
}
