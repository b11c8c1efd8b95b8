# Finds the one LLVM/MLIR release that Coda is built against, and sets up the
# include paths, definitions and flags that every target of the project shares.

set(CODA_MLIR_VERSION "22.1" CACHE STRING
    "LLVM/MLIR release that Coda is written for (major.minor)")
mark_as_advanced(CODA_MLIR_VERSION)

# Debian installs one prefix per major version; ask its llvm-config for it.
string(REGEX MATCH "^[0-9]+" coda_llvm_major "${CODA_MLIR_VERSION}")
find_program(CODA_LLVM_CONFIG NAMES llvm-config-${coda_llvm_major} llvm-config)
if(CODA_LLVM_CONFIG AND NOT MLIR_DIR)
  execute_process(COMMAND ${CODA_LLVM_CONFIG} --prefix
                  OUTPUT_VARIABLE coda_llvm_prefix OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
find_package(MLIR ${CODA_MLIR_VERSION} CONFIG QUIET HINTS ${coda_llvm_prefix})
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
    "Coda needs MLIR ${CODA_MLIR_VERSION}, which was not found. On Debian: "
    "apt-get install libmlir-${coda_llvm_major}-dev mlir-${coda_llvm_major}-tools "
    "llvm-${coda_llvm_major}-dev llvm-${coda_llvm_major}-tools. Elsewhere set "
    "-DMLIR_DIR=<prefix>/lib/cmake/mlir. Considered: ${MLIR_CONSIDERED_VERSIONS}")
endif()
message(STATUS "Using MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")

# Coda's libraries are neither part of libMLIR nor installed by LLVM's rules.
option(CODA_STATIC_MLIR "Link MLIR and LLVM statically, for shipping" OFF)
if(CODA_STATIC_MLIR)
  set(MLIR_LINK_MLIR_DYLIB OFF)
  set(LLVM_LINK_LLVM_DYLIB OFF)
else()
  # Both or neither: one of them alone puts two copies of LLVM in a process.
  set(MLIR_LINK_MLIR_DYLIB ON)
  set(LLVM_LINK_LLVM_DYLIB ON)
endif()

set(MLIR_BINARY_DIR ${CMAKE_BINARY_DIR})
set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)

include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(coda_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${coda_llvm_definitions})
# The packaged libraries are release builds: without NDEBUG some LLVM classes
# have another size here than there.
add_compile_definitions(NDEBUG)
