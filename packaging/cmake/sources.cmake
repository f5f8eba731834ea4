# contrastive_sources(VARIABLE PATTERN): the files of the current folder and below it whose names
# match, in a stable order. A folder with a CMakeLists.txt of its own keeps its files.
#
# Globbing is right here because every such file of a folder belongs to its target: a list would
# only repeat the folder. With CONFIGURE_DEPENDS the next build notices a new or deleted file.
function(contrastive_sources variable pattern)
  file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${pattern})
  file(GLOB_RECURSE others RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS CMakeLists.txt)
  list(REMOVE_ITEM others CMakeLists.txt)
  foreach(other IN LISTS others)
    get_filename_component(folder ${other} DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  if(NOT sources)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR} has no ${pattern}")
  endif()
  list(SORT sources)
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
