# Included by the toolchain files beside it, which name a processor and a triple: Debian 12's GCC 12
# compiles and links against Debian 11's libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${CONTRASTIVE_TRIPLE}-gcc)
set(CMAKE_CXX_COMPILER ${CONTRASTIVE_TRIPLE}-g++)
set(CMAKE_SYSROOT /sysroots/${CONTRASTIVE_TRIPLE})
set(CMAKE_LIBRARY_ARCHITECTURE ${CONTRASTIVE_TRIPLE})
# Debian 11's libstdc++.so is found before GCC 12's. The little that this compiler's headers use and
# that library has not (std::from_chars of numbers with a fraction) comes from GCC 12's static one,
# named behind it, and stays inside.
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
    "-L${CMAKE_SYSROOT}/usr/lib/${CONTRASTIVE_TRIPLE} -Wl,--exclude-libs,libstdc++.a")
endforeach()
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-lstdc++ -l:libstdc++.a")
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT} /libtorch)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
