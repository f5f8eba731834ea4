# CONTRASTIVE_CACHE: the folder that packaging/bootstrap.sh and the scripts of packaging/toolchains
# fill.
set(CONTRASTIVE_CACHE "$ENV{CONTRASTIVE_DEPS}")
if(NOT CONTRASTIVE_CACHE AND DEFINED ENV{XDG_CACHE_HOME})
  set(CONTRASTIVE_CACHE "$ENV{XDG_CACHE_HOME}/libcontrastive")
elseif(NOT CONTRASTIVE_CACHE)
  set(CONTRASTIVE_CACHE "$ENV{HOME}/.cache/libcontrastive")
endif()
