/*===- Module.c - Loading modules and asking about them -------------------===*/

#include "Driver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CODA_VERSION
#define CODA_VERSION "unknown"
#endif

const char *coda_version(void) { return CODA_VERSION; }

/*===----------------------------------------------------------------------===*\
|* The device
\*===----------------------------------------------------------------------===*/

/* "sm_90a" runs on 9.0 only, "sm_100f" on 10.x from 10.0 on, "sm_80" on
 * everything from 8.0 on. */
typedef struct {
  long number;
  char suffix; /* 'a', 'f' or 0 */
} target_chip;

static bool read_chip(const char *name, target_chip *chip) {
  char *end;
  chip->number = strncmp(name, "sm_", 3) ? 0 : strtol(name + 3, &end, 10);
  if (chip->number < 10 || chip->number > 9999 ||
      (*end && strcmp(end, "a") && strcmp(end, "f")))
    return false;
  chip->suffix = *end;
  return true;
}

static coda_status check_chip(const cuda_driver *driver, int device,
                              const char *name, const target_chip *chip,
                              const coda_message *message) {
  int major = 0, minor = 0;
  CALL(DeviceGetAttribute, &major, DEVICE_MAJOR, device);
  CALL(DeviceGetAttribute, &minor, DEVICE_MINOR, device);
  int capability = major * 10 + minor;
  bool runs = chip->suffix == 'a' ? capability == chip->number
              : chip->suffix == 'f'
                  ? capability >= chip->number && major == chip->number / 10
                  : capability >= chip->number;
  if (runs)
    return CODA_OK;
  return coda_fail(message, CODA_WRONG_DEVICE,
                   "the GPU is of compute capability %d.%d, but this was "
                   "compiled for %s",
                   major, minor, name);
}

coda_status coda_check_device(const char *name, char *buffer,
                              size_t buffer_size) {
  coda_message storage = {buffer, buffer_size}, *message = &storage;
  target_chip chip;
  if (!name || !read_chip(name, &chip))
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "'%s' is no chip of the form sm_90a", name ? name : "");
  const cuda_driver *driver;
  coda_status status = coda_open_driver(&driver, message);
  if (status)
    return status;
  void *context = NULL;
  int device = 0;
  CALL(CtxGetCurrent, &context);
  if (context)
    CALL(CtxGetDevice, &device);
  else
    CALL(DeviceGet, &device, 0);
  return check_chip(driver, device, name, &chip, message);
}

static coda_status attach(coda_module *module, const cuda_driver *driver,
                          const coda_message *message) {
  CALL(CtxGetCurrent, &module->context);
  if (!module->context) {
    CALL(DeviceGet, &module->device, 0);
    CALL(DevicePrimaryCtxRetain, &module->context, module->device);
    module->retained = true;
    CALL(CtxSetCurrent, module->context);
  } else {
    CALL(CtxGetDevice, &module->device);
  }
  int multiprocessors = 0;
  CALL(DeviceGetAttribute, &multiprocessors, DEVICE_MULTIPROCESSOR_COUNT,
       module->device);
  module->multiprocessor_count = multiprocessors;
  target_chip chip;
  if (!read_chip(module->chip, &chip))
    return coda_fail(message, CODA_INVALID_MANIFEST,
                     "manifest: target.chip: '%s' is no chip of the form "
                     "sm_90a",
                     module->chip);
  return check_chip(driver, module->device, module->chip, &chip, message);
}

/* The driver reads as many arguments as the kernel has, each of its size,
 * whatever it is given: a manifest that belongs to another image must not get
 * that far. */
static coda_status check_params(const cuda_driver *driver,
                                const coda_function *f, const coda_step *step,
                                const coda_message *message) {
  const coda_kernel *kernel = &f->module->kernels[step->kernel];
  for (int32_t i = 0;; ++i) {
    size_t offset, size = 0;
    int result =
        driver->FuncGetParamInfo(kernel->function, (size_t)i, &offset, &size);
    if (result && result != CUDA_ERROR_INVALID_VALUE)
      return coda_driver_fail(driver, result, "cuFuncGetParamInfo", message);
    if (result && i == step->param_count)
      return CODA_OK;
    if (result || i == step->param_count)
      return coda_fail(message, CODA_INVALID_MANIFEST,
                       "function '%s': kernel '%s' of the image takes %s "
                       "arguments than the %d of the manifest",
                       f->name, kernel->name, result ? "fewer" : "more",
                       (int)step->param_count);
    const coda_param *param = &step->params[i];
    size_t given = param->kind == PARAM_TENSOR_MAP
                       ? sizeof(cuda_tensor_map)
                       : (size_t)coda_type_bytes(param->type);
    if (given != size)
      return coda_fail(message, CODA_INVALID_MANIFEST,
                       "function '%s': argument %d of kernel '%s' has %zu "
                       "bytes in the image, but %zu in the manifest",
                       f->name, (int)i, kernel->name, size, given);
  }
}

