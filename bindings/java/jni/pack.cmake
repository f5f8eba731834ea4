# cmake -D FROM=libcontrastive.so -D TO=FOLDER -P pack.cmake: copies the library for a package of
# native libraries, and the training plugins from the same folder, one for each version of LibTorch.
# The library opens a plugin in its own folder, under its exact name.
file(REAL_PATH ${FROM} library)
get_filename_component(folder ${library} DIRECTORY)
file(GLOB plugins ${folder}/libcontrastive-torch*.so.0)
if(NOT plugins)
  message(FATAL_ERROR "${folder} has no training plugin: build the target contrastive_torch too")
endif()
file(MAKE_DIRECTORY ${TO})
file(COPY_FILE ${library} ${TO}/libcontrastive.so.0 ONLY_IF_DIFFERENT)
foreach(plugin IN LISTS plugins)
  get_filename_component(name ${plugin} NAME)
  file(REAL_PATH ${plugin} plugin)
  file(COPY_FILE ${plugin} ${TO}/${name} ONLY_IF_DIFFERENT)
endforeach()
