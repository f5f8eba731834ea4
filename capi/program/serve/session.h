// One connection: requests come one after the other, and each is answered before the next is read.
//
// While a connection is idle it holds no buffer. All functions run on the server's thread; an
// exchange may be answered from any.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "capi/program/serve/server.h"

namespace contrastive::cli::serve {

class Session : public std::enable_shared_from_this<Session> {
 public:
  using Clock = std::chrono::steady_clock;

  Session(Server& server, boost::asio::ip::tcp::socket socket);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() { wait(); }
  void check(Clock::time_point now);  // ends what is late, and what nobody waits for
  void stop();                        // closes an idle connection; a busy one ends with its answer
  void close();
  // For how long the server has waited for the client, and at which step: those that compare less
  // are ended first where there are too many connections. Nothing where the server works for it, a
  // request has just begun to come, or its answer is being taken.
  using Waiting = std::pair<int, Clock::time_point>;
  std::optional<Waiting> waits(Clock::time_point now) const;
  bool unfinished(Clock::time_point now) const;  // a request is being served, or its answer taken

 private:
  enum class State { kIdle, kHeader, kBody, kBusy, kWriting, kDraining, kClosed };
  using Error = boost::system::error_code;
  static constexpr size_t kMaxBuffer =
      128 << 10;  // of bytes that are no whole header, or no whole chunk yet

  void enter(State state, int seconds);
  void wait();
  void read_header();
  void parse_header();
  void header_read(Error error);
  void read_body();
  void read_more();
  bool hold(size_t bytes) {
    return memory_->hold(static_cast<int64_t>(bytes));
  }  // of a body or an answer, in all; false if there is no room
  void body_read(Error error);
  void serve();
  // `unread`: what the client still sends is not wanted, and the connection ends.
  void write(Answer answer, bool unread);
  void written(Error error);
  void drain();
  void refuse(int status, const std::string& code,
              const std::string& message);  // and end the connection
  bool refuse_read(Error error);            // false where nobody is there to be told
  bool client_left();                       // while its request is served
  std::string head_of(const Answer& answer) const;

  Server& server_;
  boost::asio::ip::tcp::socket socket_;
  boost::beast::flat_buffer buffer_{kMaxBuffer};
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::shared_ptr<std::atomic<bool>> abandoned_;
  std::string method_, path_, origin_;
  std::string head_, body_;  // of the answer
  State state_ = State::kIdle;
  Clock::time_point since_, deadline_, began_;
  Clock::time_point taken_;  // when bytes of the answer last went
  int on_the_way_ = -1;      // of them, at the last look; -1 for none yet
  const std::shared_ptr<Share>
      memory_;  // a request that is computed keeps it, and never the session
  Encoding encoding_ = Encoding::kIdentity;
  size_t header_bytes_ = 0;  // that were read
  size_t told_ = 0;          // bytes of the answer's head that were sent before there was an answer
  unsigned version_ = 11;
  int status_ = 0;
  bool keep_alive_ = false, late_ = false, unread_ = false, folded_ = false;
};

}  // namespace contrastive::cli::serve
