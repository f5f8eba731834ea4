// The LibTorch store behind a Store. Its headers take seconds to compile, so only store.cpp and
// gloo.cpp include this.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <string>

#include "core/torch/dist/store.h"

namespace contrastive::dist {

struct Store::Raw {
  c10::intrusive_ptr<c10d::Store> store;
  std::string where;  // for messages
  // How long to wait for an answer; 0 if the store is in this process or on its disk.
  Milliseconds patience{0};
};

}  // namespace contrastive::dist
