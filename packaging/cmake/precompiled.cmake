# Headers that take a compiler longer than a file of this project are precompiled: a short list, and
# a longer one for targets that use LibTorch's headers. Files include what they use all the same;
# nothing may compile only because of these lists (tests/guards/tidy.sh compiles without them).
set(CONTRASTIVE_SLOW_HEADERS
  <nlohmann/json.hpp> <algorithm> <filesystem> <functional> <map> <memory> <optional> <string>
  <unordered_map> <vector>)
set(CONTRASTIVE_SLOW_TENSOR_HEADERS
  <ATen/TensorOperators.h> <ATen/core/Tensor.h> <ATen/core/grad_mode.h> <ATen/ops/cat.h>
  <ATen/ops/empty.h> <ATen/ops/zeros.h>)

# contrastive_precompiled(NAME [QUICK] [HEADERS...] [LINK...]): targets NAME and NAME_tensors, whose
# precompiled headers others reuse. Compilers use one only in a file with the very options that it
# was compiled with. QUICK: those of programs that are compiled more often than they run.
function(contrastive_precompiled name)
  cmake_parse_arguments(ARG "QUICK" "" "HEADERS;LINK" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
  file(WRITE ${source} "")
  set(targets ${name})
  if(CONTRASTIVE_TRAINING)
    list(APPEND targets ${name}_tensors)
  endif()
  foreach(target IN LISTS targets)
    add_library(${target} OBJECT ${source})
    target_link_libraries(${target} PRIVATE contrastive_common nlohmann_json::nlohmann_json
      ${ARG_LINK})
    target_precompile_headers(${target} PRIVATE ${CONTRASTIVE_SLOW_HEADERS} ${ARG_HEADERS})
    if(ARG_QUICK)
      target_compile_options(${target} PRIVATE ${CONTRASTIVE_QUICK_COMPILE})
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    endif()
  endforeach()
  if(CONTRASTIVE_TRAINING)
    target_link_libraries(${name}_tensors PRIVATE LibTorch::cpu)
    target_precompile_headers(${name}_tensors PRIVATE ${CONTRASTIVE_SLOW_TENSOR_HEADERS})
  endif()
endfunction()
