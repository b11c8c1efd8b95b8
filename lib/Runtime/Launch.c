/*===- Launch.c - Planning and running one call ---------------------------===*/

#include "Call.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  /* Plans up to this size need no allocation on the host. */
  INLINE_VALUES = 512,
  INLINE_BUFFERS = 32,
  WORKSPACE_ALIGNMENT = 256
};

/* Room for one call: on the stack for plans of ordinary size, else on the
 * heap. */
typedef struct {
  coda_frame frame;
  void **buffers;
  int64_t *buffer_bytes; /* -1: not allocated in this call */
  size_t workspace_bytes;
  void *heap;
  int64_t inline_values[INLINE_VALUES];
  uint8_t inline_poison[INLINE_VALUES];
  void *inline_buffers[INLINE_BUFFERS];
  int64_t inline_bytes[INLINE_BUFFERS];
} call_state;

static coda_status begin_call(const coda_function *f, call_state *call,
                              const coda_message *message) {
  call->heap = NULL;
  if (f->value_count <= INLINE_VALUES && f->buffer_count <= INLINE_BUFFERS) {
    call->frame.values = call->inline_values;
    call->frame.poison = call->inline_poison;
    call->buffers = call->inline_buffers;
    call->buffer_bytes = call->inline_bytes;
  } else {
    size_t values = (size_t)f->value_count, buffers = (size_t)f->buffer_count;
    call->heap = malloc(values * (sizeof(int64_t) + 1) +
                        buffers * (sizeof(int64_t) + sizeof(void *)) + 1);
    if (!call->heap)
      return coda_fail(message, CODA_OUT_OF_MEMORY, "out of memory");
    call->frame.values = call->heap;
    call->buffer_bytes = call->frame.values + values;
    call->buffers = (void **)(call->buffer_bytes + buffers);
    call->frame.poison = (uint8_t *)(call->buffers + buffers);
  }
  /* Values that depend on buffers are not known in the first pass. */
  if (f->value_count) {
    memcpy(call->frame.values, f->initial_values,
           sizeof(int64_t) * (size_t)f->value_count);
    memset(call->frame.poison, 0, (size_t)f->value_count);
  }
  return CODA_OK;
}

/* Begins a call: checks the arguments, evaluates all that needs no address of a
 * buffer, and sizes the buffers. `call->heap` is to be freed in any case. */
static coda_status plan_call(const coda_function *f,
                             const coda_value *arguments, int32_t count,
                             call_state *call, const coda_message *message) {
  coda_status status = begin_call(f, call, message);
  if (status)
    return status;
  status = coda_check_arguments(f, arguments, count, message);
  if (status)
    return status;
  coda_evaluate(f, arguments, NULL, false, &call->frame);
  status = coda_run_checks(f, &call->frame, false, message);
  if (status)
    return status;
  size_t total = 0;
  for (int32_t i = 0; i < f->buffer_count; ++i) {
    const coda_buffer *buffer = &f->buffers[i];
    bool holds;
    int64_t bytes;
    call->buffers[i] = NULL;
    call->buffer_bytes[i] = -1;
    status = coda_holds(f, &call->frame, &buffer->when, &holds, message);
    if (status)
      return status;
    if (!holds)
      continue;
    status = coda_read(f, &call->frame, buffer->bytes, "the size of a buffer",
                       &bytes, message);
    if (status)
      return status;
    if (bytes < 0)
      return coda_fail(message, CODA_OVERFLOW,
                       "function '%s': buffer %d would have %" PRId64 " bytes",
                       f->name, (int)i, bytes);
    call->buffer_bytes[i] = bytes;
    if (buffer->result >= 0)
      continue;
    if ((uint64_t)bytes > (SIZE_MAX >> 1) - total)
      return coda_fail(message, CODA_OVERFLOW,
                       "function '%s': the intermediate buffers do not fit 64 "
                       "bits",
                       f->name);
    total += ((size_t)bytes + WORKSPACE_ALIGNMENT - 1) &
             ~(size_t)(WORKSPACE_ALIGNMENT - 1);
  }
  call->workspace_bytes = total;
  return CODA_OK;
}

/* What a planned call returns. */
static coda_status describe_results(const coda_function *f,
                                    const call_state *call,
                                    coda_result_info *results,
                                    const coda_message *message) {
  coda_status status = CODA_OK;
  for (int32_t i = 0; !status && i < f->result_count; ++i) {
    const coda_result *result = &f->results[i];
    coda_result_info *info = &results[i];
    memset(info, 0, sizeof *info);
    info->type = result->type;
    info->rank = result->rank;
    info->argument = result->argument;
    info->bytes = result->buffer < 0 ? 0 : call->buffer_bytes[result->buffer];
    for (int32_t d = 0; !status && d < result->rank; ++d) {
      status = coda_read(f, &call->frame, result->shape[d],
                         "a size of a result", &info->shape[d], message);
      if (!status)
        status = coda_read(f, &call->frame, result->strides[d],
                           "a stride of a result", &info->strides[d], message);
    }
  }
  return status;
}

coda_status
coda_function_plan(const coda_function *f, const coda_value *arguments,
                   int32_t argument_count, coda_result_info *results,
                   size_t *workspace_bytes, char *buffer, size_t buffer_size) {
  coda_message message = {buffer, buffer_size};
  if (!f || (f->result_count && !results))
    return coda_fail(&message, CODA_INVALID_ARGUMENT,
                     "the function or its results are null");
  call_state call;
  coda_status status = plan_call(f, arguments, argument_count, &call, &message);
  if (!status)
    status = describe_results(f, &call, results, &message);
  if (!status && workspace_bytes)
    *workspace_bytes = call.workspace_bytes;
  free(call.heap);
  return status;
}

