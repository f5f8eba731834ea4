#include "core/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace contrastive {
namespace {

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                        std::tolower(static_cast<unsigned char>(b[j - 1]));
      const size_t substituted = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

struct OtherName {
  const char* theirs;
  const char* ours;
};

// Names in sentence-transformers, transformers, peft and other libraries.
constexpr OtherName kOtherNames[] = {
    {"bf16", "amp"},
    {"clip_grad_norm", "clip_norm"},
    {"dataloader_num_workers", "data_threads"},
    {"dtype", "precision"},
    {"early_stopping_patience", "patience"},
    {"eval_file", "dev"},
    {"eval_steps", "eval_every"},
    {"evaluation_steps", "eval_every"},
    {"fp16", "amp"},
    {"gradient_accumulation_steps", "accumulate"},
    {"learning_rate", "lr"},
    {"logging_steps", "metrics_every"},
    {"lora_r", "lora_rank"},
    {"lr_scheduler", "schedule"},
    {"lr_scheduler_type", "schedule"},
    {"max_grad_norm", "clip_norm"},
    {"max_seq_len", "max_length"},
    {"max_seq_length", "max_length"},
    {"model_max_length", "max_length"},
    {"model_name", "model"},
    {"model_name_or_path", "model"},
    {"num_epochs", "epochs"},
    {"num_train_epochs", "epochs"},
    {"optim", "optimizer"},
    {"output_dir", "output"},
    {"per_device_train_batch_size", "batch_size"},
    {"pooling_mode", "pooling"},
    {"random_seed", "seed"},
    {"resume_from_checkpoint", "resume"},
    {"save_steps", "save_every"},
    {"save_total_limit", "keep"},
    {"scale", "temperature"},
    {"scheduler", "schedule"},
    {"target_modules", "lora_targets"},
    {"tau", "temperature"},
    {"temperature", "scale"},
    {"top_n", "top_k"},
    {"torch_dtype", "precision"},
    {"train_batch_size", "batch_size"},
    {"train_file", "train"},
    {"validation_file", "dev"},
};

// "--Top-K" and "x.top_k" -> "top_k".
std::string bare(const std::string& name) {
  std::string text = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  text.erase(0, text.rfind('.') + 1);
  for (char& c : text)
    c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

size_t prefixes(const std::string& name) {
  return static_cast<size_t>(std::count(name.begin(), name.end(), '.'));
}

std::string by_other_name(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string theirs = bare(name);
  const std::string* best = nullptr;
  for (const OtherName& other : kOtherNames) {
    if (theirs != other.theirs) continue;
    for (const std::string& candidate : candidates) {
      if (bare(candidate) == other.ours &&
          (best == nullptr || prefixes(candidate) < prefixes(*best)))
        best = &candidate;
    }
  }
  return best == nullptr ? "" : *best;
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  if (name.size() > 200) return "";  // not a typing error, and the distance is quadratic
  std::string best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    size_t distance = edit_distance(name, candidate);
    // "temperature" for "clsr.temperature": a forgotten prefix is the commonest mistake.
    const size_t dot = candidate.rfind('.');
    if (dot != std::string::npos)
      distance =
          std::min(distance, prefixes(candidate) + edit_distance(name, candidate.substr(dot + 1)));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  const std::string known = best_distance > 1 ? by_other_name(name, candidates) : "";
  return known.empty() ? best : known;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) text += (i ? ", " : "") + names[i];
  return text;
}

std::string unknown_name(const std::string& what, const std::string& name,
                         const std::vector<std::string>& known) {
  std::string text = "unknown " + what + " '" + name.substr(0, 100) + "'";
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) text += "; did you mean '" + nearest + "'?";
  return text + (nearest.empty() ? "; known: " : " Known: ") + joined_names(known);
}

}  // namespace contrastive
