# Finds LibTorch without its own CMake package, which would ask for the CUDA toolkit. Looks, in this
# order, in CONTRASTIVE_LIBTORCH (variable or environment), in CMAKE_PREFIX_PATH, and in the cache
# that packaging/bootstrap.sh fills.
#
# Targets: LibTorch::cpu (libtorch_cpu and libc10 only: the CUDA half is loaded at run time) and
# LibTorch::openmp (the OpenMP run time that LibTorch itself uses, so that one process has one
# thread pool).
include(${CMAKE_CURRENT_LIST_DIR}/cache.cmake)
set(_hints ${CONTRASTIVE_LIBTORCH} $ENV{CONTRASTIVE_LIBTORCH} ${CMAKE_PREFIX_PATH}
  ${CONTRASTIVE_CACHE}/libtorch-2.11.0/torch)

find_path(LIBTORCH_INCLUDE_DIR ATen/core/Tensor.h HINTS ${_hints}
  PATH_SUFFIXES include torch/include NO_DEFAULT_PATH)
find_library(LIBTORCH_CPU_LIBRARY torch_cpu HINTS ${_hints} PATH_SUFFIXES lib torch/lib
  NO_DEFAULT_PATH)
find_library(LIBTORCH_C10_LIBRARY c10 HINTS ${_hints} PATH_SUFFIXES lib torch/lib NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
string(CONCAT _advice "run packaging/bootstrap.sh, or set CONTRASTIVE_LIBTORCH to a folder that "
  "holds include/ and lib/")
find_package_handle_standard_args(LibTorch REQUIRED_VARS LIBTORCH_CPU_LIBRARY LIBTORCH_C10_LIBRARY
  LIBTORCH_INCLUDE_DIR REASON_FAILURE_MESSAGE "${_advice}")

if(LibTorch_FOUND)
  file(STRINGS "${LIBTORCH_INCLUDE_DIR}/torch/headeronly/version.h" _version
    REGEX "^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" LIBTORCH_VERSION "${_version}")
  string(REPLACE ";" "." LIBTORCH_VERSION "${LIBTORCH_VERSION}")
  get_filename_component(LIBTORCH_LIBRARY_DIR "${LIBTORCH_CPU_LIBRARY}" DIRECTORY)
  if(LIBTORCH_VERSION VERSION_GREATER_EQUAL 2.12)  # its headers use concepts
    set(CMAKE_CXX_STANDARD 20)
  endif()
endif()
if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION "${LIBTORCH_C10_LIBRARY}")
  set(_includes "${LIBTORCH_INCLUDE_DIR}" "${LIBTORCH_INCLUDE_DIR}/torch/csrc/api/include")
  add_library(LibTorch::cpu SHARED IMPORTED)
  set_target_properties(LibTorch::cpu PROPERTIES
    IMPORTED_LOCATION "${LIBTORCH_CPU_LIBRARY}"
    INTERFACE_LINK_LIBRARIES LibTorch::c10
    # Without it the operators of Tensor include every function.
    INTERFACE_COMPILE_DEFINITIONS AT_PER_OPERATOR_HEADERS
    # LibTorch's own headers warn under -Wpedantic and friends, hence SYSTEM.
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_includes}"
    INTERFACE_INCLUDE_DIRECTORIES "${_includes}"
    # libtorch_cpu.so finds the CUDA run time through its own RPATH; the linker need not follow it.
    INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined")
  file(GLOB _gomp "${LIBTORCH_LIBRARY_DIR}/libgomp*.so*")
  list(LENGTH _gomp _gomp_count)
  add_library(LibTorch::openmp INTERFACE IMPORTED)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Clang's -fopenmp would bring a second run time: of GCC's it gets the declarations, less an
    # attribute that it does not know; its loops stay loops.
    execute_process(COMMAND gcc -print-file-name=include OUTPUT_VARIABLE _gcc_include
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    set_target_properties(LibTorch::openmp PROPERTIES
      INTERFACE_COMPILE_OPTIONS "-idirafter;${_gcc_include};-D__malloc__(free)=__malloc__")
  else()
    set_target_properties(LibTorch::openmp PROPERTIES INTERFACE_COMPILE_OPTIONS "-fopenmp")
  endif()
  if(_gomp_count GREATER 0)
    list(GET _gomp 0 _gomp)
    set_property(TARGET LibTorch::openmp PROPERTY INTERFACE_LINK_LIBRARIES "${_gomp}")
  else()
    set_property(TARGET LibTorch::openmp PROPERTY INTERFACE_LINK_LIBRARIES "gomp")
  endif()
endif()
