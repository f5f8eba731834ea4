// Sequences of calls of the C API: the bytes choose function, handles (live, stale, of another
// type, invented) and arguments. No call may crash, write beyond its buffers, return INTERNAL, or
// accept an invalid handle, and at the end no handle may be left.
#include <contrastive/contrastive.h>

#include <cmath>
#include <memory>

#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

enum Type : int { kConfig, kModel, kDataset, kTrainer, kCancel, kTypes };

struct Handle {
  void* pointer = nullptr;
  Type type = kConfig;
  bool live = false;
};

// A heap buffer of the exact size, so that a sanitizer detects access beyond it.
template <class T>
struct Buffer {
  explicit Buffer(int64_t count) : size(count), data(new T[static_cast<size_t>(count)]()) {}
  int64_t size;
  std::unique_ptr<T[]> data;
};

class Session {
 public:
  explicit Session(std::string_view bytes) : numbers_(bytes), before_(cs_live_handles()) {}

  void run() {
    for (int calls = 0; numbers_.more() && calls < 60; ++calls) call();
    for (const Handle& handle : handles_) {
      if (handle.live) release(handle);
    }
    expect(cs_live_handles() == before_, "handles are left");
  }

 private:
  // One in four is wrong: null, stale, of another type, invented.
  Handle pick(Type type) {
    const uint8_t choice = numbers_.byte();
    if (choice >= 192) {
      if (choice < 200) return {};
      if (choice < 208)
        return {reinterpret_cast<void*>(static_cast<uintptr_t>(numbers_.byte()) *
                                        0x0101010101010101u),
                type, false};
      if (!handles_.empty()) return handles_[choice % handles_.size()];
    }
    std::vector<Handle> fit;
    for (const Handle& handle : handles_) {
      if (handle.live && handle.type == type) fit.push_back(handle);
    }
    return fit.empty() ? Handle{} : fit[choice % fit.size()];
  }
  template <class T>
  T* use(Type type) {
    last_ = pick(type);
    valid_ = valid_ && last_.live && last_.type == type;
    return static_cast<T*>(last_.pointer);
  }
  template <class T>
  T* use_or_null(Type type) {
    last_ = pick(type);
    valid_ = valid_ && (last_.pointer == nullptr || (last_.live && last_.type == type));
    return static_cast<T*>(last_.pointer);
  }

  void keep(void* pointer, Type type) {
    settle(pointer != nullptr ? CS_OK : cs_error_status(error_));
    if (pointer == nullptr) return;
    for (const Handle& handle : handles_)
      expect(handle.pointer != pointer, "a freed handle is in use again");
    handles_.push_back({pointer, type, true});
  }

  // Checks the result of every call.
  void settle(cs_status status) {
    expect(status >= CS_ERROR_DISTRIBUTED && status <= CS_DONE,
           std::string("status ") + cs_status_name(status) + ": " + cs_error_message(error_));
    expect(valid_ || status < 0, "an invalid handle was accepted");
    if (status >= 0) {
      expect(error_ == nullptr, "a call that succeeded left an error");
    } else if (error_ != nullptr) {
      expect(cs_error_status(error_) == status && cs_error_message(error_)[0] != '\0',
             "an error with another status than the call");
    }
    cs_error_free(error_);
    error_ = nullptr;
    valid_ = true;
  }
  void settle_text(char* text) {
    settle(text != nullptr ? CS_OK : cs_error_status(error_));
    cs_string_free(text);
  }

  static void release(const Handle& handle) {
    switch (handle.type) {
      case kConfig: cs_config_free(static_cast<cs_config*>(handle.pointer)); break;
      case kModel: cs_model_free(static_cast<cs_model*>(handle.pointer)); break;
      case kDataset: cs_dataset_free(static_cast<cs_dataset*>(handle.pointer)); break;
      case kTrainer: cs_trainer_free(static_cast<cs_trainer*>(handle.pointer)); break;
      case kCancel: cs_cancel_free(static_cast<cs_cancel*>(handle.pointer)); break;
      default: break;
    }
  }
  void free_one() {
    if (handles_.empty()) return;
    Handle& handle = handles_[numbers_.byte() % handles_.size()];
    const bool wrong = numbers_.byte() % 4 == 0;  // as another type: nothing may happen
    Handle named = handle;
    if (wrong) named.type = static_cast<Type>((handle.type + 1) % kTypes);
    const int64_t live = cs_live_handles();
    release(named);
    const bool freed = cs_live_handles() == live - 1;
    expect(freed == (handle.live && !wrong),
           "free released the wrong object, or did not release the right one");
    if (freed) handle.live = false;
  }

