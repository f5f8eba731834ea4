#include "core/torch/augment/tokens/synonym_words.h"

#include "core/base/error.h"
#include "core/base/json.h"

namespace contrastive::augment {
namespace {

// Receives the parser's events; throws at the first thing that is out of place.
class WordReader : public nlohmann::json_sax<Json> {
 public:
  WordReader(const std::string& source, const SynonymVisitor& visit)
      : source_(source), visit_(visit) {}

  bool start_object(std::size_t) override {
    if (in_object_) refuse();
    in_object_ = true;
    return true;
  }
  bool key(string_t& word) override {
    word_ = word;
    return true;
  }
  bool start_array(std::size_t) override {
    if (in_list_ || !in_object_) refuse();
    in_list_ = true;
    synonyms_.clear();
    return true;
  }
  bool string(string_t& synonym) override {
    if (!in_list_) refuse();
    synonyms_.push_back(synonym);
    return true;
  }
  bool end_array() override {
    in_list_ = false;
    visit_(word_, synonyms_);
    return true;
  }
  bool end_object() override { return true; }
  bool null() override { refuse(); }
  bool boolean(bool) override { refuse(); }
  bool number_integer(number_integer_t) override { refuse(); }
  bool number_unsigned(number_unsigned_t) override { refuse(); }
  bool number_float(number_float_t, const string_t&) override { refuse(); }
  bool binary(binary_t&) override { refuse(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    fail(Status::kFormat, source_, ": not valid JSON at byte ", position, ": ", error.what());
  }

 private:
  [[noreturn]] void refuse() const {
    check(in_object_, Status::kFormat, source_, ": a JSON object of words is needed");
    if (in_list_) fail(Status::kFormat, source_, ": a synonym of '", word_, "' is not a text");
    fail(Status::kFormat, source_, ": the synonyms of '", word_, "' are not a list");
  }

  const std::string& source_;
  const SynonymVisitor& visit_;
  std::string word_;
  std::vector<std::string> synonyms_;
  bool in_object_ = false, in_list_ = false;
};

}  // namespace

void parse_synonym_words(std::string_view text, const std::string& source,
                         const SynonymVisitor& visit) {
  // The parser treats a NUL as the end of its input.
  check(text.find('\0') == std::string_view::npos, Status::kFormat, source,
        ": not valid JSON: a NUL character");
  WordReader reader(source, visit);
  Json::sax_parse(text.begin(), text.end(), &reader);
}

}  // namespace contrastive::augment
