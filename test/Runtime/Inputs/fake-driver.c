/*===- fake-driver.c - Stands in for the CUDA driver in tests -------------===*/
/*
 * Prints the calls that matter. An image is a text of lines "kernel NAME
 * TYPES", whose types (i32, i64, f32, map, ...) say how the parameters of a
 * launch are printed, and "constant NAME BYTES"; PTX is taken too, without the
 * types. Kernels do not run, but
 * what was allocated holds bytes, zero at first, for copies; any other address
 * is a number that nothing is read from. Environment: FAKE_DEVICES, FAKE_CC
 * (90), FAKE_STATIC (1024 bytes of shared memory), FAKE_FAIL=<entry point>,
 * FAKE_CONTEXT=1 (one is current from the start).
 */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}
/* Gives an error from the entry point that the test wants to fail. */
static int fails(const char *name) {
  const char *which = getenv("FAKE_FAIL");
  return which && !strcmp(which, name) ? 2 : 0;
}
#define ENTER(NAME)                                                            \
  do {                                                                         \
    int failure = fails(NAME);                                                 \
    if (failure)                                                               \
      return failure;                                                          \
  } while (0)

static _Thread_local void *current;
static char context[8];
static uint64_t next_address = 0x100000;
static unsigned maps;

typedef struct {
  char *text;
} image;
typedef struct {
  char name[64], types[256];
  const void *module;
} kernel;

