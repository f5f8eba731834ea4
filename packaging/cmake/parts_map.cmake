# cmake -DSOURCE=... -DTEMPLATE=... -DMAP=... -DABI=... -DCOMPILER=... -P parts_map.cmake: writes
# the version script of libcontrastive.so with a digest of every source of the library and of what
# compiles it; an unchanged one keeps its time stamp.
file(GLOB_RECURSE sources ${SOURCE}/core/*.h ${SOURCE}/core/*.cpp ${SOURCE}/core/*.inl
  ${SOURCE}/core/CMakeLists.txt ${SOURCE}/capi/src/*.h ${SOURCE}/capi/src/*.cpp
  ${SOURCE}/capi/include/*.h ${SOURCE}/packaging/cmake/*.cmake)
list(APPEND sources ${SOURCE}/CMakeLists.txt ${SOURCE}/capi/CMakeLists.txt)
list(SORT sources)
set(digests "${COMPILER}")
foreach(source IN LISTS sources)
  file(SHA256 ${source} digest)
  string(APPEND digests "${digest}")
endforeach()
string(SHA256 DIGEST "${digests}")
string(SUBSTRING ${DIGEST} 0 16 DIGEST)
configure_file(${TEMPLATE} ${MAP} @ONLY)
