# add_coda_library(name sources... [DEPENDS ...] [LINK_LIBS ...])
# A C++ library of the compiler. LINK_LIBS names MLIR and LLVM components or
# other Coda libraries; with the dylib, MLIR's all come from it.
function(add_coda_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  set(coda_libs ${ARG_LINK_LIBS})
  list(FILTER coda_libs INCLUDE REGEX "^Coda")
  set(mlir_libs ${ARG_LINK_LIBS})
  list(FILTER mlir_libs EXCLUDE REGEX "^Coda")
  add_mlir_library(${name} ${ARG_UNPARSED_ARGUMENTS}
    STATIC EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL
    DEPENDS ${ARG_DEPENDS}
    LINK_LIBS PUBLIC ${coda_libs})
  mlir_target_link_libraries(${name} PUBLIC ${mlir_libs})
  coda_warnings(${name})
  coda_precompile_headers(${name})
  coda_install(${name})
endfunction()

# add_coda_tool(name sources... [LINK_LIBS ...])
function(add_coda_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  set(coda_libs ${ARG_LINK_LIBS})
  list(FILTER coda_libs INCLUDE REGEX "^Coda")
  set(mlir_libs ${ARG_LINK_LIBS})
  list(FILTER mlir_libs EXCLUDE REGEX "^Coda")
  add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${coda_libs})
  mlir_target_link_libraries(${name} PRIVATE ${mlir_libs})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin
    # As libraries are compiled, not -fPIE, for the precompiled header's sake.
    POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  coda_warnings(${name})
  coda_precompile_headers(${name})
  coda_install(${name})
endfunction()

function(coda_warnings name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  if(CODA_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
endfunction()

# Installs a library or tool, and exports it as Coda::name, which it is called
# in a project that adds this one as a subdirectory too.
function(coda_install name)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    add_executable(Coda::${name} ALIAS ${name})
  else()
    add_library(Coda::${name} ALIAS ${name})
    target_include_directories(${name} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
      $<INSTALL_INTERFACE:include>)
  endif()
  install(TARGETS ${name} EXPORT CodaTargets
    RUNTIME DESTINATION bin LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
endfunction()
