# The archives, unpacked by an ordinary user on Debian 12 and on Debian 11, whose C library is the
# oldest that the README promises.
# shellcheck shell=bash
made tarball
name=contrastive-$version-$platform
for suite in $suites; do
  fresh "$suite" gcc libc6-dev pkg-config
  expect "$suite: unpack" 0 "" as_reader tar xzf "/packages/tarball/$name.tar.gz"
  embeds_and_searches "$name/bin/contrastive"
  says_what_training_needs "$name/bin/contrastive" "LibTorch was not found"

  # Moved to another folder, and read-only.
  expect "$suite: move" 0 "" as_reader sh -c \
    "mkdir 'a place of my own' && mv $name 'a place of my own/contrastive' &&
      chmod -R a-w 'a place of my own'"
  prefix="/reader/a place of my own/contrastive"
  embeds_and_searches "$prefix/bin/contrastive"
  expect "$suite: ten lines of C" 0 "$ten_lines_print" as_reader sh -c \
    'gcc work/ten.c -o ten -I"$0/include" -L"$0/lib" -lcontrastive -Wl,-rpath,"$0/lib" && ./ten' \
    "$prefix"
  expect "$suite: unpacked twice" 0 "" as_reader sh -c \
    "tar xzf /packages/tarball/$name.tar.gz && tar xzf /packages/tarball/$name.tar.gz &&
      $name/bin/contrastive version"
  for place in "/reader/$name" "$prefix"; do
    # Debian 11's pkg-config leaves the blanks in a folder's name as they are
    [ "$suite:$place" != "bullseye:$prefix" ] || continue
    expect "$suite: ten lines of C by pkg-config in $place" 0 "$ten_lines_print" as_reader sh -c \
      'flags=$(PKG_CONFIG_PATH="$0/lib/pkgconfig" pkg-config --cflags --libs contrastive)
      eval "gcc work/ten.c -o ten2 $flags" && LD_LIBRARY_PATH="$0/lib" ./ten2' "$place"
  done

  expect "$suite: another LibTorch" 9 "it is LibTorch 2.4.1+cpu, and 2.11 is needed" as_reader \
    sh -c "$an_old_libtorch && CONTRASTIVE_LIBTORCH=old exec $name/bin/contrastive config train"
done

# With LibTorch: training at once. For arm64 it is pip that brings it.
for suite in $suites; do
  fresh "$suite" gcc libc6-dev pkg-config
  with=-with-libtorch
  [ "$arch" != arm64 ] || with='' reader_has=("${by_pip[@]}")
  expect "$suite: unpack all" 0 "" as_reader tar xzf "/packages/tarball/$name$with.tar.gz"
  trains "$name$with/bin/contrastive"
done
