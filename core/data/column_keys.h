// The config keys that name further columns of an example, besides data.columns. The option, its
// description, its checks and both parsers follow their table in column_keys.cpp. To add a key, add
// a row to it, a list for the names to DataOptions, and a field to Example, its visit() and
// without_texts(). If the field holds texts, SharedTexts compares them too. If only some methods
// use it, it is an idle key for the others (core/torch/run/train_options.cpp).
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/json.h"
#include "core/data/example.h"

namespace contrastive::data {

struct DataOptions;

struct ColumnKey {
  const char* name;  // without "data."
  std::vector<std::string> DataOptions::* columns;
  // What the columns fill. Texts are in the order of the line, numbers in that of the config key.
  std::variant<std::vector<std::string> Example::*, std::vector<double> Example::*> field;
  const char* needs;  // for the error of an example without it: "a text b, ..."
  const char* help;
};

const std::vector<ColumnKey>& column_keys();
bool sets_column_keys(const DataOptions& options);
// Throws kArgument if a key is set without the columns that it needs.
void check_column_keys(const DataOptions& options);

// Adds a cell of a TSV line to the field of `key`. `where` names file and line in every error.
void add_cell(const ColumnKey& key, std::string_view cell, const std::string& where,
              Example& example);
// Adds a member of a JSON object, or each item if it is a list.
void add_member(const ColumnKey& key, const Json& member, const std::string& name,
                const std::string& where, Example& example);
void add_texts(const Json& member, const std::string& name, const std::string& where,
               std::vector<std::string>& texts);

}  // namespace contrastive::data
