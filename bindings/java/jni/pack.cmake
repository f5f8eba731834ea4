# cmake -D FROM=libcontrastive.so -D TO=FOLDER -P pack.cmake: copies the library for a package of
# native libraries, and the training plugin from the same folder. The library opens the plugin in
# its own folder, under this exact name.
file(REAL_PATH ${FROM} library)
get_filename_component(folder ${library} DIRECTORY)
set(part ${folder}/libcontrastive-torch.so.0)
if(NOT EXISTS ${part})
  message(FATAL_ERROR "${part} is missing: build the target contrastive_torch too")
endif()
file(REAL_PATH ${part} part)
file(MAKE_DIRECTORY ${TO})
file(COPY_FILE ${library} ${TO}/libcontrastive.so.0 ONLY_IF_DIFFERENT)
file(COPY_FILE ${part} ${TO}/libcontrastive-torch.so.0 ONLY_IF_DIFFERENT)
