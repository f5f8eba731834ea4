// Smart pointers for the library's handles and strings, so that a verb that throws leaks nothing.
#pragma once

#include <contrastive/contrastive.h>

#include <memory>
#include <string>

namespace contrastive::cli {

template <auto Free>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using Model = std::unique_ptr<cs_model, Freer<cs_model_free>>;
using ConfigHandle = std::unique_ptr<cs_config, Freer<cs_config_free>>;
using Dataset = std::unique_ptr<cs_dataset, Freer<cs_dataset_free>>;
using CancelHandle = std::unique_ptr<cs_cancel, Freer<cs_cancel_free>>;
using Trainer = std::unique_ptr<cs_trainer, Freer<cs_trainer_free>>;
using String = std::unique_ptr<char, Freer<cs_string_free>>;

}  // namespace contrastive::cli
