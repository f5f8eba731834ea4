# What CONTRASTIVE_SANITIZE and CONTRASTIVE_FUZZ mean to the compiler. Included by the root, after
# contrastive_common is there.
if(NOT CONTRASTIVE_SANITIZE AND NOT CONTRASTIVE_FUZZ)
  return()
endif()

if(CONTRASTIVE_SANITIZE)
  # Everything is linked with the run time, C programs that see nothing of the core included: it
  # must be loaded before the libraries it watches.
  add_compile_options(-fsanitize=${CONTRASTIVE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CONTRASTIVE_SANITIZE})
  if(CONTRASTIVE_SANITIZE MATCHES "undefined")
    # A finding ends the program, because nobody reads lines in a log.
    add_compile_options(-fno-sanitize-recover=undefined)
    # LibTorch's classes come without what -fsanitize=vptr asks for.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr>)
  endif()
endif()

if(CONTRASTIVE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CONTRASTIVE_FUZZ needs Clang, which brings libFuzzer: "
      "packaging/bootstrap.sh fuzz, then cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link -Wno-psabi -Wno-unknown-pragmas
    -Wno-unused-command-line-argument)
endif()
