# What packages for amd64 are built from: sourced by packaging/packages/common.sh.
# shellcheck shell=bash disable=SC2034  # used by the script that sources this
platform=linux-x64
maven=linux-x86_64  # a classifier
in_words=x86-64
machine=x86_64  # as wheels are named
libtorch=${CONTRASTIVE_LIBTORCH:-$cache/libtorch-2.11.0/torch}
extra=  # of packaging/bootstrap.sh
compilers=()  # packages of Debian 12 beyond its own compiler
