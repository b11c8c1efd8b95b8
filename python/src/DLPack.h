/*===- DLPack.h - The binary interface of DLPack 1.x --------------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
|* The layouts that array libraries exchange, as far as they are used here.   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_PYTHON_DLPACK_H
#define CODA_PYTHON_DLPACK_H

#include <stdint.h>

enum {
  DL_MAJOR = 1,
  DL_CPU = 1,
  DL_CUDA = 2,
  DL_CUDA_HOST = 3,
  DL_CUDA_MANAGED = 13,
  DL_FLAG_READ_ONLY = 1
};

typedef struct {
  uint32_t major, minor;
} dl_version;

typedef struct {
  int32_t type, id;
} dl_device;

typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} dl_type;

typedef struct {
  void *data;
  dl_device device;
  int32_t rank;
  dl_type type;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
} dl_tensor;

/* In a capsule "dltensor". */
typedef struct dl_managed {
  dl_tensor tensor;
  void *context;
  void (*deleter)(struct dl_managed *);
} dl_managed;

/* In a capsule "dltensor_versioned". */
typedef struct dl_managed_versioned {
  dl_version version;
  void *context;
  void (*deleter)(struct dl_managed_versioned *);
  uint64_t flags;
  dl_tensor tensor;
} dl_managed_versioned;

/* A type's functions, in a capsule "dlpack_exchange_api" that is its attribute
 * __dlpack_c_exchange_api__. They return 0, or -1 with an exception set. */
typedef struct dl_exchange {
  dl_version version;
  struct dl_exchange *previous; /* of an older major version, or NULL */
  int (*allocate)(dl_tensor *prototype, dl_managed_versioned **result,
                  void *error_context,
                  void (*set_error)(void *error_context, const char *kind,
                                    const char *message));
  int (*from_object)(void *object, dl_managed_versioned **result);
  int (*to_object)(dl_managed_versioned *tensor, void **object);
  /* May be NULL. What it gives is valid while the object is untouched. */
  int (*view_object)(void *object, dl_tensor *result);
  int (*current_stream)(int32_t device_type, int32_t device_id, void **stream);
} dl_exchange;

#endif /* CODA_PYTHON_DLPACK_H */
