/*===- Driver.h - The CUDA driver, opened at run time -------------*- C -*-===*/

#ifndef CODA_RUNTIME_DRIVER_H
#define CODA_RUNTIME_DRIVER_H

#include "Internal.h"

/* Numbers of the driver's interface that the runtime uses. */
enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  /* Device attributes. */
  DEVICE_MULTIPROCESSOR_COUNT = 16,
  DEVICE_MAJOR = 75,
  DEVICE_MINOR = 76,
  DEVICE_MAX_SHARED_MEMORY_OPTIN = 97,
  /* Function attributes. */
  FUNCTION_STATIC_SHARED_MEMORY = 1,
  FUNCTION_MAX_DYNAMIC_SHARED_MEMORY = 8,
  FUNCTION_NON_PORTABLE_CLUSTER = 14,
  /* Options of the PTX compiler in the driver. */
  JIT_ERROR_LOG_BUFFER = 5,
  JIT_ERROR_LOG_BUFFER_SIZE = 6,
  /* Tensor maps. */
  TENSOR_MAP_SWIZZLE_128B = 3,
  TENSOR_MAP_L2_PROMOTION_128B = 2
};

/* A tensor map: what the driver fills in and a kernel takes by value. */
typedef struct {
  _Alignas(64) uint64_t opaque[16];
} cuda_tensor_map;

/* Entry points, with the driver's handles as plain pointers. */
typedef struct {
  int (*Init)(unsigned);
  int (*GetErrorName)(int, const char **);
  int (*GetErrorString)(int, const char **);
  int (*DeviceGetCount)(int *);
  int (*DeviceGet)(int *, int);
  int (*DeviceGetAttribute)(int *, int, int);
  int (*DevicePrimaryCtxRetain)(void **, int);
  int (*DevicePrimaryCtxRelease)(int);
  int (*CtxGetCurrent)(void **);
  int (*CtxSetCurrent)(void *);
  int (*CtxGetDevice)(int *);
  int (*ModuleLoadDataEx)(void **, const void *, unsigned, int *, void **);
  int (*ModuleUnload)(void *);
  int (*ModuleGetFunction)(void **, void *, const char *);
  int (*ModuleGetGlobal)(uint64_t *, size_t *, void *, const char *);
  int (*FuncGetAttribute)(int *, int, void *);
  int (*FuncSetAttribute)(void *, int, int);
  int (*LaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, unsigned, void *, void **, void **);
  int (*MemAllocAsync)(uint64_t *, size_t, void *);
  int (*MemFreeAsync)(uint64_t, void *);
  int (*MemcpyDtoDAsync)(uint64_t, uint64_t, size_t, void *);
  int (*MemcpyHtoDAsync)(uint64_t, const void *, size_t, void *);
  int (*MemcpyDtoHAsync)(void *, uint64_t, size_t, void *);
  int (*StreamSynchronize)(void *);
  int (*TensorMapEncodeTiled)(cuda_tensor_map *, int, uint32_t, void *,
                              const uint64_t *, const uint64_t *,
                              const uint32_t *, const uint32_t *, int, int, int,
                              int);
  /* From CUDA 12.4 on; else NULL. */
  int (*FuncGetParamInfo)(void *, size_t, size_t *, size_t *);
} cuda_driver;

/* The driver, opened and initialised by the first call. */
coda_status coda_open_driver(const cuda_driver **driver,
                             const coda_message *message);
/* The driver, after coda_open_driver has succeeded. */
const cuda_driver *coda_driver(void);
/* Turns what the driver returned from `call` into a status. */
coda_status coda_driver_fail(const cuda_driver *driver, int result,
                             const char *call, const coda_message *message);
/* Makes the module's context the current one where the thread has none. */
coda_status coda_enter_context(const cuda_driver *driver,
                               const coda_module *module,
                               const coda_message *message);

/* Returns from the function if the call fails. */
#define CALL(NAME, ...)                                                        \
  do {                                                                         \
    int result_ = driver->NAME(__VA_ARGS__);                                   \
    if (result_)                                                               \
      return coda_driver_fail(driver, result_, "cu" #NAME, message);           \
  } while (0)

#endif /* CODA_RUNTIME_DRIVER_H */