/* A kernel reads as much of a constant as the manifest's function takes it to
 * have: another image's must not get that far. */
static coda_status find_constants(coda_module *module,
                                  const cuda_driver *driver,
                                  const coda_message *message) {
  for (int32_t i = 0; i < module->constant_count; ++i) {
    coda_constant *constant = &module->constants[i];
    size_t bytes = 0;
    if (driver->ModuleGetGlobal(&constant->address, &bytes, module->image,
                                constant->symbol))
      return coda_fail(message, CODA_NOT_FOUND,
                       "the image has no constant '%s' that the manifest names",
                       constant->symbol);
    if (bytes != (uint64_t)constant->bytes)
      return coda_fail(message, CODA_INVALID_MANIFEST,
                       "constant '%s' has %zu bytes in the image, but %" PRId64
                       " in the manifest",
                       constant->symbol, bytes, constant->bytes);
  }
  return CODA_OK;
}

static coda_status load_image(coda_module *module, const cuda_driver *driver,
                              const void *image, size_t size,
                              const coda_message *message) {
  if (!module->kernel_count && !module->constant_count)
    return CODA_OK;
  if (!image || !size)
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "the module has %d kernels and %d constants, but its "
                     "image is empty",
                     (int)module->kernel_count, (int)module->constant_count);
  /* The driver takes PTX as a string. */
  char *copy = malloc(size + 1);
  if (!copy)
    return coda_fail(message, CODA_OUT_OF_MEMORY, "out of memory");
  memcpy(copy, image, size);
  copy[size] = 0;
  char log[1024] = "";
  int options[2] = {JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE};
  void *option_values[2] = {log, (void *)(uintptr_t)sizeof log};
  int result =
      driver->ModuleLoadDataEx(&module->image, copy, 2, options, option_values);
  free(copy);
  if (result) {
    module->image = NULL;
    log[sizeof log - 1] = 0;
    if (!*log)
      return coda_driver_fail(driver, result, "cuModuleLoadDataEx", message);
    return coda_fail(message, CODA_DRIVER_ERROR,
                     "the CUDA driver (error %d) does not accept the image: %s",
                     result, log);
  }
  int limit = 0;
  CALL(DeviceGetAttribute, &limit, DEVICE_MAX_SHARED_MEMORY_OPTIN,
       module->device);
  for (int32_t i = 0; i < module->kernel_count; ++i) {
    coda_kernel *kernel = &module->kernels[i];
    if (driver->ModuleGetFunction(&kernel->function, module->image,
                                  kernel->name))
      return coda_fail(message, CODA_NOT_FOUND,
                       "the image has no kernel '%s' that the manifest names",
                       kernel->name);
    int fixed = 0;
    CALL(FuncGetAttribute, &fixed, FUNCTION_STATIC_SHARED_MEMORY,
         kernel->function);
    kernel->max_shared_memory = limit > fixed ? limit - fixed : 0;
    CALL(FuncSetAttribute, kernel->function, FUNCTION_MAX_DYNAMIC_SHARED_MEMORY,
         kernel->max_shared_memory);
    if (kernel->cluster[0] * kernel->cluster[1] * kernel->cluster[2] > 8)
      CALL(FuncSetAttribute, kernel->function, FUNCTION_NON_PORTABLE_CLUSTER,
           1);
  }
  coda_status status = find_constants(module, driver, message);
  if (status)
    return status;
  for (int32_t i = 0; driver->FuncGetParamInfo && i < module->function_count;
       ++i) {
    const coda_function *f = &module->functions[i];
    for (int32_t s = 0; s < f->step_count; ++s) {
      if (f->steps[s].copy)
        continue;
      status = check_params(driver, f, &f->steps[s], message);
      if (status)
        return status;
    }
  }
  return CODA_OK;
}

/*===----------------------------------------------------------------------===*\
|* Modules
\*===----------------------------------------------------------------------===*/

coda_status coda_module_parse(const char *manifest, size_t manifest_size,
                              coda_module **result, char *buffer,
                              size_t buffer_size) {
  coda_message message = {buffer, buffer_size};
  if (!result || (!manifest && manifest_size))
    return coda_fail(&message, CODA_INVALID_ARGUMENT,
                     "the manifest or the module's address is null");
  *result = NULL;
  coda_module *module = calloc(1, sizeof *module);
  if (!module)
    return coda_fail(&message, CODA_OUT_OF_MEMORY, "out of memory");
  coda_status status = coda_parse_manifest(manifest ? manifest : "",
                                           manifest_size, module, &message);
  if (status)
    coda_module_unload(module);
  else
    *result = module;
  return status;
}

