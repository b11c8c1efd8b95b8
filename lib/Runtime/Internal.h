/*===- Internal.h - What the files of the runtime share -----------*- C -*-===*/

#ifndef CODA_RUNTIME_INTERNAL_H
#define CODA_RUNTIME_INTERNAL_H

#include "coda/Runtime/coda_runtime.h"

#include <stdbool.h>

/*===----------------------------------------------------------------------===*\
|* Errors
\*===----------------------------------------------------------------------===*/

typedef struct {
  char *buffer;
  size_t size;
} coda_message;

/* Writes a message and returns `status`. */
coda_status coda_fail(const coda_message *message, coda_status status,
                      const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*===----------------------------------------------------------------------===*\
|* The compiled manifest: no JSON is left in it, and every index is in range.
\*===----------------------------------------------------------------------===*/

typedef enum {
  OP_CONSTANT,
  OP_SIZE,
  OP_STRIDE,
  OP_POINTER,
  OP_BUFFER,
  OP_SCALAR,
  OP_MULTIPROCESSOR_COUNT,
  OP_MODULE_CONSTANT,
  OP_ADDI,
  OP_SUBI,
  OP_MULI,
  OP_DIVSI,
  OP_DIVUI,
  OP_CEILDIVSI,
  OP_CEILDIVUI,
  OP_FLOORDIVSI,
  OP_REMSI,
  OP_REMUI,
  OP_ANDI,
  OP_ORI,
  OP_XORI,
  OP_SHLI,
  OP_SHRSI,
  OP_SHRUI,
  OP_MINSI,
  OP_MAXSI,
  OP_MINUI,
  OP_MAXUI,
  OP_CMPI,
  OP_SELECT,
  OP_EXTSI,
  OP_EXTUI,
  OP_TRUNCI,
  OP_COUNT
} coda_op;

typedef enum {
  CMP_EQ,
  CMP_NE,
  CMP_SLT,
  CMP_SLE,
  CMP_SGT,
  CMP_SGE,
  CMP_ULT,
  CMP_ULE,
  CMP_UGT,
  CMP_UGE,
  CMP_COUNT
} coda_predicate;

/* One value. Integers are kept sign-extended to 64 bits, an i1 as 0 or 1. */
typedef struct {
  uint8_t op;
  uint8_t width;     /* of the result, in bits */
  uint8_t predicate; /* OP_CMPI */
  uint8_t late;      /* depends on the address of a buffer */
  int32_t a, b, c;   /* values, or argument and dimension, or buffer, or
                        constant of the module */
  int64_t constant;
} coda_expr;

/* The conditions under which something happens: all of these i1 values. */
typedef struct {
  int32_t count;
  int32_t *values;
} coda_when;

typedef struct {
  char *name;
  int32_t type, rank;
  bool written;
  int64_t shape[CODA_MAX_RANK], strides[CODA_MAX_RANK];
} coda_argument;

typedef struct {
  int32_t bytes; /* a value */
  int64_t alignment;
  int32_t result; /* the result that lives in it, or -1: an intermediate */
  coda_when when;
} coda_buffer;

typedef struct {
  int32_t type, rank;
  int32_t argument, buffer;                             /* one of them is -1 */
  int32_t shape[CODA_MAX_RANK], strides[CODA_MAX_RANK]; /* values */
} coda_result;

typedef struct {
  int32_t value;
  coda_when when;
  bool late;
  char *message;
} coda_check;

typedef enum { PARAM_INTEGER, PARAM_FLOAT, PARAM_TENSOR_MAP } coda_param_kind;

typedef struct {
  coda_param_kind kind;
  int32_t type;
  int32_t value;      /* PARAM_INTEGER */
  int32_t argument;   /* PARAM_FLOAT: an argument, or -1 for `bits` */
  uint64_t bits;      /* PARAM_FLOAT */
  int32_t tensor_map; /* index into the function's tensor maps */
} coda_param;

typedef struct {
  int32_t type, rank;
  int32_t pointer, sizes[5], strides[5]; /* values */
  uint32_t box[5];
} coda_tensor_map;

typedef struct {
  bool copy;
  coda_when when;
  /* A copy. */
  int32_t source, destination, bytes;
  /* A launch. */
  int32_t kernel;
  int32_t grid[3], shared_memory; /* values; shared_memory may be -1 */
  int32_t param_count;
  coda_param *params;
  int32_t tensor_map_count;
  coda_tensor_map *tensor_maps;
} coda_step;

typedef struct {
  char *name;
  int32_t threads[3], cluster[3];
  void *function; /* CUfunction */
  int32_t max_shared_memory;
} coda_kernel;

/* A constant that lies in the image. */
typedef struct {
  char *symbol;
  int64_t bytes;
  uint64_t address; /* 0 where the module is not loaded */
} coda_constant;

struct coda_function {
  const coda_module *module;
  char *name;
  int32_t argument_count, value_count, buffer_count, result_count, check_count,
      step_count;
  coda_argument *arguments;
  coda_expr *values;
  /* What a frame begins with: the constants. The rest is computed in this
   * order, before and after the buffers have addresses. */
  int64_t *initial_values;
  int32_t early_count, late_count, *early, *late;
  coda_buffer *buffers;
  coda_result *results;
  coda_check *checks;
  coda_step *steps;
  int32_t max_params, max_tensor_maps;
};

struct coda_module {
  char chip[32];
  int32_t kernel_count, constant_count, function_count;
  coda_kernel *kernels;
  /* One for each value that is the address of one. */
  coda_constant *constants;
  coda_function *functions;
  /* Of the device. */
  void *context, *image;
  int32_t device;
  bool retained;
  int64_t multiprocessor_count;
  /* Everything that the manifest was compiled to, freed together. */
  struct coda_arena *arena;
};

/* Compiles the JSON into `module`, whose fields it fills from `chip` to
 * `functions`. */
coda_status coda_parse_manifest(const char *text, size_t size,
                                coda_module *module,
                                const coda_message *message);

/* Zeroed memory that lives as long as the module; NULL if there is none. */
void *coda_arena_allocate(coda_module *module, size_t count, size_t size);
void coda_arena_free(coda_module *module);

/*===----------------------------------------------------------------------===*\
|* Types
\*===----------------------------------------------------------------------===*/

/* 0 if there is no such type. */
int32_t coda_type_from_name(const char *name);
const char *coda_type_name(int32_t type);
/* Bytes of an element; 1 for an i1. */
int64_t coda_type_bytes(int32_t type);
bool coda_type_is_float(int32_t type);
/* Bits of an integer type; 0 for a float. */
int32_t coda_type_width(int32_t type);
/* The encoding of `real`, rounded to nearest even. f16, bf16, f32, f64. */
uint64_t coda_encode_float(int32_t type, double real);

/*===----------------------------------------------------------------------===*\
|* Evaluation
\*===----------------------------------------------------------------------===*/

/* Why a value has none. */
typedef enum {
  POISON_NONE = 0,
  POISON_OVERFLOW,
  POISON_DIVISION,
  POISON_SHIFT,
  POISON_TRUNCATION
} coda_poison;

typedef struct {
  int64_t *values;
  uint8_t *poison; /* coda_poison of each value */
} coda_frame;

/* Computes the values that are (`late`) or are not dependent on `buffers`. */
void coda_evaluate(const coda_function *function, const coda_value *arguments,
                   void *const *buffers, bool late, const coda_frame *frame);
/* Reads value `index`; an overflow in it is an error that names `what`. */
coda_status coda_read(const coda_function *function, const coda_frame *frame,
                      int32_t index, const char *what, int64_t *value,
                      const coda_message *message);
/* Whether all conditions hold. */
coda_status coda_holds(const coda_function *function, const coda_frame *frame,
                       const coda_when *when, bool *holds,
                       const coda_message *message);

/* Compares the arguments with what the function was compiled for. */
coda_status coda_check_arguments(const coda_function *function,
                                 const coda_value *arguments, int32_t count,
                                 const coda_message *message);
/* Runs the compiled checks that are (`late`) or are not dependent on buffers.
 */
coda_status coda_run_checks(const coda_function *function,
                            const coda_frame *frame, bool late,
                            const coda_message *message);
/* Stride `dimension` of an argument or result in elements. */
int64_t coda_stride(const coda_value *value, int32_t dimension);

#endif /* CODA_RUNTIME_INTERNAL_H */
