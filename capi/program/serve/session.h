// One connection. It answers each request before it reads the next one.
//
// An idle connection holds no buffer. All functions run on the server's thread; an exchange may be
// answered from any thread.
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
  void check(Clock::time_point now);  // ends it if it is late or its client has gone
  void stop();                        // closes it if idle, otherwise after its answer
  void close();
  // Since when, and in which step, the server has waited for the client. If there are too many
  // connections, the smallest values are ended first. Empty if the server works on a request, a
  // request has just begun to arrive, or the client is reading its answer.
  using Waiting = std::pair<int, Clock::time_point>;
  std::optional<Waiting> waits(Clock::time_point now) const;
  // A request is being served, or the client is reading its answer.
  bool unfinished(Clock::time_point now) const;

 private:
  enum class State { kIdle, kHeader, kBody, kBusy, kWriting, kDraining, kClosed };
  using Error = boost::system::error_code;
  // Limit of received bytes that are not a complete header or chunk yet.
  static constexpr size_t kMaxBuffer = 128 << 10;

  void enter(State state, int seconds);
  void wait();
  void read_header();
  void parse_header();
  void header_read(Error error);
  void read_body();
  void read_more();
  // Sets the memory that a body or an answer holds; false if there is no room.
  bool hold(size_t bytes) { return memory_->hold(static_cast<int64_t>(bytes)); }
  void body_read(Error error);
  void serve();
  // `unread`: the rest of the request is not read, and the connection ends.
  void write(Answer answer, bool unread);
  void written(Error error);
  void drain();
  // Answers with an error and ends the connection.
  void refuse(int status, const std::string& code, const std::string& message);
  bool refuse_read(Error error);  // false if the client has gone
  bool client_left();             // checked while its request is served
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
  Clock::time_point taken_;  // when the client last took bytes of the answer
  int on_the_way_ = -1;      // bytes in flight at the last check; -1 before the first one
  // A running request keeps this alive, but not the session.
  const std::shared_ptr<Share> memory_;
  Encoding encoding_ = Encoding::kIdentity;
  size_t header_bytes_ = 0;  // received
  size_t told_ = 0;          // bytes of the answer's head that were sent before the answer existed
  unsigned version_ = 11;
  int status_ = 0;
  bool keep_alive_ = false, late_ = false, unread_ = false, folded_ = false;
};

}  // namespace contrastive::cli::serve
