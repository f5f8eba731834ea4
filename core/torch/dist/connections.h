// Moves tensors between ranks: a backend of LibTorch's c10d, behind an interface that needs none of
// its headers.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "core/torch/dist/store.h"

namespace contrastive::dist {

// An exchange that has begun. It keeps its tensors alive.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // Waits at most `slice` and returns whether the exchange is done. Throws LibTorch's exception if
  // it failed.
  virtual bool wait(Milliseconds slice) = 0;
};

// All ranks begin the same exchanges in the same order. Tensors must be on the CPU, contiguous, and
// of one dimension.
class Connections {
 public:
  virtual ~Connections() = default;
  // `to` [ranks * n] receives the `from` [n] of every rank, in the order of the ranks.
  virtual std::unique_ptr<Exchange> all_gather(at::Tensor to, at::Tensor from) = 0;
  // Piece k of `from` [ranks * n] goes to rank k; `to` [ranks * n] receives the pieces for this
  // rank, in the order of the ranks.
  virtual std::unique_ptr<Exchange> all_to_all(at::Tensor to, at::Tensor from) = 0;
};

struct Link {
  int rank = 0, size = 1;
  Milliseconds timeout{0};
  std::string interface;  // network interface to listen on; "" = the one of `address`
  std::string address;    // of this machine; "" = the one of its hostname
  std::string meeting =
      {};  // address of the store's machine, as this machine knows it; "" = unknown
};

// Gloo over TCP. Connects every rank with every other, which takes up to link.timeout, or 10 s.
// Throws LibTorch's exception if it cannot.
std::unique_ptr<Connections> connect_gloo(const Store& store, const Link& link);

}  // namespace contrastive::dist
