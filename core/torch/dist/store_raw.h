// What is behind a Store. Its headers take seconds to compile: store.cpp and gloo.cpp alone include
// this.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <string>

#include "core/torch/dist/store.h"

namespace contrastive::dist {

struct Store::Raw {
  c10::intrusive_ptr<c10d::Store> store;
  std::string where;         // for messages
  Milliseconds patience{0};  // with an answer; 0 where the store is in this process or on its disk
};

}  // namespace contrastive::dist
