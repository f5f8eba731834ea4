# cmake -D FROM=libcontrastive.so -D TO=.../libcontrastive.so.0 -P pack.cmake: copies the library for the natives' jar, with $ORIGIN as its RUNPATH.
file(REAL_PATH ${FROM} real)
if(EXISTS ${TO} AND NOT ${real} IS_NEWER_THAN ${TO})
  return()
endif()
configure_file(${real} ${TO}.new COPYONLY)
file(RPATH_SET FILE ${TO}.new NEW_RPATH "$ORIGIN")
file(RENAME ${TO}.new ${TO})
file(TOUCH ${TO})
