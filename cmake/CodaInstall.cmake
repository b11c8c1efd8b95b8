# Installation: tools, libraries, headers, and the package that
# find_package(Coda CONFIG) reads. Targets enter the export set where they are
# made (coda_install); this file is included after them.

include(CMakePackageConfigHelpers)

set(coda_cmake_dir lib/cmake/coda)

# Headers as they are written and as TableGen made them; nothing outside
# include/coda and include/coda-c.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/coda
                  ${PROJECT_SOURCE_DIR}/include/coda-c
  DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/coda
  DESTINATION include
  FILES_MATCHING PATTERN "*.inc"
  PATTERN CMakeFiles EXCLUDE)

install(EXPORT CodaTargets NAMESPACE Coda:: DESTINATION ${coda_cmake_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/CodaConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/CodaConfig.cmake
  INSTALL_DESTINATION ${coda_cmake_dir}
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# The C++ API is that of one MLIR release: nothing else is compatible.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/CodaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/CodaConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/CodaConfigVersion.cmake
  DESTINATION ${coda_cmake_dir})

# `cpack` in the build folder makes a tarball and a Debian package.
set(CPACK_PACKAGE_NAME coda)
set(CPACK_PACKAGE_VENDOR "Coda")
set(CPACK_PACKAGE_CONTACT "Coda developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
string(REGEX MATCH "^[0-9]+" coda_llvm_major "${LLVM_PACKAGE_VERSION}")
# The headers and static libraries need the -dev packages, the tools do not.
# Libraries by hand: dpkg-shlibdeps would tie the package to one patch release.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "libmlir-${coda_llvm_major} (>= 1:${CODA_MLIR_VERSION})"
  "libllvm${coda_llvm_major} (>= 1:${CODA_MLIR_VERSION})"
  "libcjson1" "libc6 (>= 2.36)" "libgcc-s1" "libstdc++6 (>= 12)")
list(JOIN CPACK_DEBIAN_PACKAGE_DEPENDS ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "libmlir-${coda_llvm_major}-dev, mlir-${coda_llvm_major}-tools")
# So that the loader finds the new libraries.
file(WRITE ${PROJECT_BINARY_DIR}/cmake/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/cmake/triggers)
include(CPack)
