/*===- Steps.c - Launches and copies of one call -------------------------===*/

#include "Call.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  /* Steps up to this size need no allocation on the host. */
  INLINE_PARAMS = 64,
  INLINE_TENSOR_MAPS = 16,
  TENSOR_MAP_TYPE_UNSUPPORTED = -1
};

/* The driver's number for an element type. */
static int tensor_map_type(int32_t type) {
  switch (type) {
  case CODA_I1:
  case CODA_I8:
  case CODA_F8E4M3FN:
  case CODA_F8E5M2:
    return 0; /* unsigned bytes */
  case CODA_I16:
    return 1;
  case CODA_I32:
    return 3;
  case CODA_I64:
    return 5;
  case CODA_F16:
    return 6;
  case CODA_F32:
    return 7;
  case CODA_F64:
    return 8;
  case CODA_BF16:
    return 9;
  default:
    return TENSOR_MAP_TYPE_UNSUPPORTED;
  }
}

/* All that a tensor map is made of. */
typedef struct {
  uint64_t pointer, sizes[5], strides[5];
  uint32_t box[5];
  int32_t type, rank, padding; /* compared as bytes */
} map_key;

/* Calls in a loop have the same weights, and often the same addresses of all
 * else: the maps of the last ones are kept. */
typedef struct {
  bool used;
  map_key key;
  cuda_tensor_map map;
} known_map;
enum { KNOWN_MAPS = 32 };
static _Thread_local known_map known_maps[KNOWN_MAPS];

static known_map *find_known_map(const map_key *key) {
  uint64_t hash = key->pointer >> 4 ^ key->sizes[0] ^ key->sizes[1] << 20 ^
                  key->strides[0] << 40 ^ (uint64_t)key->box[1] << 10;
  return &known_maps[(hash * 0x9e3779b97f4a7c15u) >> 59];
}

static coda_status encode_tensor_map(const cuda_driver *driver,
                                     const coda_function *f,
                                     const coda_frame *frame,
                                     const coda_tensor_map *map,
                                     const char *kernel, cuda_tensor_map *out,
                                     const coda_message *message) {
  static const uint32_t ones[5] = {1, 1, 1, 1, 1};
  map_key key = {.type = map->type, .rank = map->rank};
  memcpy(key.box, map->box, sizeof key.box);
  int64_t pointer, value;
  coda_status status = coda_read(
      f, frame, map->pointer, "the address of a tensor map", &pointer, message);
  for (int32_t d = 0; !status && d < map->rank; ++d) {
    status = coda_read(f, frame, map->sizes[d], "a size of a tensor map",
                       &value, message);
    key.sizes[d] = (uint64_t)value;
    if (!status && (value < 1 || value > (int64_t)UINT32_MAX + 1))
      return coda_fail(message, CODA_INVALID_ARGUMENT,
                       "function '%s': kernel '%s': size %d of a tensor map "
                       "must be in [1, 2^32], but is %" PRId64,
                       f->name, kernel, (int)d, value);
  }
  for (int32_t d = 0; !status && d + 1 < map->rank; ++d) {
    status = coda_read(f, frame, map->strides[d], "a stride of a tensor map",
                       &value, message);
    key.strides[d] = (uint64_t)value;
    if (!status && (value < 0 || value % 16 || value >= (int64_t)1 << 40))
      return coda_fail(message, CODA_INVALID_ARGUMENT,
                       "function '%s': kernel '%s': stride %d of a tensor map "
                       "must be a multiple of 16 bytes in [0, 2^40), but is "
                       "%" PRId64,
                       f->name, kernel, (int)d, value);
  }
  if (status)
    return status;
  if (pointer % 16)
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "function '%s': kernel '%s': the address 0x%" PRIx64
                     " of a tensor map must be a multiple of 16",
                     f->name, kernel, (uint64_t)pointer);
  key.pointer = (uint64_t)pointer;
  known_map *known = find_known_map(&key);
  if (!known->used || memcmp(&known->key, &key, sizeof key)) {
    known->used = false;
    CALL(TensorMapEncodeTiled, &known->map, tensor_map_type(map->type),
         (uint32_t)map->rank, (void *)(uintptr_t)pointer, key.sizes,
         key.strides, map->box, ones, /*interleave=*/0, TENSOR_MAP_SWIZZLE_128B,
         TENSOR_MAP_L2_PROMOTION_128B,
         /*out_of_bounds=*/0);
    known->key = key;
    known->used = true;
  }
  *out = known->map;
  return CODA_OK;
}

/* A launch with everything that it takes. */
typedef struct {
  uint64_t *storage; /* of the scalar parameters */
  void **params;
  cuda_tensor_map *tensor_maps;
} launch_room;

