/*===- recorder.c - Repeats launches without what leads to them -----------===*/
/*
 * Stands between the runtime and the CUDA driver (CODA_DRIVER names it) and
 * keeps the launches of a call, to be made again in a loop in C: the time that
 * the driver itself takes. Every entry point takes whole registers on x86-64,
 * so that twelve of them are passed on whatever there are.
 */

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uintptr_t word;
typedef word (*entry)(word, word, word, word, word, word, word, word, word,
                      word, word, word);

static void *driver(void) {
  static void *library;
  if (!library) {
    const char *name = getenv("RECORDED_DRIVER");
    library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      abort();
  }
  return library;
}
static entry find(const char *name) { return (entry)dlsym(driver(), name); }

#define PASS_ON(NAME)                                                          \
  word NAME(word a, word b, word c, word d, word e, word f, word g, word h,    \
            word i, word j, word k, word l);                                   \
  word NAME(word a, word b, word c, word d, word e, word f, word g, word h,    \
            word i, word j, word k, word l) {                                  \
    static entry address;                                                      \
    if (!address)                                                              \
      address = find(#NAME);                                                   \
    return address(a, b, c, d, e, f, g, h, i, j, k, l);                        \
  }
PASS_ON(cuInit)
PASS_ON(cuGetErrorName)
PASS_ON(cuGetErrorString)
PASS_ON(cuDeviceGetCount)
PASS_ON(cuDeviceGet)
PASS_ON(cuDeviceGetAttribute)
PASS_ON(cuDevicePrimaryCtxRetain)
PASS_ON(cuDevicePrimaryCtxRelease_v2)
PASS_ON(cuCtxGetCurrent)
PASS_ON(cuCtxSetCurrent)
PASS_ON(cuCtxGetDevice)
PASS_ON(cuModuleLoadDataEx)
PASS_ON(cuModuleUnload)
PASS_ON(cuModuleGetFunction)
PASS_ON(cuModuleGetGlobal_v2)
PASS_ON(cuFuncGetAttribute)
PASS_ON(cuFuncSetAttribute)
PASS_ON(cuMemAllocAsync)
PASS_ON(cuMemFreeAsync)
PASS_ON(cuMemcpyDtoDAsync_v2)
PASS_ON(cuMemcpyHtoDAsync_v2)
PASS_ON(cuMemcpyDtoHAsync_v2)
PASS_ON(cuStreamSynchronize)
PASS_ON(cuTensorMapEncodeTiled)
PASS_ON(cuFuncGetParamInfo)

/* As the driver's CUlaunchConfig. */
typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream, *attributes;
  unsigned attribute_count;
} launch_config;

enum { MAX_LAUNCHES = 16, MAX_PARAMS = 32 };
static struct {
  void *function;
  launch_config config;
  void *params[MAX_PARAMS];
  _Alignas(64) char bytes[MAX_PARAMS][128];
} launches[MAX_LAUNCHES];
static int count, recording;

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **params, void **extra);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **params, void **extra) {
  static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                       unsigned, unsigned, void *, void **, void **);
  if (!launch)
    *(void **)&launch = dlsym(driver(), "cuLaunchKernel");
  if (recording && count < MAX_LAUNCHES) {
    launch_config config = {{gx, gy, gz}, {bx, by, bz}, shared,
                            stream,       NULL,         0};
    launches[count].function = function;
    launches[count].config = config;
    size_t offset, size;
    for (size_t i = 0; i < MAX_PARAMS; ++i) {
      if (cuFuncGetParamInfo((word)function, i, (word)&offset, (word)&size, 0,
                             0, 0, 0, 0, 0, 0, 0))
        break;
      memcpy(launches[count].bytes[i], params[i], size);
      launches[count].params[i] = launches[count].bytes[i];
    }
    ++count;
  }
  return launch(function, gx, gy, gz, bx, by, bz, shared, stream, params,
                extra);
}

/* Records the launches from here on. */
void recorder_start(void);
void recorder_start(void) {
  count = 0;
  recording = 1;
}
/* How many there were. */
int recorder_stop(void);
int recorder_stop(void) {
  recording = 0;
  return count;
}

/* Repeats them; gives the seconds for one time, or -1 if a launch fails. */
double recorder_replay(int times);
double recorder_replay(int times) {
  int (*launch)(const launch_config *, void *, void **, void **);
  *(void **)&launch = dlsym(driver(), "cuLaunchKernelEx");
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int t = 0; t < times; ++t)
    for (int i = 0; i < count; ++i)
      if (!launch || launch(&launches[i].config, launches[i].function,
                            launches[i].params, NULL))
        return -1;
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((double)(end.tv_sec - begin.tv_sec) +
          1e-9 * (double)(end.tv_nsec - begin.tv_nsec)) /
         times;
}
