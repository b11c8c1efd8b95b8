/*===- text.h - Strings in and out of the C API
 * ----------------------------===*/

#ifndef CODA_TEST_CAPI_TEXT_H
#define CODA_TEST_CAPI_TEXT_H

#include "mlir-c/Support.h"

#include <stdio.h>

static inline MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

/* A callback that prints what it is given. */
static inline void print(MlirStringRef piece, void *unused) {
  (void)unused;
  fwrite(piece.data, 1, piece.length, stdout);
}

#endif /* CODA_TEST_CAPI_TEXT_H */
