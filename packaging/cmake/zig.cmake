# Builds for another system with the Clang that packaging/toolchains/zig.sh installs:
# cmake -D CONTRASTIVE_TARGET=PLATFORM, one of the platforms below. packaging/cross.sh does it.
include(${CMAKE_CURRENT_LIST_DIR}/cache.cmake)
set(CONTRASTIVE_TARGET "" CACHE STRING "The platform that is built for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CONTRASTIVE_TARGET)

# platform, CMake's name of the system, processor, Clang's target
set(_platforms
  "win-x64:Windows:x86_64:x86_64-windows-gnu"
  "linux-musl-x64:Linux:x86_64:x86_64-linux-musl"
  "linux-musl-arm64:Linux:aarch64:aarch64-linux-musl"
  "osx-x64:Darwin:x86_64:x86_64-macos.12.0"
  "osx-arm64:Darwin:aarch64:aarch64-macos.12.0")
foreach(_row IN LISTS _platforms)
  if(_row MATCHES "^${CONTRASTIVE_TARGET}:([^:]*):([^:]*):([^:]*)$")
    set(CMAKE_SYSTEM_NAME ${CMAKE_MATCH_1})
    set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_2})
    set(_target ${CMAKE_MATCH_3})
  endif()
endforeach()
if(NOT _target)
  message(FATAL_ERROR "CONTRASTIVE_TARGET is '${CONTRASTIVE_TARGET}'; known: ${_platforms}")
endif()
set(_tools ${CONTRASTIVE_CACHE}/zig-0.17.1/tools)
# Clang of this distribution adds debugging information unless it is told not to.
set(CMAKE_C_FLAGS_INIT -g0)
set(CMAKE_CXX_FLAGS_INIT -g0)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -s)
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
set(CMAKE_C_COMPILER ${_tools}/${_target}-clang)
set(CMAKE_CXX_COMPILER ${_tools}/${_target}-clang++)
set(CMAKE_AR ${_tools}/ar)
set(CMAKE_RANLIB ${_tools}/ranlib)
set(CMAKE_RC_COMPILER ${_tools}/rc)

set(_root ${CONTRASTIVE_CACHE}/cross)
set(CMAKE_FIND_ROOT_PATH ${_root}/${CONTRASTIVE_TARGET} ${_root}/headers)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()

# What runs programs of the platform on this machine: tests, and the program that writes its manual
# (tests/cross). Those for macOS cannot run.
if(CMAKE_SYSTEM_NAME STREQUAL Windows)
  find_program(CONTRASTIVE_WINE NAMES wine64 wine PATHS /usr/lib/wine)
  set(_runs ${CONTRASTIVE_WINE})
elseif(CONTRASTIVE_TARGET STREQUAL linux-musl-x64 AND EXISTS /lib/ld-musl-x86_64.so.1)
  set(_runs /usr/bin/env)
elseif(CONTRASTIVE_TARGET STREQUAL linux-musl-arm64)
  find_program(CONTRASTIVE_QEMU qemu-aarch64-static)
  set(_runs ${CONTRASTIVE_QEMU} -L ${_root}/musl-arm64)
endif()
if(_runs AND NOT _runs MATCHES NOTFOUND)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${_runs}")
endif()
