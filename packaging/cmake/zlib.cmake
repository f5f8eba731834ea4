# Contrastive::zlib, linked into the library: the base images of containers have no libz.so.1. Where
# there is no static zlib the shared one serves.
find_package(ZLIB REQUIRED)
find_library(CONTRASTIVE_ZLIB_STATIC libz.a)
add_library(contrastive_zlib INTERFACE)
add_library(Contrastive::zlib ALIAS contrastive_zlib)
if(CONTRASTIVE_ZLIB_STATIC)
  target_include_directories(contrastive_zlib SYSTEM INTERFACE ${ZLIB_INCLUDE_DIRS})
  target_link_libraries(contrastive_zlib INTERFACE ${CONTRASTIVE_ZLIB_STATIC})
else()
  target_link_libraries(contrastive_zlib INTERFACE ZLIB::ZLIB)
endif()
