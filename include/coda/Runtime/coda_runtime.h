/*===- coda_runtime.h - Runs what Coda compiled -------------------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
|* Loads a manifest (docs/manifest.md) with its PTX or cubin and runs the     *|
|* functions in it. The CUDA driver is opened by the first call that needs    *|
|* it; nothing of CUDA is needed to build against this header.                *|
|*                                                                            *|
|* Every call that can fail returns a status and, where the caller gave a     *|
|* buffer, writes a message that names what was wrong. Modules are immutable  *|
|* once loaded: any number of threads may launch the functions of one.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_RUNTIME_CODA_RUNTIME_H
#define CODA_RUNTIME_CODA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CODA_EXPORT __attribute__((visibility("default")))
#else
#define CODA_EXPORT
#endif

typedef enum coda_status {
  CODA_OK = 0,
  CODA_INVALID_MANIFEST = 1, /* the manifest is malformed */
  CODA_INVALID_ARGUMENT = 2, /* a value that the function was not made for */
  CODA_CHECK_FAILED = 3,     /* a check of the compiled function failed */
  CODA_OVERFLOW = 4,         /* a size does not fit 64 bits, or divides by 0 */
  CODA_NOT_FOUND = 5,        /* no such function, file or kernel */
  CODA_OUT_OF_MEMORY = 6,    /* on the host or on the device */
  CODA_NO_DRIVER = 7,        /* the CUDA driver is not installed or too old */
  CODA_NO_DEVICE = 8,        /* there is no GPU */
  CODA_WRONG_DEVICE = 9,     /* the GPU is not the one compiled for */
  CODA_DRIVER_ERROR = 10     /* the driver refused a call */
} coda_status;

typedef enum coda_type {
  CODA_I1 = 1,
  CODA_I8 = 2,
  CODA_I16 = 3,
  CODA_I32 = 4,
  CODA_I64 = 5,
  CODA_F16 = 6,
  CODA_BF16 = 7,
  CODA_F32 = 8,
  CODA_F64 = 9,
  CODA_F8E4M3FN = 10,
  CODA_F8E5M2 = 11
} coda_type;

enum { CODA_SCALAR = -1, CODA_MAX_RANK = 8, CODA_DYNAMIC = -1 };

/* A tensor on the device, or (rank CODA_SCALAR) a number. Integers are given in
 * `integer`, floats in `real`; they are rounded to `type`. */
typedef struct coda_value {
  int32_t type; /* coda_type of the elements, or of the number */
  int32_t rank;
  union {
    void *data; /* address of element [0, ..., 0] */
    int64_t integer;
    double real;
  } u;
  const int64_t *shape;
  const int64_t *strides; /* in elements; NULL: row-major */
} coda_value;

/* What a function expects as an argument. CODA_DYNAMIC stands for any size or
 * stride. */
typedef struct coda_argument_info {
  const char *name; /* NULL where the program gave none */
  int32_t type;
  int32_t rank;
  int32_t written; /* whether the function may write to it */
  int64_t shape[CODA_MAX_RANK];
  int64_t strides[CODA_MAX_RANK];
} coda_argument_info;

/* A result of one call. */
typedef struct coda_result_info {
  int32_t type;
  int32_t rank;
  int32_t argument; /* the argument that is returned, or -1 for a new buffer */
  int32_t reserved;
  int64_t bytes; /* size of the new buffer */
  int64_t shape[CODA_MAX_RANK];
  int64_t strides[CODA_MAX_RANK];
} coda_result_info;

typedef struct coda_module coda_module;
typedef struct coda_function coda_function;

/* The version of the library, as "0.1.0". */
CODA_EXPORT const char *coda_version(void);
/* A short name of a status, as "check failed". */
CODA_EXPORT const char *coda_status_name(int32_t status);

/* Whether there is a driver and a device that runs code for `chip`, as
 * "sm_90a": the device that coda_module_load would use. */
CODA_EXPORT coda_status coda_check_device(const char *chip, char *message,
                                          size_t message_size);

/* Loads into the current CUDA context, or into the primary one of device 0
 * where there is none. The image may be empty if the module has no kernels. */
CODA_EXPORT coda_status coda_module_load(const char *manifest,
                                         size_t manifest_size,
                                         const void *image, size_t image_size,
                                         coda_module **module, char *message,
                                         size_t message_size);
CODA_EXPORT coda_status coda_module_load_files(const char *manifest_path,
                                               const char *image_path,
                                               coda_module **module,
                                               char *message,
                                               size_t message_size);
