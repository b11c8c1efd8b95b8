/*===- Call.h - One call of a function ---------------------------*- C -*-===*/

#ifndef CODA_RUNTIME_CALL_H
#define CODA_RUNTIME_CALL_H

#include "Driver.h"

/* Runs the steps of a call whose values are all known. Nothing is launched if
 * one of them is refused. */
coda_status coda_run_steps(const cuda_driver *driver, const coda_function *f,
                           const coda_value *arguments, const coda_frame *frame,
                           void *stream, const coda_message *message);

#endif /* CODA_RUNTIME_CALL_H */