  std::string text() { return std::string(numbers_.text()); }
  int count(Type type) const {
    int n = 0;
    for (const Handle& handle : handles_) n += handle.live && handle.type == type;
    return n;
  }

  void call();
  void config_call(int64_t what);
  void model_call(int64_t what);
  void dataset_call(int64_t what);
  void reranker_call(int64_t what);
  void trainer_call(int64_t what);
  void array_call(int64_t what);
  void encode();

  Numbers numbers_;
  int64_t before_;
  std::vector<Handle> handles_;
  Handle last_;
  bool valid_ = true;
  cs_error* error_ = nullptr;
};

void Session::call() {
  const int64_t what = numbers_.below(45);
  if (what < 3) return free_one();
  if (what < 10) return config_call(what - 3);
  if (what < 18) return model_call(what - 10);
  if (what < 23) return dataset_call(what - 18);
  if (what < 33) return trainer_call(what - 23);
  if (what < 38) return array_call(what - 33);
  if (what == 38) return keep(cs_cancel_new(&error_), kCancel);
  if (what >= 40) return reranker_call(what - 40);
  cs_cancel_trigger(use_or_null<cs_cancel>(kCancel));
  valid_ = true;
}

void Session::config_call(int64_t what) {
  // Complete configs of trainers and models, so that few bytes of input get far.
  static const char* const kKnown[] = {
      "{\"method\": \"simcse\", \"max_steps\": 2, \"batch_size\": 2}",
      "{\"method\": \"mnrl\", \"max_steps\": 2, \"batch_size\": 2}",
      "{\"method\": \"clsr\", \"max_steps\": 2, \"batch_size\": 2}",
      "{\"method\": \"consert\", \"max_steps\": 2, \"batch_size\": 2}",
      "{\"pooling\": \"mean\"}",
      "{\"invalid_utf8\": \"error\"}",
      "{}"};
  if (what <= 1) {
    const size_t known = numbers_.byte();
    if (known < std::size(kKnown)) return keep(cs_config_parse(kKnown[known], &error_), kConfig);
    return keep(cs_config_parse(text().c_str(), &error_), kConfig);
  }
  if (what == 2) {
    cs_config* config = use<cs_config>(kConfig);
    const std::string key = text(), value = text();
    return settle(cs_config_set(config, key.c_str(), value.c_str(), &error_));
  }
  if (what == 3) {
    cs_config* config = use<cs_config>(kConfig);
    return settle(cs_config_merge(config, use<cs_config>(kConfig), &error_));
  }
  if (what == 4) return settle_text(cs_config_to_json(use<cs_config>(kConfig), &error_));
  if (what == 5) return settle_text(cs_config_describe(text().c_str(), &error_));
  if (numbers_.byte() % 2 == 0) {  // to an impossible file, because the mining itself is not fuzzed
                                   // here
    const cs_model* model = use<cs_model>(kModel);
    const cs_dataset* pairs = use<cs_dataset>(kDataset);
    return settle_text(cs_mine(model, use_or_null<cs_model>(kModel), pairs,
                               use_or_null<cs_dataset>(kDataset), "/proc/mined.jsonl",
                               use_or_null<cs_config>(kConfig), nullptr, &error_));
  }
  const std::string task = text();
  settle_text(cs_evaluate_outline(task.c_str(), use<cs_config>(kConfig), &error_));
}

