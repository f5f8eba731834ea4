# Builds for arm64 Linux on a machine of another kind, with what packaging/toolchains/arm64.sh
# installs: `cmake --preset aarch64`. Programs run under qemu-user, ctest's too.
# CONTRASTIVE_ARM64_ROOT (variable or environment) names another folder of arm64 packages than the
# script's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

include(${CMAKE_CURRENT_LIST_DIR}/cache.cmake)
if(NOT CONTRASTIVE_ARM64_ROOT)
  set(CONTRASTIVE_ARM64_ROOT "$ENV{CONTRASTIVE_ARM64_ROOT}")
endif()
if(NOT CONTRASTIVE_ARM64_ROOT)
  file(STRINGS /etc/os-release _suite REGEX "^VERSION_CODENAME=")
  string(REGEX REPLACE "^VERSION_CODENAME=\"?([a-z]*)\"?" "\\1" _suite "${_suite}")
  set(CONTRASTIVE_ARM64_ROOT ${CONTRASTIVE_CACHE}/arm64-${_suite})
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CONTRASTIVE_ARM64_ROOT)
if(NOT EXISTS ${CONTRASTIVE_ARM64_ROOT})
  message(FATAL_ERROR "${CONTRASTIVE_ARM64_ROOT} is not there: run packaging/toolchains/arm64.sh")
endif()

set(CMAKE_SYSROOT ${CONTRASTIVE_ARM64_ROOT})
set(CONTRASTIVE_LIBTORCH ${CONTRASTIVE_CACHE}/libtorch-2.11.0-aarch64/torch)
set(CMAKE_FIND_ROOT_PATH ${CONTRASTIVE_LIBTORCH})  # besides the root of packages
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${CONTRASTIVE_ARM64_ROOT} -E
  CONTRASTIVE_LIBTORCH=${CONTRASTIVE_LIBTORCH})