/*===----------------------------------------------------------------------===*\
|* Calls
\*===----------------------------------------------------------------------===*/

/* Gives every buffer its address. An allocated workspace goes to `allocated`.
 */
static coda_status place_buffers(const cuda_driver *driver,
                                 const coda_function *f, call_state *call,
                                 void **results, void *workspace,
                                 size_t workspace_bytes, uint64_t *allocated,
                                 void *stream, const coda_message *message) {
  if (call->workspace_bytes && workspace) {
    if (workspace_bytes < call->workspace_bytes)
      return coda_fail(message, CODA_INVALID_ARGUMENT,
                       "function '%s': the workspace has %zu bytes, but %zu "
                       "are needed",
                       f->name, workspace_bytes, call->workspace_bytes);
    if ((uintptr_t)workspace % WORKSPACE_ALIGNMENT)
      return coda_fail(
          message, CODA_INVALID_ARGUMENT,
          "function '%s': the workspace is not aligned to %d bytes", f->name,
          WORKSPACE_ALIGNMENT);
  }
  for (int32_t i = 0; i < f->result_count; ++i) {
    int32_t buffer = f->results[i].buffer;
    if (buffer < 0 || !results[i] || !call->buffer_bytes[buffer])
      continue;
    if ((uintptr_t)results[i] % (uintptr_t)f->buffers[buffer].alignment)
      return coda_fail(message, CODA_INVALID_ARGUMENT,
                       "function '%s': result %d: address 0x%" PRIxPTR
                       " is not a multiple of %d",
                       f->name, (int)i, (uintptr_t)results[i],
                       (int)f->buffers[buffer].alignment);
  }
  if (call->workspace_bytes && !workspace) {
    CALL(MemAllocAsync, allocated, call->workspace_bytes, stream);
    workspace = (void *)(uintptr_t)*allocated;
  }
  char *next = workspace;
  for (int32_t i = 0; i < f->buffer_count; ++i) {
    int64_t bytes = call->buffer_bytes[i];
    int32_t result = f->buffers[i].result;
    if (bytes <= 0) {
      if (result >= 0)
        call->buffers[i] = results[result];
      continue;
    }
    if (result < 0) {
      call->buffers[i] = next;
      next += ((size_t)bytes + WORKSPACE_ALIGNMENT - 1) &
              ~(size_t)(WORKSPACE_ALIGNMENT - 1);
      continue;
    }
    if (!results[result]) {
      uint64_t address = 0;
      CALL(MemAllocAsync, &address, (size_t)bytes, stream);
      results[result] = (void *)(uintptr_t)address;
    }
    call->buffers[i] = results[result];
  }
  return CODA_OK;
}

/* Runs a planned call. */
static coda_status run_call(const coda_function *f, const coda_value *arguments,
                            call_state *call, void **results, void *workspace,
                            size_t workspace_bytes, void *stream,
                            const coda_message *message) {
  const cuda_driver *driver = coda_driver();
  coda_status status = coda_enter_context(driver, f->module, message);
  if (status)
    return status;
  /* Which results the caller gave: the others are freed again on failure. */
  uint64_t allocated = 0;
  uint64_t given = 0; /* the manifest has at most 64 results */
  for (int32_t i = 0; i < f->result_count; ++i)
    given |= (uint64_t)(results[i] != NULL) << i;
  status = place_buffers(driver, f, call, results, workspace, workspace_bytes,
                         &allocated, stream, message);
  if (!status) {
    coda_evaluate(f, arguments, call->buffers, true, &call->frame);
    status = coda_run_checks(f, &call->frame, true, message);
  }
  if (!status)
    status =
        coda_run_steps(driver, f, arguments, &call->frame, stream, message);
  if (allocated)
    driver->MemFreeAsync(allocated, stream);
  for (int32_t i = 0; i < f->result_count; ++i) {
    int32_t argument = f->results[i].argument;
    if (argument >= 0) {
      results[i] = arguments[argument].u.data;
    } else if (status && !(given >> i & 1) && results[i]) {
      driver->MemFreeAsync((uint64_t)(uintptr_t)results[i], stream);
      results[i] = NULL;
    }
  }
  return status;
}

coda_status coda_function_launch(const coda_function *f,
                                 const coda_value *arguments,
                                 int32_t argument_count, void **results,
                                 void *workspace, size_t workspace_bytes,
                                 void *stream, char *buffer,
                                 size_t buffer_size) {
  coda_message message = {buffer, buffer_size};
  if (!f || (f->result_count && !results))
    return coda_fail(&message, CODA_INVALID_ARGUMENT,
                     "the function or its results are null");
  call_state call;
  coda_status status = plan_call(f, arguments, argument_count, &call, &message);
  if (!status)
    status = run_call(f, arguments, &call, results, workspace, workspace_bytes,
                      stream, &message);
  free(call.heap);
  return status;
}

coda_status coda_function_call(const coda_function *f,
                               const coda_value *arguments,
                               int32_t argument_count, coda_result_info *infos,
                               void **results, coda_placement place,
                               void *context, void *stream, char *buffer,
                               size_t buffer_size) {
  coda_message message = {buffer, buffer_size};
  if (!f || !place || (f->result_count && (!infos || !results)))
    return coda_fail(&message, CODA_INVALID_ARGUMENT,
                     "the function, its results or their placement are null");
  call_state call;
  void *workspace = NULL;
  coda_status status = plan_call(f, arguments, argument_count, &call, &message);
  if (!status)
    status = describe_results(f, &call, infos, &message);
  if (!status)
    status = place(context, call.workspace_bytes, &workspace);
  if (!status)
    status = run_call(f, arguments, &call, results, workspace,
                      call.workspace_bytes, stream, &message);
  free(call.heap);
  return status;
}