void Session::model_call(int64_t what) {
  static const std::string models = std::string(CONTRASTIVE_FIXTURES) + "/models/";
  if (what == 0) {
    if (count(kModel) >= 3) return;
    const std::string path = models + (numbers_.byte() % 2 == 0 ? "bert_st" : "roberta_hf");
    return keep(cs_model_load(path.c_str(), use_or_null<cs_config>(kConfig), &error_), kModel);
  }
  if (what == 1) return settle_text(cs_model_info(use<cs_model>(kModel), &error_));
  if (what == 2 && count(kModel) < 3)
    return keep(cs_model_snapshot(use<cs_model>(kModel), &error_), kModel);
  if (what == 3)
    return settle_text(
        cs_token(use<cs_model>(kModel), static_cast<int32_t>(numbers_.byte()) - 3, &error_));
  if (what == 4 || what == 5) {
    cs_model* model = use<cs_model>(kModel);
    const std::string a = text(), b = text();
    const Buffer<int32_t> ids(numbers_.below(20)), begins(ids.size), ends(ids.size);
    const int32_t length = static_cast<int32_t>(numbers_.below(12)) - 1;
    int32_t found = 0;
    if (what == 4) {
      return settle(cs_tokenize(model, a.data(), static_cast<int64_t>(a.size()), length,
                                ids.data.get(), begins.data.get(), ends.data.get(), ids.size,
                                &found, &error_));
    }
    return settle(cs_tokenize_pair(model, a.data(), static_cast<int64_t>(a.size()), b.data(),
                                   static_cast<int64_t>(b.size()), length, ids.data.get(),
                                   begins.data.get(), ids.size, &found, &error_));
  }
  encode();
}

void Session::encode() {
  const cs_model* model = use<cs_model>(kModel);
  const bool valid = valid_;
  std::vector<std::string> texts;
  for (int64_t n = numbers_.below(5); n > 0; --n) texts.push_back(text());
  std::string all;
  std::vector<const char*> pointers;
  std::vector<int64_t> lengths;
  std::vector<int32_t> offsets{0};
  for (const std::string& one : texts) {
    pointers.push_back(one.data());
    lengths.push_back(static_cast<int64_t>(one.size()));
    all += one;
    offsets.push_back(static_cast<int32_t>(all.size()));
  }
  static const char* const kPoolings[] = {nullptr, "mean",       "cls",     "max",
                                          "last2", "first-last", "nonsense"};
  const Buffer<int32_t> counts(static_cast<int64_t>(texts.size()));
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.pooling = kPoolings[numbers_.below(7)];
  options.normalize = static_cast<int32_t>(numbers_.below(4)) - 1;
  options.truncate_dim = static_cast<int32_t>(numbers_.below(70)) - 1;
  options.max_length = static_cast<int32_t>(numbers_.below(70)) - 1;
  options.batch_tokens = static_cast<int32_t>(numbers_.below(30)) - 1;
  options.token_counts = counts.data.get();
  options.cancel = use_or_null<cs_cancel>(kCancel);
  const bool all_valid = valid && valid_;
  valid_ = true;
  const int32_t dimension = cs_encode_dimension(valid ? model : nullptr, &options, nullptr);
  const Buffer<float> floats(
      std::max<int64_t>(0, static_cast<int64_t>(texts.size()) * std::max(dimension, 0) +
                               numbers_.below(3) - 1));
  valid_ = all_valid;
  const int64_t n = static_cast<int64_t>(texts.size());
  const cs_status status = numbers_.byte() % 2 == 0
                               ? cs_encode(model, pointers.data(), lengths.data(), n, &options,
                                           floats.data.get(), floats.size, &error_)
                               : cs_encode_packed(model, all.data(), offsets.data(), n, &options,
                                                  floats.data.get(), floats.size, &error_);
  if (status == CS_OK) {
    for (int64_t i = 0; i < n * dimension; ++i)
      expect(std::isfinite(floats.data[static_cast<size_t>(i)]), "a vector that is not finite");
  }
  settle(status);
}

