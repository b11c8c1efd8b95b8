//===- Passes.h - Conversion passes -----------------------------*- C++ -*-===//

#ifndef CODA_CONVERSION_PASSES_H
#define CODA_CONVERSION_PASSES_H

#include "coda/Conversion/CodaToGPU/CodaToGPU.h"
#include "coda/Conversion/CodaToLinalg/CodaToLinalg.h"
#include "coda/Conversion/NarrowFloatsToF32/NarrowFloatsToF32.h"

namespace coda {

#define GEN_PASS_REGISTRATION
#include "coda/Conversion/Passes.h.inc"

} // namespace coda

#endif // CODA_CONVERSION_PASSES_H
