# ICU::uc and ICU::i18n, linked into the library: character properties, canonical decomposition and
# the engine of regular expressions are compiled into ICU's code, so that its data file, 30 MB that
# tokenizers do not use, stays outside. Where there is no static ICU the shared one serves, and the
# library then needs that very version at run time.
find_package(ICU 67 REQUIRED COMPONENTS uc i18n)
find_library(CONTRASTIVE_ICU_STATIC libicuuc.a)
find_library(CONTRASTIVE_ICU_I18N_STATIC libicui18n.a)
option(CONTRASTIVE_ICU_INSIDE "Link ICU into the library" ON)
if(CONTRASTIVE_ICU_INSIDE AND CONTRASTIVE_ICU_STATIC AND CONTRASTIVE_ICU_I18N_STATIC)
  add_library(contrastive_icu_inside STATIC ${CMAKE_CURRENT_LIST_DIR}/icu_data.c)
  if(CONTRASTIVE_GLIBC)
    target_sources(contrastive_icu_inside PRIVATE ${CMAKE_CURRENT_LIST_DIR}/icu_time_zone.c)
  endif()
  target_include_directories(contrastive_icu_inside SYSTEM PRIVATE ${ICU_INCLUDE_DIRS})
  target_link_libraries(contrastive_icu_inside PRIVATE contrastive_warnings)
  add_library(contrastive_icu INTERFACE)
  target_include_directories(contrastive_icu SYSTEM INTERFACE ${ICU_INCLUDE_DIRS})
  target_compile_definitions(contrastive_icu INTERFACE U_STATIC_IMPLEMENTATION)
  target_link_libraries(contrastive_icu INTERFACE ${CONTRASTIVE_ICU_I18N_STATIC}
    ${CONTRASTIVE_ICU_STATIC} contrastive_icu_inside ${CMAKE_DL_LIBS})
  add_library(Contrastive::icu ALIAS contrastive_icu)
else()
  add_library(contrastive_icu INTERFACE)
  target_link_libraries(contrastive_icu INTERFACE ICU::i18n ICU::uc)
  add_library(Contrastive::icu ALIAS contrastive_icu)
endif()