void Session::reranker_call(int64_t what) {
  static const std::string rerankers = std::string(CONTRASTIVE_FIXTURES) + "/rerankers/";
  if (what == 0) {
    if (count(kModel) >= 5) return;
    const std::string path = rerankers + (numbers_.byte() % 2 == 0 ? "bert" : "bert_labels");
    return keep(cs_model_load(path.c_str(), use_or_null<cs_config>(kConfig), &error_), kModel);
  }
  const cs_model* reranker = use<cs_model>(kModel);
  if (what == 1) return settle_text(cs_model_info(reranker, &error_));
  const bool valid = valid_;
  const int32_t labels = cs_model_labels(reranker), longest = cs_model_max_length(reranker);
  const int32_t kind = cs_model_kind(reranker);
  expect(valid ? longest >= 1 && (kind == CS_KIND_RERANKER
                                      ? labels >= 1
                                      : kind == CS_KIND_ENCODER && labels == CS_ERROR_ARGUMENT)
               : labels == CS_ERROR_HANDLE && longest == CS_ERROR_HANDLE && kind == CS_ERROR_HANDLE,
         "a model without a kind, or with labels that do not fit its kind");
  const std::string query = text();
  std::string all;
  std::vector<std::string> documents;
  std::vector<int32_t> offsets{0};
  for (int64_t n = numbers_.below(4); n > 0; --n) {
    documents.push_back(text());
    for (const std::string& one : {query, documents.back()}) {
      all += one;
      offsets.push_back(static_cast<int32_t>(all.size()));
    }
  }
  std::vector<const char*> pointers;
  std::vector<int64_t> lengths;
  for (const std::string& document : documents) {
    pointers.push_back(document.data());
    lengths.push_back(static_cast<int64_t>(document.size()));
  }
  static const char* const kActivations[] = {nullptr, "identity", "softmax", "nonsense"};
  const auto n = static_cast<int64_t>(documents.size());
  const Buffer<int32_t> counts(n);
  cs_rerank_options options = CS_RERANK_OPTIONS_INIT;
  options.activation = kActivations[numbers_.below(4)];
  options.max_length = static_cast<int32_t>(numbers_.below(140)) - 1;
  options.batch_tokens = static_cast<int32_t>(numbers_.below(30)) - 1;
  options.token_counts = counts.data.get();
  options.cancel = use_or_null<cs_cancel>(kCancel);
  const Buffer<float> scores(std::max<int64_t>(0, n * std::max(labels, 0) + numbers_.below(3) - 1));
  const cs_status status =
      numbers_.byte() % 2 == 0
          ? cs_rerank(reranker, query.data(), static_cast<int64_t>(query.size()), pointers.data(),
                      lengths.data(), n, &options, scores.data.get(), scores.size, &error_)
          : cs_rerank_packed(reranker, all.data(), offsets.data(), n, &options, scores.data.get(),
                             scores.size, &error_);
  if (status == CS_OK) {
    for (int64_t i = 0; i < n * labels; ++i)
      expect(std::isfinite(scores.data[static_cast<size_t>(i)]), "a score that is not finite");
  }
  settle(status);
}

void Session::dataset_call(int64_t what) {
  if (what == 0) return keep(cs_dataset_new(&error_), kDataset);
  cs_dataset* data = use<cs_dataset>(kDataset);
  if (what == 1) {
    const int64_t size = cs_dataset_size(data);
    return settle(size >= 0 ? CS_OK : static_cast<cs_status>(size));
  }
  const std::string a = text(), b = text(), c = text();
  const double label = numbers_.byte() % 3 == 0 ? NAN : 0.5;
  if (what == 2) {
    const char* second = numbers_.byte() % 2 == 0 ? nullptr : b.data();
    return settle(cs_dataset_add(data, a.data(), static_cast<int64_t>(a.size()), second,
                                 static_cast<int64_t>(b.size()), label, &error_));
  }
  const char* const texts[] = {a.data(), b.data(), c.data()};
  const int64_t lengths[] = {static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size()),
                             static_cast<int64_t>(c.size())};
  settle(cs_dataset_add_texts(data, texts, lengths, static_cast<int32_t>(numbers_.below(4)), label,
                              &error_));
}

