// A request and the function that sends its answer. Copies share one exchange. It is answered once,
// from any thread. If the last copy is destroyed without an answer, the answer is 500.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "capi/program/serve/answer.h"
#include "capi/program/serve/encoding.h"
#include "capi/program/serve/memory.h"

namespace contrastive::cli::serve {

struct Request {
  std::string method, path, authorization, origin, host, body;
  std::string planned_method, planned_headers;  // of a preflight: what the page will send next
  Encoding encoding = Encoding::kIdentity;      // of the body
  // Memory that the body holds. An answer reserves its own before it is built.
  std::shared_ptr<Share> memory;
  std::shared_ptr<std::atomic<bool>> abandoned;  // set when the client has disconnected
};

class Exchange {
 public:
  Exchange(Request request, std::function<void(Answer)> respond)
      : state_(std::make_shared<State>(std::move(request), std::move(respond))) {}

  Request& request() const { return state_->request; }
  void answer(Answer answer) const { state_->answer(std::move(answer)); }
  // Answers with the result of `make`, or with the error that it throws.
  template <class Make>
  void answer_with(Make&& make) const {
    try {
      answer(make());
    } catch (...) {
      answer(answer_of_current_exception());
    }
  }

 private:
  struct State {
    State(Request request, std::function<void(Answer)> respond)
        : request(std::move(request)), respond(std::move(respond)) {}
    ~State() {
      if (!answered.exchange(true))
        respond(answer_of(Refusal(500, "INTERNAL", "the request was lost: please report this")));
    }
    void answer(Answer answer) {
      if (!answered.exchange(true)) respond(std::move(answer));
    }
    Request request;
    std::function<void(Answer)> respond;
    std::atomic<bool> answered{false};
  };

  std::shared_ptr<State> state_;
};

}  // namespace contrastive::cli::serve
