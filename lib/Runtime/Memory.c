/*===- Memory.c - Memory of the device ------------------------------------===*/

#include "Driver.h"

coda_status coda_enter_context(const cuda_driver *driver,
                               const coda_module *module,
                               const coda_message *message) {
  if (!module->context)
    return coda_fail(message, CODA_NO_DEVICE,
                     "the module was read without a device");
  void *current = NULL;
  CALL(CtxGetCurrent, &current);
  if (current == module->context)
    return CODA_OK;
  if (current)
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "the module was loaded in another CUDA context, on device "
                     "%d, than the one that is current",
                     module->device);
  CALL(CtxSetCurrent, module->context);
  return CODA_OK;
}

/* What every call here begins with. */
static coda_status enter(const coda_module *module,
                         const coda_message *message) {
  if (!module)
    return coda_fail(message, CODA_INVALID_ARGUMENT, "the module is null");
  return coda_enter_context(coda_driver(), module, message);
}

coda_status coda_malloc(const coda_module *module, size_t bytes, void **data,
                        void *stream, char *buffer, size_t buffer_size) {
  coda_message storage = {buffer, buffer_size}, *message = &storage;
  if (!data)
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "the place for the address is null");
  *data = NULL;
  coda_status status = enter(module, message);
  if (status || !bytes)
    return status;
  const cuda_driver *driver = coda_driver();
  uint64_t address = 0;
  CALL(MemAllocAsync, &address, bytes, stream);
  *data = (void *)(uintptr_t)address;
  return CODA_OK;
}

coda_status coda_free(const coda_module *module, void *data, void *stream,
                      char *buffer, size_t buffer_size) {
  coda_message storage = {buffer, buffer_size}, *message = &storage;
  if (!data)
    return CODA_OK;
  coda_status status = enter(module, message);
  if (status)
    return status;
  const cuda_driver *driver = coda_driver();
  CALL(MemFreeAsync, (uint64_t)(uintptr_t)data, stream);
  return CODA_OK;
}

coda_status coda_synchronize(const coda_module *module, void *stream,
                             char *buffer, size_t buffer_size) {
  coda_message storage = {buffer, buffer_size}, *message = &storage;
  coda_status status = enter(module, message);
  if (status)
    return status;
  const cuda_driver *driver = coda_driver();
  CALL(StreamSynchronize, stream);
  return CODA_OK;
}

/* Copies between host and device and waits. */
static coda_status copy(const coda_module *module, void *destination,
                        const void *source, size_t bytes, bool to_device,
                        void *stream, const coda_message *message) {
  coda_status status = enter(module, message);
  if (status || !bytes)
    return status;
  if (!destination || !source)
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "the destination or the source of a copy is null");
  const cuda_driver *driver = coda_driver();
  if (to_device)
    CALL(MemcpyHtoDAsync, (uint64_t)(uintptr_t)destination, source, bytes,
         stream);
  else
    CALL(MemcpyDtoHAsync, destination, (uint64_t)(uintptr_t)source, bytes,
         stream);
  CALL(StreamSynchronize, stream);
  return CODA_OK;
}

coda_status coda_copy_to_device(const coda_module *module, void *destination,
                                const void *source, size_t bytes, void *stream,
                                char *buffer, size_t buffer_size) {
  coda_message message = {buffer, buffer_size};
  return copy(module, destination, source, bytes, /*to_device=*/true, stream,
              &message);
}

coda_status coda_copy_to_host(const coda_module *module, void *destination,
                              const void *source, size_t bytes, void *stream,
                              char *buffer, size_t buffer_size) {
  coda_message message = {buffer, buffer_size};
  return copy(module, destination, source, bytes, /*to_device=*/false, stream,
              &message);
}

/*===----------------------------------------------------------------------===*\
|* Devices
\*===----------------------------------------------------------------------===*/

coda_status coda_device_enter(int32_t device, void **previous, char *buffer,
                              size_t buffer_size) {
  coda_message storage = {buffer, buffer_size}, *message = &storage;
  if (!previous)
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "the place for the previous context is null");
  *previous = NULL;
  const cuda_driver *driver;
  coda_status status = coda_open_driver(&driver, message);
  if (status || device < 0)
    return status;
  void *current = NULL, *context;
  CALL(CtxGetCurrent, &current);
  if (current) {
    int now;
    CALL(CtxGetDevice, &now);
    if (now == device)
      return CODA_OK;
  }
  int count = 0;
  CALL(DeviceGetCount, &count);
  if (device >= count)
    return coda_fail(message, CODA_NO_DEVICE,
                     "there is no device %d: the driver has %d", (int)device,
                     count);
  /* Retained once more at each change, and never released: the program uses
   * the device anyway. */
  int handle;
  CALL(DeviceGet, &handle, device);
  CALL(DevicePrimaryCtxRetain, &context, handle);
  CALL(CtxSetCurrent, context);
  *previous = current;
  return CODA_OK;
}

void coda_device_leave(void *previous) {
  if (previous)
    coda_driver()->CtxSetCurrent(previous);
}