int cuInit(unsigned flags) {
  (void)flags;
  ENTER("cuInit");
  if (number("FAKE_CONTEXT", 0))
    current = &context[0];
  return number("FAKE_DEVICES", 1) ? 0 : 100;
}
int cuGetErrorName(int error, const char **name) {
  *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
  return 0;
}
int cuGetErrorString(int error, const char **text) {
  *text = error == 2 ? "out of memory" : "a fake error";
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = number("FAKE_DEVICES", 1);
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  int capability = number("FAKE_CC", 90);
  *value = attribute == 75   ? capability / 10
           : attribute == 76 ? capability % 10
           : attribute == 16 ? 132
                             : 232448;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **out, int device) {
  printf("retain primary context\n");
  *out = &context[device];
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  printf("release primary context\n");
  return 0;
}
int cuCtxGetCurrent(void **out) {
  *out = current;
  return 0;
}
int cuCtxSetCurrent(void *which) {
  current = which;
  return 0;
}
int cuCtxGetDevice(int *device) {
  *device = (int)((char *)current - context);
  return 0;
}
int cuModuleLoadDataEx(void **out, const void *data, unsigned count,
                       int *options, void **values) {
  for (unsigned i = 0; i < count; ++i)
    if (!strncmp(data, "bad", 3) && options[i] == 5)
      strcpy(values[i], "ptxas fatal: a fake complaint");
  if (!strncmp(data, "bad", 3))
    return 218;
  image *loaded = malloc(sizeof *loaded);
  loaded->text = strdup(data);
  *out = loaded;
  return 0;
}
static kernel *kernels[64];
static int kernel_count;
int cuModuleUnload(void *module) {
  printf("unload module\n");
  int kept = 0;
  for (int i = 0; i < kernel_count; ++i) {
    if (kernels[i]->module == module)
      free(kernels[i]);
    else
      kernels[kept++] = kernels[i];
  }
  kernel_count = kept;
  free(((image *)module)->text);
  free(module);
  return 0;
}
/* The parameters of a PTX entry, in the form of the other images. */
static void read_ptx(const char *entry, char *types) {
  const char *end = strchr(entry, ')');
  for (const char *at = entry; (at = strstr(at, ".param")) && at < end; ++at) {
    size_t length = strcspn(at, ",)");
    const char *map = strstr(at, "[128]"), *wide = strstr(at, "64 ");
    const char *real = strstr(at, ".f32"), *half = strstr(at, "16 ");
    const char *stop = at + length;
    strcat(types, map && map < stop     ? "map "
                  : wide && wide < stop ? "i64 "
                  : real && real < stop ? "f32 "
                  : half && half < stop ? "i16 "
                                        : "i32 ");
  }
}
/* The bytes of a parameter type. */
static size_t type_size(const char *type) {
  if (!strncmp(type, "map", 3))
    return 128;
  int bits = atoi(type + strcspn(type, "0123456789"));
  return (size_t)bits / 8;
}
int cuFuncGetParamInfo(void *function, size_t index, size_t *offset,
                       size_t *size) {
  const char *type = ((kernel *)function)->types;
  *offset = 0;
  for (; *type; type += strcspn(type, " "), type += strspn(type, " "))
    if (!index--) {
      *size = type_size(type);
      return 0;
    }
  return 1;
}
int cuModuleGetFunction(void **out, void *module, const char *name) {
  const char *text = ((image *)module)->text;
  char key[128];
  snprintf(key, sizeof key, "kernel %s ", name);
  const char *found = strstr(text, key);
  size_t skip = strlen(key);
  if (!found) {
    snprintf(key, sizeof key, ".entry %s(", name);
    found = strstr(text, key);
    if (!found || kernel_count == 64)
      return 500;
    skip = strlen(found);
  }
  kernel *k = calloc(1, sizeof *k);
  k->module = module;
  snprintf(k->name, sizeof k->name, "%s", name);
  if (found[skip])
    snprintf(k->types, sizeof k->types, "%.*s",
             (int)strcspn(found + skip, "\n"), found + skip);
  else
    read_ptx(found, k->types);
  kernels[kernel_count++] = k;
  *out = k;
  return 0;
}
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module,
                         const char *name) {
  const char *text = ((image *)module)->text;
  char key[256];
  snprintf(key, sizeof key, "constant %s ", name);
  const char *found = strstr(text, key);
  if (!found) {
    snprintf(key, sizeof key, ".b8 %s[", name);
    found = strstr(text, key);
  }
  if (!found)
    return 500;
  *bytes = strtoull(found + strlen(key), NULL, 10);
  /* In no block of those that are allocated. */
  *address = 0x700000000 + (uint64_t)(found - text) * 128;
  printf("constant %s: 0x%" PRIx64 "\n", name, *address);
  return 0;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  (void)attribute, (void)function;
  *value = number("FAKE_STATIC", 1024);
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  printf("attribute %d of %s: %d\n", attribute, ((kernel *)function)->name,
         value);
  return 0;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **params, void **extra) {
  (void)extra;
  ENTER("cuLaunchKernel");
  kernel *k = function;
  printf("launch %s grid %ux%ux%u block %ux%ux%u shared %u stream %" PRIuPTR,
         k->name, gx, gy, gz, bx, by, bz, shared, (uintptr_t)stream);
  char types[256];
  strcpy(types, k->types);
  int i = 0;
  char *rest = types;
  for (char *type; (type = strtok_r(rest, " ", &rest)); ++i) {
    uint64_t bits = 0;
    if (!strcmp(type, "map")) {
      memcpy(&bits, params[i], 8);
      printf(" map#%" PRIu64, bits);
      continue;
    }
    memcpy(&bits, params[i], type_size(type));
    printf(*type == 'i' ? " %s %" PRId64 : " %s 0x%" PRIx64, type, bits);
  }
  printf("\n");
  return 0;
}
/* What stands behind the addresses that were given out. */
static struct {
  uint64_t address;
  size_t bytes;
  char *memory;
} blocks[64];
static unsigned block_count;
static char *find(uint64_t address, size_t bytes) {
  for (unsigned i = 0; i < block_count; ++i)
    if (address >= blocks[i].address && blocks[i].memory &&
        address - blocks[i].address + bytes <= blocks[i].bytes)
      return blocks[i].memory + (address - blocks[i].address);
  return NULL;
}
int cuMemAllocAsync(uint64_t *address, size_t bytes, void *stream) {
  (void)stream;
  ENTER("cuMemAllocAsync");
  *address = next_address;
  next_address += (bytes + 0xffff) & ~(uint64_t)0xffff;
  if (block_count < 64) {
    blocks[block_count].address = *address;
    blocks[block_count].bytes = bytes;
    blocks[block_count++].memory = calloc(1, bytes);
  }
  printf("allocate %zu: 0x%" PRIx64 "\n", bytes, *address);
  return 0;
}
int cuMemFreeAsync(uint64_t address, void *stream) {
  (void)stream;
  for (unsigned i = 0; i < block_count; ++i)
    if (blocks[i].address == address) {
      free(blocks[i].memory);
      blocks[i].memory = NULL;
    }
  printf("free 0x%" PRIx64 "\n", address);
  return 0;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         void *stream) {
  (void)stream;
  printf("copy %zu from 0x%" PRIx64 " to 0x%" PRIx64 "\n", bytes, from, to);
  if (find(to, bytes) && find(from, bytes))
    memmove(find(to, bytes), find(from, bytes), bytes);
  return 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                         void *stream) {
  (void)stream;
  ENTER("cuMemcpyHtoDAsync");
  printf("copy %zu from host to 0x%" PRIx64 "\n", bytes, to);
  char *memory = find(to, bytes);
  if (!memory)
    return 1;
  memcpy(memory, from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  (void)stream;
  ENTER("cuMemcpyDtoHAsync");
  printf("copy %zu from 0x%" PRIx64 " to host\n", bytes, from);
  const char *memory = find(from, bytes);
  if (!memory)
    return 1;
  memcpy(to, memory, bytes);
  return 0;
}
int cuStreamSynchronize(void *stream) {
  (void)stream;
  ENTER("cuStreamSynchronize");
  return 0;
}
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address,
                           const uint64_t *sizes, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *elements,
                           int interleave, int swizzle, int promotion,
                           int fill) {
  (void)elements;
  ENTER("cuTensorMapEncodeTiled");
  printf("map#%u type %d at 0x%" PRIxPTR, maps, type, (uintptr_t)address);
  for (uint32_t d = 0; d < rank; ++d)
    printf(" size %" PRIu64 " box %u", sizes[d], box[d]);
  for (uint32_t d = 0; d + 1 < rank; ++d)
    printf(" stride %" PRIu64, strides[d]);
  printf(" interleave %d swizzle %d promotion %d fill %d\n", interleave,
         swizzle, promotion, fill);
  uint64_t id = maps++;
  memcpy(map, &id, sizeof id);
  return 0;
}
