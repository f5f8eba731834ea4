#include "tests/faults/files/scenarios.h"

#include <contrastive/contrastive.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace contrastive::faults {
namespace {

// Checks that an error is of the system's kind and names a file; otherwise prints its text on
// stderr for the parent.
int judge(cs_error* error, cs_status wanted, const std::string& place) {
  if (error == nullptr) return std::fprintf(stderr, "  no error was set\n"), kBadError;
  const cs_status status = cs_error_status(error);
  if (status == wanted && std::strstr(cs_error_message(error), place.c_str()) != nullptr)
    return kError;
  return std::fprintf(stderr, "  %s: %s\n", cs_status_name(status), cs_error_message(error)),
         kBadError;
}

const char* const kTexts[] = {"the cat sat on the mat.", "a dog", "two birds"};
const char* const kPairs[] = {"the cat", "a cat", "a dog", "the dog"};
constexpr int kDimension = 32;

cs_trainer* trainer_of(cs_model* model, int updates) {
  cs_config* const config = cs_config_parse("{\"method\": \"mnrl\", \"max_steps\": 9}", nullptr);
  cs_trainer* const trainer = cs_trainer_new(model, nullptr, config, nullptr);
  for (int i = 0; i < updates; ++i) {
    if (cs_train_batch(trainer, kPairs, nullptr, 2, 2, nullptr, nullptr, nullptr) != CS_OK)
      std::exit(2);
  }
  cs_config_free(config);
  return trainer;
}

std::vector<float> embed(const cs_model* model) {
  std::vector<float> out(3 * kDimension);
  if (cs_encode(model, kTexts, nullptr, 3, nullptr, out.data(), static_cast<int64_t>(out.size()),
                nullptr) != CS_OK)
    out.clear();
  return out;
}

std::vector<float> rank(const cs_model* reranker) {
  std::vector<float> out(3);
  if (cs_rerank(reranker, "a cat", -1, kTexts, nullptr, 3, nullptr, out.data(), 3, nullptr) !=
      CS_OK)
    out.clear();
  return out;
}

int answered(bool right) { return right ? kRight : kWrong; }

// Texts, pairs, and what is at each target before.
struct Ground {
  std::string models, rerankers, place;
  cs_model *first = nullptr, *second = nullptr;
  cs_model *ranker = nullptr, *other_ranker = nullptr;
  cs_trainer *trainer = nullptr, *before = nullptr;
  cs_dataset* data = nullptr;

  std::string of(const std::string& name) const { return place + "/" + name; }

  bool lay() {
    std::ofstream file(of("pairs.tsv")), texts(of("texts.txt"));
    for (int i = 0; i < 50; ++i) file << "the cat " << i << "\ta cat " << i << "\n";
    for (int i = 0; i < 50; ++i) texts << "the cat " << i << " sat on a mat\n";
    file.close();
    texts.close();
    first = cs_model_load((models + "/bert_st").c_str(), nullptr, nullptr);
    second = cs_model_load((models + "/bert_st_old").c_str(), nullptr, nullptr);
    ranker = cs_model_load((rerankers + "/bert").c_str(), nullptr, nullptr);
    other_ranker = cs_model_load((rerankers + "/roberta").c_str(), nullptr, nullptr);
    data = cs_dataset_open(of("pairs.tsv").c_str(), nullptr, nullptr);
    if (first == nullptr || second == nullptr || ranker == nullptr || other_ranker == nullptr ||
        data == nullptr)
      return false;
    trainer = trainer_of(first, 2);
    before = trainer_of(first, 1);
    std::ofstream(of("old-negatives.jsonl")) << "{}\n";
    return cs_model_save(first, of("old-model").c_str(), nullptr) == CS_OK &&
           cs_model_save(other_ranker, of("old-reranker").c_str(), nullptr) == CS_OK &&
           cs_trainer_save(before, of("old-run").c_str(), nullptr) == CS_OK &&
           cs_vocabulary_train(of("pairs.tsv").c_str(), of("old-vocabulary").c_str(), nullptr,
                               nullptr, nullptr) == CS_OK;
  }
};

void add_readers(const Ground& ground, std::vector<Scenario>& scenarios) {
  for (const char* name : {"bert_st", "bert_st_old"}) {
    const std::string path = ground.models + "/" + name;
    const std::vector<float> vectors =
        embed(name == std::string("bert_st") ? ground.first : ground.second);
    scenarios.push_back(
        {std::string("load ") + name,
         [path, vectors](cs_status wanted) {
           cs_error* error = nullptr;
           const cs_model* const model = cs_model_load(path.c_str(), nullptr, &error);
           return model == nullptr ? judge(error, wanted, path) : answered(embed(model) == vectors);
         },
         "", ""});
  }
  const std::string reranker = ground.rerankers + "/bert", pairs = ground.of("pairs.tsv");
  scenarios.push_back({"load a reranker",
                       [reranker, scores = rank(ground.ranker)](cs_status wanted) {
                         cs_error* error = nullptr;
                         const cs_model* const loaded =
                             cs_model_load(reranker.c_str(), nullptr, &error);
                         return loaded == nullptr ? judge(error, wanted, reranker)
                                                  : answered(rank(loaded) == scores);
                       },
                       "", ""});
  scenarios.push_back({"dataset",
                       [pairs](cs_status wanted) {
                         cs_error* error = nullptr;
                         const cs_dataset* const data =
                             cs_dataset_open(pairs.c_str(), nullptr, &error);
                         return data == nullptr ? judge(error, wanted, pairs)
                                                : answered(cs_dataset_size(data) == 50);
                       },
                       "", ""});
  scenarios.push_back({"resume",
                       [ground](cs_status wanted) {
                         cs_error* error = nullptr;
                         const std::string run = ground.of("old-run");
                         const cs_trainer* const resumed =
                             cs_trainer_resume(run.c_str(), ground.first, nullptr, nullptr, &error);
                         return resumed == nullptr
                                    ? judge(error, wanted, run)
                                    : answered(cs_trainer_metric(resumed, "step") == 1);
                       },
                       "", ""});
}

// Makes the exchange of two names fail in this process, as on NFS.
void forbid_exchange() {
  sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{4, filter};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0)
    return;
  std::perror("a filter of system calls");
  ::_exit(100);
}

