set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CONTRASTIVE_TRIPLE aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/sysroot.cmake)
