/*===- coda-c/Dialect.h - The coda dialect ------------------------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
|* Types, attributes and ops of the dialect, on top of MLIR's C API, which    *|
|* libCodaC contains too.                                                     *|
|*                                                                            *|
|* A function that makes something gives a null object where it cannot. The   *|
|* reason goes to the diagnostic handlers of the context, at the location     *|
|* that was passed, and to codaGetLastErrorMessage.                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_C_DIALECT_H
#define CODA_C_DIALECT_H

#include "coda-c/Support.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*/
/* Registration                                                               */
/*===----------------------------------------------------------------------===*/

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Coda, coda);

/// Adds the dialect and everything that its passes and its lowering to PTX need
/// of others. Fails if `registry` has the dialect from another copy of Coda in
/// the process: one context can only use one.
CODA_CAPI_EXPORTED MlirLogicalResult
codaRegisterAllDialects(MlirDialectRegistry registry);

/*===----------------------------------------------------------------------===*/
/* Types                                                                      */
/*===----------------------------------------------------------------------===*/

/// A size that is known at run time only.
CODA_CAPI_EXPORTED int64_t codaGetDynamicSize(void);

/// !coda.tile<rows x columns x elementType>
CODA_CAPI_EXPORTED MlirType codaTileTypeGet(MlirLocation loc, int64_t rows,
                                            int64_t columns,
                                            MlirType elementType);
CODA_CAPI_EXPORTED bool codaTypeIsATile(MlirType type);
CODA_CAPI_EXPORTED MlirTypeID codaTileTypeGetTypeID(void);
/// Of a tile only; -1 and null for any other type.
CODA_CAPI_EXPORTED int64_t codaTileTypeGetRows(MlirType type);
CODA_CAPI_EXPORTED int64_t codaTileTypeGetColumns(MlirType type);
CODA_CAPI_EXPORTED MlirType codaTileTypeGetElementType(MlirType type);

/// !coda.tensor_map, of host code around a kernel
CODA_CAPI_EXPORTED MlirType codaTensorMapTypeGet(MlirContext context);
CODA_CAPI_EXPORTED bool codaTypeIsATensorMap(MlirType type);
CODA_CAPI_EXPORTED MlirTypeID codaTensorMapTypeGetTypeID(void);

/*===----------------------------------------------------------------------===*/
/* Attributes                                                                 */
/*===----------------------------------------------------------------------===*/

/// A dimension of the product D[m, n] = sum over k of A[m, k] * B[k, n], or
/// (parts) of an operand's partial results of each row.
typedef enum CodaDim {
  CodaDimM = 0,
  CodaDimN = 1,
  CodaDimK = 2,
  CodaDimParts = 3
} CodaDim;

/// #coda<dims[...]>: which dimension of the product each dimension of a value
/// runs over, outermost first. `dims` may be NULL if `numDims` is 0. Groups and
/// cyclic dims (`n / 128`, `cyclic n`) come from text: mlirAttributeParseGet.
CODA_CAPI_EXPORTED MlirAttribute codaDimsAttrGet(MlirLocation loc,
                                                 intptr_t numDims,
                                                 const CodaDim *dims);
CODA_CAPI_EXPORTED bool codaAttributeIsADims(MlirAttribute attr);
CODA_CAPI_EXPORTED MlirTypeID codaDimsAttrGetTypeID(void);
/// -1 for any other attribute.
CODA_CAPI_EXPORTED intptr_t codaDimsAttrGetNumDims(MlirAttribute attr);
/// The dimension at `index`, a CodaDim, or -1 if there is none.
CODA_CAPI_EXPORTED int32_t codaDimsAttrGetDim(MlirAttribute attr,
                                              intptr_t index);

/// The main loop of a kernel.
typedef enum CodaKernel {
  CodaKernelCooperative = 0,
  CodaKernelPingpong = 1,
  CodaKernelSimple = 2
} CodaKernel;