coda_status coda_module_load(const char *manifest, size_t manifest_size,
                             const void *image, size_t image_size,
                             coda_module **result, char *buffer,
                             size_t buffer_size) {
  coda_status status =
      coda_module_parse(manifest, manifest_size, result, buffer, buffer_size);
  if (status)
    return status;
  coda_message message = {buffer, buffer_size};
  const cuda_driver *driver;
  status = coda_open_driver(&driver, &message);
  if (!status)
    status = attach(*result, driver, &message);
  if (!status)
    status = load_image(*result, driver, image, image_size, &message);
  if (status) {
    coda_module_unload(*result);
    *result = NULL;
  }
  return status;
}

static coda_status read_file(const char *path, char **data, size_t *size,
                             const coda_message *message) {
  *data = NULL;
  *size = 0;
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!file)
    return coda_fail(message, CODA_NOT_FOUND, "cannot open '%s': %s",
                     path ? path : "", path ? strerror(errno) : "no path");
  size_t capacity = 0;
  for (;;) {
    if (*size == capacity) {
      capacity = capacity ? capacity * 2 : 65536;
      char *grown = realloc(*data, capacity);
      if (!grown) {
        fclose(file);
        return coda_fail(message, CODA_OUT_OF_MEMORY, "out of memory");
      }
      *data = grown;
    }
    errno = 0;
    size_t got = fread(*data + *size, 1, capacity - *size, file);
    *size += got;
    if (!got)
      break;
  }
  int failed = ferror(file), reason = errno;
  fclose(file);
  if (failed)
    return coda_fail(message, CODA_NOT_FOUND, "cannot read '%s': %s", path,
                     strerror(reason));
  return CODA_OK;
}

coda_status coda_module_load_files(const char *manifest_path,
                                   const char *image_path, coda_module **module,
                                   char *buffer, size_t buffer_size) {
  coda_message message = {buffer, buffer_size};
  char *manifest = NULL, *image = NULL;
  size_t manifest_size, image_size;
  coda_status status =
      read_file(manifest_path, &manifest, &manifest_size, &message);
  if (!status)
    status = read_file(image_path, &image, &image_size, &message);
  if (!status)
    status = coda_module_load(manifest, manifest_size, image, image_size,
                              module, buffer, buffer_size);
  free(manifest);
  free(image);
  return status;
}

void coda_module_unload(coda_module *module) {
  if (!module)
    return;
  if (module->image)
    coda_driver()->ModuleUnload(module->image);
  if (module->retained)
    coda_driver()->DevicePrimaryCtxRelease(module->device);
  coda_arena_free(module);
  free(module);
}

int32_t coda_module_function_count(const coda_module *module) {
  return module ? module->function_count : 0;
}

const coda_function *coda_module_function(const coda_module *module,
                                          int32_t index) {
  if (!module || index < 0 || index >= module->function_count)
    return NULL;
  return &module->functions[index];
}

coda_status coda_module_find(const coda_module *module, const char *name,
                             const coda_function **function, char *buffer,
                             size_t buffer_size) {
  coda_message message = {buffer, buffer_size};
  if (!module || !name || !function)
    return coda_fail(&message, CODA_INVALID_ARGUMENT,
                     "the module, the name or the result is null");
  for (int32_t i = 0; i < module->function_count; ++i) {
    if (!strcmp(module->functions[i].name, name)) {
      *function = &module->functions[i];
      return CODA_OK;
    }
  }
  return coda_fail(&message, CODA_NOT_FOUND, "the module has no function '%s'",
                   name);
}

/*===----------------------------------------------------------------------===*\
|* Functions
\*===----------------------------------------------------------------------===*/

const char *coda_function_name(const coda_function *function) {
  return function ? function->name : NULL;
}
int32_t coda_function_argument_count(const coda_function *function) {
  return function ? function->argument_count : 0;
}
int32_t coda_function_result_count(const coda_function *function) {
  return function ? function->result_count : 0;
}

int32_t coda_function_argument(const coda_function *function, int32_t index,
                               coda_argument_info *info) {
  if (!function || !info || index < 0 || index >= function->argument_count)
    return 0;
  const coda_argument *argument = &function->arguments[index];
  memset(info, 0, sizeof *info);
  info->name = argument->name;
  info->type = argument->type;
  info->rank = argument->rank;
  info->written = argument->written;
  memcpy(info->shape, argument->shape, sizeof info->shape);
  memcpy(info->strides, argument->strides, sizeof info->strides);
  return 1;
}
