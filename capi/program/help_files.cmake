# Manual pages and completion. The program generates them from its help whenever it is linked. A
# cross-compiled program runs under CMAKE_CROSSCOMPILING_EMULATOR. Without an emulator these files
# are not made.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "No manual pages and no completion: the program for ${CMAKE_SYSTEM_PROCESSOR} "
    "cannot run here (CMAKE_CROSSCOMPILING_EMULATOR)")
  return()
endif()
set(_help ${PROJECT_BINARY_DIR}/help)
add_custom_command(TARGET contrastive_cli POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${_help}
  COMMAND contrastive_cli man --output ${_help}/man1
  COMMAND contrastive_cli completion bash > ${_help}/contrastive.bash
  COMMAND contrastive_cli completion zsh > ${_help}/_contrastive
  COMMAND contrastive_cli completion fish > ${_help}/contrastive.fish
  VERBATIM)

install(DIRECTORY ${_help}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT runtime)
install(FILES ${_help}/contrastive.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME contrastive
  COMPONENT runtime)
install(FILES ${_help}/_contrastive DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
  COMPONENT runtime)
install(FILES ${_help}/contrastive.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