/// #coda.schedule<...>, how a coda.gemm is mapped to a kernel; the reference
/// (CodaDialect.md) says what the fields mean. Start from codaScheduleDefault.
typedef struct CodaSchedule {
  int64_t kernel; /* a CodaKernel */
  int64_t tileM, tileN, tileK;
  int64_t cluster;
  int64_t stages;
  int64_t raster;
  int64_t storeBuffers;
} CodaSchedule;

/// The defaults of the attribute; the tile is 128 x 256 x 64.
CODA_CAPI_EXPORTED CodaSchedule codaScheduleDefault(void);
CODA_CAPI_EXPORTED MlirAttribute
codaScheduleAttrGet(MlirLocation loc, const CodaSchedule *schedule);
CODA_CAPI_EXPORTED bool codaAttributeIsASchedule(MlirAttribute attr);
CODA_CAPI_EXPORTED MlirTypeID codaScheduleAttrGetTypeID(void);
/// False for any other attribute.
CODA_CAPI_EXPORTED bool codaScheduleAttrGetValue(MlirAttribute attr,
                                                 CodaSchedule *schedule);

/*===----------------------------------------------------------------------===*/
/* coda.gemm and its epilogue                                                 */
/*===----------------------------------------------------------------------===*/

/// What a coda.gemm is made of. All values are tensors or all memrefs; an
/// operand may be a scalar too. Dims are attributes of codaDimsAttrGet.
typedef struct CodaGemmDescription {
  MlirValue lhs;
  MlirAttribute lhsDims;
  intptr_t numRhs; /* one or more, of one type and storage */
  const MlirValue *rhs;
  MlirAttribute rhsDims;
  intptr_t numOperands;
  const MlirValue *operands;
  const MlirAttribute *operandDims; /* one an operand */
  intptr_t numOuts;
  const MlirValue *outs;
  const MlirAttribute *outDims; /* one a destination */
  MlirAttribute schedule;       /* or null */
} CodaGemmDescription;

/// Makes a coda.gemm that the caller owns. Its epilogue has one block with the
/// block's arguments (an accumulator tile for each right-hand side, then a tile
/// for each operand) and nothing else: append primitives and a coda.yield, then
/// insert the op. mlirOperationVerify says what is wrong with it.
CODA_CAPI_EXPORTED MlirOperation
codaGemmCreate(MlirLocation loc, const CodaGemmDescription *gemm);
CODA_CAPI_EXPORTED bool codaOperationIsAGemm(MlirOperation op);

/// The only block of a coda.gemm (the epilogue) or of a coda.map (the scalar
/// body); null for any other op.
CODA_CAPI_EXPORTED MlirBlock codaOperationGetBody(MlirOperation op);

/// Makes an op of the dialect by name, as "coda.index", that the caller owns:
/// any primitive of an epilogue that needs no region, coda.yield included.
/// `attributes` set what the op's assembly spells out, under the names that its
/// reference gives.
CODA_CAPI_EXPORTED MlirOperation codaOperationCreate(
    MlirLocation loc, MlirStringRef name, intptr_t numOperands,
    const MlirValue *operands, intptr_t numResults, const MlirType *results,
    intptr_t numAttributes, const MlirNamedAttribute *attributes);

/// Makes a coda.map of tiles, whose result has elements of `elementType` and
/// the sizes of the inputs broadcast together. Its block has the scalars as
/// arguments: append ops of arith and math, and a coda.yield.
CODA_CAPI_EXPORTED MlirOperation codaMapCreate(MlirLocation loc,
                                               intptr_t numInputs,
                                               const MlirValue *inputs,
                                               MlirType elementType);

/// Makes the coda.yield that ends an epilogue or a scalar body.
CODA_CAPI_EXPORTED MlirOperation codaYieldCreate(MlirLocation loc,
                                                 intptr_t numValues,
                                                 const MlirValue *values);

#ifdef __cplusplus
}
#endif

#endif /* CODA_C_DIALECT_H */