static coda_status run_launch(const cuda_driver *driver, const coda_function *f,
                              const coda_value *arguments,
                              const coda_frame *frame, const coda_step *step,
                              const launch_room *room, bool encode_only,
                              void *stream, const coda_message *message) {
  static const int64_t grid_limit[3] = {INT32_MAX, 65535, 65535};
  const coda_kernel *kernel = &f->module->kernels[step->kernel];
  int64_t grid[3], shared = 0;
  bool none = false;
  for (int d = 0; d < 3; ++d) {
    coda_status status =
        coda_read(f, frame, step->grid[d], "a grid size", &grid[d], message);
    if (status)
      return status;
    if (grid[d] < 0 || grid[d] > grid_limit[d] || grid[d] % kernel->cluster[d])
      return coda_fail(message, CODA_INVALID_ARGUMENT,
                       "function '%s': kernel '%s': grid size %d must be a "
                       "multiple of the cluster's %d up to %" PRId64
                       ", but is %" PRId64,
                       f->name, kernel->name, d, (int)kernel->cluster[d],
                       grid_limit[d], grid[d]);
    none |= grid[d] == 0;
  }
  if (none)
    return CODA_OK;
  if (step->shared_memory >= 0) {
    coda_status status =
        coda_read(f, frame, step->shared_memory,
                  "the shared memory of a launch", &shared, message);
    if (status)
      return status;
  }
  if (shared < 0 || shared > kernel->max_shared_memory)
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "function '%s': kernel '%s' needs %" PRId64
                     " bytes of shared memory, but the GPU has %d",
                     f->name, kernel->name, shared,
                     (int)kernel->max_shared_memory);
  for (int32_t i = 0; i < step->param_count; ++i) {
    const coda_param *param = &step->params[i];
    room->params[i] = &room->storage[i];
    switch (param->kind) {
    case PARAM_INTEGER: {
      /* Little-endian: the low bytes are the narrower integer. */
      int64_t value;
      coda_status status = coda_read(
          f, frame, param->value, "an argument of a kernel", &value, message);
      if (status)
        return status;
      room->storage[i] = (uint64_t)value;
      break;
    }
    case PARAM_FLOAT:
      room->storage[i] =
          param->argument < 0
              ? param->bits
              : coda_encode_float(param->type,
                                  arguments[param->argument].u.real);
      break;
    case PARAM_TENSOR_MAP: {
      cuda_tensor_map *map = &room->tensor_maps[param->tensor_map];
      coda_status status = encode_tensor_map(
          driver, f, frame, &step->tensor_maps[param->tensor_map], kernel->name,
          map, message);
      if (status)
        return status;
      room->params[i] = map;
      break;
    }
    }
  }
  if (encode_only)
    return CODA_OK;
  CALL(LaunchKernel, kernel->function, (unsigned)grid[0], (unsigned)grid[1],
       (unsigned)grid[2], (unsigned)kernel->threads[0],
       (unsigned)kernel->threads[1], (unsigned)kernel->threads[2],
       (unsigned)shared, stream, room->params, NULL);
  return CODA_OK;
}

static coda_status run_copy(const cuda_driver *driver, const coda_function *f,
                            const coda_frame *frame, const coda_step *step,
                            bool check_only, void *stream,
                            const coda_message *message) {
  int64_t source = 0, destination = 0, bytes = 0;
  coda_status status =
      coda_read(f, frame, step->bytes, "the size of a copy", &bytes, message);
  if (!status)
    status = coda_read(f, frame, step->source, "the source of a copy", &source,
                       message);
  if (!status)
    status = coda_read(f, frame, step->destination, "the destination of a copy",
                       &destination, message);
  if (status)
    return status;
  if (bytes < 0)
    return coda_fail(message, CODA_OVERFLOW,
                     "function '%s': a copy of %" PRId64 " bytes", f->name,
                     bytes);
  if (bytes && source != destination && !check_only)
    CALL(MemcpyDtoDAsync, (uint64_t)destination, (uint64_t)source,
         (size_t)bytes, stream);
  return CODA_OK;
}

/* Runs the steps, or (`dry`) finds out whether one would be refused. */
static coda_status run_steps(const cuda_driver *driver, const coda_function *f,
                             const coda_value *arguments,
                             const coda_frame *frame, const launch_room *room,
                             bool dry, void *stream,
                             const coda_message *message) {
  for (int32_t i = 0; i < f->step_count; ++i) {
    const coda_step *step = &f->steps[i];
    bool holds;
    coda_status status = coda_holds(f, frame, &step->when, &holds, message);
    if (!status && holds)
      status = step->copy
                   ? run_copy(driver, f, frame, step, dry, stream, message)
                   : run_launch(driver, f, arguments, frame, step, room, dry,
                                stream, message);
    if (status)
      return status;
  }
  return CODA_OK;
}

coda_status coda_run_steps(const cuda_driver *driver, const coda_function *f,
                           const coda_value *arguments, const coda_frame *frame,
                           void *stream, const coda_message *message) {
  uint64_t storage[INLINE_PARAMS];
  void *params[INLINE_PARAMS];
  cuda_tensor_map maps[INLINE_TENSOR_MAPS];
  launch_room room = {storage, params, maps};
  void *heap = NULL;
  if (f->max_params > INLINE_PARAMS ||
      f->max_tensor_maps > INLINE_TENSOR_MAPS) {
    size_t bytes = (size_t)f->max_tensor_maps * sizeof(cuda_tensor_map) +
                   (size_t)f->max_params * (sizeof(uint64_t) + sizeof(void *));
    size_t rounded = (bytes + 63) & ~(size_t)63;
    heap = aligned_alloc(64, rounded ? rounded : 64);
    if (!heap)
      return coda_fail(message, CODA_OUT_OF_MEMORY, "out of memory");
    room.tensor_maps = heap;
    room.storage = (uint64_t *)(room.tensor_maps + f->max_tensor_maps);
    room.params = (void **)(room.storage + f->max_params);
  }
  /* Nothing is launched before all of it was found fit to be. Most calls have
   * one active step (one way of several), whose own checks come before it. */
  int32_t active = 0;
  coda_status status = CODA_OK;
  for (int32_t i = 0; !status && i < f->step_count; ++i) {
    bool holds;
    status = coda_holds(f, frame, &f->steps[i].when, &holds, message);
    active += !status && holds;
  }
  if (!status && active > 1)
    status =
        run_steps(driver, f, arguments, frame, &room, true, stream, message);
  if (!status)
    status =
        run_steps(driver, f, arguments, frame, &room, false, stream, message);
  free(heap);
  return status;
}