/* Reads a manifest without a driver, to ask about its functions. A launch of
 * one of them is refused. */
CODA_EXPORT coda_status coda_module_parse(const char *manifest,
                                          size_t manifest_size,
                                          coda_module **module, char *message,
                                          size_t message_size);
CODA_EXPORT void coda_module_unload(coda_module *module);

/* Makes a context on device `device` current, the primary one where the thread
 * has none there; below 0, any will do. `*previous` goes to coda_device_leave,
 * which makes the one before current again. */
CODA_EXPORT coda_status coda_device_enter(int32_t device, void **previous,
                                          char *message, size_t message_size);
CODA_EXPORT void coda_device_leave(void *previous);

CODA_EXPORT int32_t coda_module_function_count(const coda_module *module);
/* NULL if `index` is out of range. */
CODA_EXPORT const coda_function *coda_module_function(const coda_module *module,
                                                      int32_t index);
CODA_EXPORT coda_status coda_module_find(const coda_module *module,
                                         const char *name,
                                         const coda_function **function,
                                         char *message, size_t message_size);

CODA_EXPORT const char *coda_function_name(const coda_function *function);
CODA_EXPORT int32_t coda_function_argument_count(const coda_function *function);
CODA_EXPORT int32_t coda_function_result_count(const coda_function *function);
/* False if `index` is out of range. */
CODA_EXPORT int32_t coda_function_argument(const coda_function *function,
                                           int32_t index,
                                           coda_argument_info *info);

/* Checks the arguments and says what a call with them returns and how many
 * bytes of workspace it takes. `results` has coda_function_result_count
 * entries. Checks that need the addresses of buffers are left to the launch. */
CODA_EXPORT coda_status coda_function_plan(const coda_function *function,
                                           const coda_value *arguments,
                                           int32_t argument_count,
                                           coda_result_info *results,
                                           size_t *workspace_bytes,
                                           char *message, size_t message_size);

/* Launches on `stream` (a CUstream; NULL is the default one). Runs all checks
 * before the first launch. `results` holds the addresses of the result buffers,
 * laid out as planned; where one is NULL it is allocated on the stream, stored
 * there, and owned by the caller (coda_free). For a result that is an argument
 * the entry is overwritten with the argument's address. Where `workspace` is
 * NULL, intermediates are allocated on the stream; else it must hold the
 * planned bytes, aligned to 256. */
CODA_EXPORT coda_status coda_function_launch(
    const coda_function *function, const coda_value *arguments,
    int32_t argument_count, void **results, void *workspace,
    size_t workspace_bytes, void *stream, char *message, size_t message_size);

/* Plans and launches in one, for callers that allocate the results: `place` is
 * called between the two, when `infos` is filled in. It writes the addresses to
 * `results`, and to `workspace` that of so many bytes, as a launch takes them;
 * a status other than CODA_OK ends the call. */
typedef coda_status (*coda_placement)(void *context, size_t workspace_bytes,
                                      void **workspace);
CODA_EXPORT coda_status coda_function_call(const coda_function *function,
                                           const coda_value *arguments,
                                           int32_t argument_count,
                                           coda_result_info *infos,
                                           void **results, coda_placement place,
                                           void *context, void *stream,
                                           char *message, size_t message_size);

/* For callers without an allocator of their own, in the module's context. No
 * bytes give NULL, which may be copied (no bytes) and freed. */
CODA_EXPORT coda_status coda_malloc(const coda_module *module, size_t bytes,
                                    void **data, void *stream, char *message,
                                    size_t message_size);
/* Frees what coda_malloc or a launch allocated, in the order of `stream`. */
CODA_EXPORT coda_status coda_free(const coda_module *module, void *data,
                                  void *stream, char *message,
                                  size_t message_size);
/* Returns when what is on `stream` is done. */
CODA_EXPORT coda_status coda_synchronize(const coda_module *module,
                                         void *stream, char *message,
                                         size_t message_size);
/* Copies after what is on `stream`, and returns when that is done. An error of
 * an earlier launch may be reported here. */
CODA_EXPORT coda_status coda_copy_to_device(const coda_module *module,
                                            void *destination,
                                            const void *source, size_t bytes,
                                            void *stream, char *message,
                                            size_t message_size);
CODA_EXPORT coda_status coda_copy_to_host(const coda_module *module,
                                          void *destination, const void *source,
                                          size_t bytes, void *stream,
                                          char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif /* CODA_RUNTIME_CODA_RUNTIME_H */