void Session::trainer_call(int64_t what) {
  if (what == 0 || what == 1) {
    if (count(kTrainer) >= 2) return;
    cs_model* model = use<cs_model>(kModel);
    const cs_dataset* data = use_or_null<cs_dataset>(kDataset);
    return keep(cs_trainer_new(model, data, use<cs_config>(kConfig), &error_), kTrainer);
  }
  if (what == 2) {
    const cs_config* config = use<cs_config>(kConfig);
    return settle(cs_trainer_check(config, use_or_null<cs_dataset>(kDataset), nullptr, &error_));
  }
  cs_trainer* trainer = use<cs_trainer>(kTrainer);
  if (what <= 4) return settle(cs_train_step(trainer, use_or_null<cs_cancel>(kCancel), &error_));
  if (what == 5) {
    std::vector<std::string> texts(6);
    std::vector<const char*> pointers;
    std::vector<int64_t> lengths;
    for (std::string& one : texts) {
      one = text();
      pointers.push_back(one.data());
      lengths.push_back(static_cast<int64_t>(one.size()));
    }
    const int32_t columns = static_cast<int32_t>(numbers_.below(4));  // 0 is not allowed
    return settle(cs_train_batch(trainer, pointers.data(), lengths.data(),
                                 columns == 0 ? 1 : 6 / columns, columns, nullptr, nullptr,
                                 &error_));
  }
  if (what == 6) {
    const double value = cs_trainer_metric(trainer, "loss");
    if (!valid_) expect(std::isnan(value), "a metric without a trainer");
    valid_ = true;
    return settle_text(cs_trainer_metrics(use<cs_trainer>(kTrainer), &error_));
  }
  if (what == 7) return settle_text(cs_trainer_config(trainer, &error_));
  if (what == 8 && count(kModel) < 3)
    return keep(cs_trainer_model(trainer, static_cast<int32_t>(numbers_.below(3)), &error_),
                kModel);
  settle(cs_trainer_evaluate(trainer, nullptr, &error_));
}

void Session::array_call(int64_t what) {
  const int64_t n = numbers_.below(5), m = numbers_.below(5), dimension = numbers_.below(20);
  const int32_t metric = static_cast<int32_t>(numbers_.below(6)) - 1;
  const auto fill = [&](int64_t count) {
    Buffer<float> values(count);
    for (int64_t i = 0; i < count; ++i)
      values.data[static_cast<size_t>(i)] =
          static_cast<float>(static_cast<int>(numbers_.byte()) - 100) / 8;
    return values;
  };
  const Buffer<float> a = fill(n * dimension), b = fill(m * dimension);
  const int64_t slip = numbers_.below(4) - 1;  // a capacity that is one too small, or larger
  if (what == 0) {
    const Buffer<float> scores(std::max<int64_t>(0, n * m + slip));
    return settle(cs_similarity(a.data.get(), n, b.data.get(), m, dimension, metric,
                                scores.data.get(), scores.size, &error_));
  }
  if (what == 1) {
    const int32_t k = static_cast<int32_t>(numbers_.below(7));
    const Buffer<int32_t> indices(std::max<int64_t>(0, n * k + slip));
    const Buffer<float> scores(indices.size);
    const cs_cancel* cancel = use_or_null<cs_cancel>(kCancel);
    const cs_status status =
        cs_search(a.data.get(), n, b.data.get(), m, dimension, metric, k, indices.data.get(),
                  scores.data.get(), indices.size, cancel, &error_);
    if (status == CS_OK) {
      for (int64_t i = 0; i < n * k; ++i)
        expect(indices.data[static_cast<size_t>(i)] >= -1 &&
                   indices.data[static_cast<size_t>(i)] < m,
               "an index");
    }
    return settle(status);
  }
  if (what == 2) {
    const Buffer<float> calibration(std::max<int64_t>(0, 2 * dimension + slip));
    return settle(cs_quantize_calibrate(a.data.get(), n, dimension, calibration.data.get(),
                                        calibration.size, &error_));
  }
  const int32_t precision = static_cast<int32_t>(numbers_.below(5));
  const int64_t widths[] = {1, 2 * dimension, dimension, (dimension + 7) / 8, 1};
  const Buffer<uint8_t> output(std::max<int64_t>(0, n * widths[precision] + slip));
  const Buffer<float> calibration = fill(2 * dimension);
  settle(cs_quantize(a.data.get(), n, dimension, precision,
                     precision == CS_PRECISION_INT8 ? calibration.data.get() : nullptr,
                     output.data.get(), output.size, &error_));
}

}  // namespace

FUZZ_TARGET(handles) { Session(bytes).run(); }

}  // namespace contrastive::fuzz