void add_writers(const Ground& ground, std::vector<Scenario>& scenarios) {
  const auto add = [&](const char* name, const std::string& target, const std::string& old,
                       auto save, bool reads = false) {
    // A file that an error about an input may name.
    const std::string path = ground.of(target),
                      place = reads ? ground.place : path.substr(0, path.rfind('/'));
    scenarios.push_back({name,
                         [path, save, place](cs_status wanted) {
                           cs_error* error = nullptr;
                           return save(path.c_str(), &error) == CS_OK ? static_cast<int>(kRight)
                                                                      : judge(error, wanted, place);
                         },
                         path, ground.of(old)});
  };
  add("save a model", "a/model", "old-model", [ground](const char* path, cs_error** error) {
    return cs_model_save(ground.second, path, error);
  });
  add("save without exchange", "f/model", "old-model",
      [ground](const char* path, cs_error** error) {
        forbid_exchange();
        return cs_model_save(ground.second, path, error);
      });
  add("save a reranker", "b/reranker", "old-reranker",
      [ground](const char* path, cs_error** error) {
        return cs_model_save(ground.ranker, path, error);
      });
  add("save a run", "c/run", "old-run", [ground](const char* path, cs_error** error) {
    return cs_trainer_save(ground.trainer, path, error);
  });
  add(
      "train a vocabulary", "d/vocabulary", "old-vocabulary",
      [texts = ground.of("texts.txt")](const char* path, cs_error** error) {
        return cs_vocabulary_train(texts.c_str(), path, nullptr, nullptr, error);
      },
      true);
  add(
      "mine negatives", "e/negatives.jsonl", "old-negatives.jsonl",
      [ground](const char* path, cs_error** error) {
        // To a tiny model all texts are similar.
        cs_config* const config = cs_config_parse(R"({"relative_margin": -1e9})", nullptr);
        char* const report =
            cs_mine(ground.first, nullptr, ground.data, nullptr, path, config, nullptr, error);
        cs_config_free(config);
        const cs_status status = report != nullptr   ? CS_OK
                                 : *error != nullptr ? cs_error_status(*error)
                                                     : CS_ERROR_INTERNAL;
        cs_string_free(report);
        return status;
      },
      true);
}

}  // namespace

std::vector<Scenario> make_scenarios(const std::string& fixtures, const std::string& place) {
  Ground ground;
  ground.models = fixtures + "/models";
  ground.rerankers = fixtures + "/rerankers";
  ground.place = place;
  std::vector<Scenario> scenarios;
  if (!ground.lay()) return scenarios;
  add_readers(ground, scenarios);
  add_writers(ground, scenarios);
  return scenarios;
}

}  // namespace contrastive::faults
