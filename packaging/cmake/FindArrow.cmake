# Finds Apache Arrow's C++ libraries: those of a distribution or of Apache's own packages by their
# CMake packages, else those that a Python package pyarrow carries, in CONTRASTIVE_ARROW_ROOT
# (variable or environment) or in the cache that `packaging/bootstrap.sh arrow` fills.
#
# Target: ContrastiveArrow::parquet (libparquet with libarrow). ARROW_LIBRARY_DIR is where they lie.
include(${CMAKE_CURRENT_LIST_DIR}/cache.cmake)
if(NOT TARGET Parquet::parquet_shared AND NOT CONTRASTIVE_ARROW_ROOT
  AND NOT DEFINED ENV{CONTRASTIVE_ARROW_ROOT})
  find_package(Parquet QUIET CONFIG)
endif()
if(TARGET Parquet::parquet_shared)
  set(Arrow_FOUND ON)
  get_target_property(ARROW_LIBRARY_DIR Parquet::parquet_shared LOCATION)
  get_filename_component(ARROW_LIBRARY_DIR "${ARROW_LIBRARY_DIR}" DIRECTORY)
  if(NOT TARGET ContrastiveArrow::parquet)
    add_library(ContrastiveArrow::parquet INTERFACE IMPORTED)
    target_link_libraries(ContrastiveArrow::parquet INTERFACE Parquet::parquet_shared)
  endif()
  return()
endif()

set(_roots ${CONTRASTIVE_ARROW_ROOT} $ENV{CONTRASTIVE_ARROW_ROOT}
  ${CONTRASTIVE_CACHE}/pyarrow-25.0.1/pyarrow)
find_path(ARROW_INCLUDE_DIR parquet/arrow/writer.h HINTS ${_roots} PATH_SUFFIXES include
  NO_DEFAULT_PATH)
set(ARROW_LIBRARY ARROW_LIBRARY-NOTFOUND)
set(PARQUET_LIBRARY PARQUET_LIBRARY-NOTFOUND)
foreach(_root IN LISTS _roots)  # a wheel's libraries have their version in the name
  file(GLOB _arrow "${_root}/libarrow.so.*")
  file(GLOB _parquet "${_root}/libparquet.so.*")
  if(_arrow AND _parquet)
    list(GET _arrow 0 ARROW_LIBRARY)
    list(GET _parquet 0 PARQUET_LIBRARY)
    break()
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
string(CONCAT _advice "run `packaging/bootstrap.sh arrow`, or set CONTRASTIVE_ARROW_ROOT to the "
  "folder of a Python pyarrow")
find_package_handle_standard_args(Arrow REQUIRED_VARS PARQUET_LIBRARY ARROW_LIBRARY
  ARROW_INCLUDE_DIR REASON_FAILURE_MESSAGE "${_advice}")
if(Arrow_FOUND AND NOT TARGET ContrastiveArrow::parquet)
  get_filename_component(ARROW_LIBRARY_DIR "${ARROW_LIBRARY}" DIRECTORY)
  add_library(ContrastiveArrow::arrow SHARED IMPORTED)
  set_target_properties(ContrastiveArrow::arrow PROPERTIES IMPORTED_LOCATION "${ARROW_LIBRARY}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${ARROW_INCLUDE_DIR}"
    INTERFACE_INCLUDE_DIRECTORIES "${ARROW_INCLUDE_DIR}")
  add_library(ContrastiveArrow::parquet SHARED IMPORTED)
  set_target_properties(ContrastiveArrow::parquet PROPERTIES IMPORTED_LOCATION "${PARQUET_LIBRARY}"
    INTERFACE_LINK_LIBRARIES ContrastiveArrow::arrow)
endif()
