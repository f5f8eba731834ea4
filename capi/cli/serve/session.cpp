#include "capi/cli/serve/session.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "capi/cli/serve/origin.h"
#include "capi/cli/serve/target.h"

namespace contrastive::cli::serve {
namespace http = boost::beast::http;
namespace asio = boost::asio;
namespace {

constexpr uint32_t kMaxHeaderBytes = 16 << 10;
constexpr size_t kFirstRead = 4 << 10, kLargeRead = 64 << 10;
constexpr size_t kInlineBody = 8 << 10;  // a longer body is read as JSON by a worker
constexpr int kDrainSeconds = 5;
constexpr int kSendBuffer = 128 << 10;                // bytes of answers that the system holds for a connection; left to itself, it holds megabytes
constexpr int kLastSeconds = 5;                       // once the server stops: for a request to arrive whole, and for an answer to be taken on
constexpr auto kBeginning = std::chrono::seconds(1);  // in which a request that comes is left alone
constexpr auto kPatience = std::chrono::milliseconds(250);  // before a waiting client is looked after
char drained[kLargeRead];                                   // what nobody reads; one thread writes it

std::string text_of(boost::beast::string_view view) { return {view.data(), view.size()}; }

// For a log: no byte that a terminal would take for a command.
std::string printable(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

Answer no_room_for_body() {
  return answer_of(Refusal(429, "overloaded", "the memory for request bodies is full: send the request again later").after(1));
}

// Of what was written, the bytes that the client has not acknowledged; -1 where the system does not say.
int bytes_on_the_way(int socket) {
  int bytes = 0;
  return ::ioctl(socket, TIOCOUTQ, &bytes) == 0 ? bytes : -1;
}

}  // namespace

Session::Session(Server& server, asio::ip::tcp::socket socket) : server_(server), socket_(std::move(socket)), memory_(server.service().memory()) {
  server_.joined(this);
  Error ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::send_buffer_size(kSendBuffer), ignored);
}

Session::~Session() { server_.left(this); }

void Session::enter(State state, int seconds) {
  state_ = state;
  since_ = Clock::now();
  deadline_ = since_ + std::chrono::seconds(seconds);
}

void Session::wait() {
  hold(0);
  parser_.reset();
  response_.reset();
  if (buffer_.size() > 0) return read_header();  // the next request came with the last one
  if (server_.stopping()) return close();
  buffer_ = boost::beast::flat_buffer(kMaxBuffer);
  enter(State::kIdle, server_.limits().idle_seconds);
  socket_.async_wait(asio::ip::tcp::socket::wait_read, [self = shared_from_this()](Error error) { error ? self->close() : self->read_header(); });
}

void Session::read_header() {
  if (state_ == State::kClosed) return;
  enter(State::kHeader, server_.limits().header_seconds);
  late_ = unread_ = false;
  parser_.emplace();
  parser_->header_limit(kMaxHeaderBytes);
  parser_->body_limit(static_cast<uint64_t>(server_.limits().body_bytes));
  buffer_.reserve(kFirstRead);
  http::async_read_header(socket_, buffer_, *parser_, [self = shared_from_this()](Error error, size_t) { self->header_read(error); });
}

// What cannot be read is told where somebody is there to hear it.
bool Session::refuse_read(Error error) {
  if (state_ == State::kClosed) return false;
  if (late_) {
    ++server_.service().metrics().timeouts;
    const int seconds = state_ == State::kHeader ? server_.limits().header_seconds : server_.limits().body_seconds;
    refuse(408, "timeout", "the request was not complete within " + std::to_string(seconds) + " s");
    return true;
  }
  if (error == http::error::body_limit) {
    refuse(413, "body_too_large",
           "the body is longer than the " + std::to_string(server_.limits().body_bytes) + " bytes that this server takes: send several requests");
    return true;
  }
  if (state_ == State::kBody && error == http::error::buffer_overflow) {
    refuse(400, "invalid_http", "the lines around the chunks of the body are longer than " + std::to_string(kMaxBuffer) + " bytes");
    return true;
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    refuse(431, "header_too_large", "the header is longer than " + std::to_string(kMaxHeaderBytes) + " bytes");
    return true;
  }
  const bool http_error = error.category() == http::make_error_code(http::error::end_of_stream).category();
  if (!http_error || error == http::error::end_of_stream || error == http::error::partial_message) return false;
  refuse(400, "invalid_http", "this is not an HTTP request: " + error.message());
  return true;
}

void Session::header_read(Error error) {
  if (state_ == State::kClosed) return;
  began_ = Clock::now();
  const auto& header = parser_->get();
  method_ = text_of(header.method_string());
  const Target target = target_of(text_of(header.target()));
  path_ = target.path;
  origin_ = text_of(header[http::field::origin]);
  version_ = header.version();
  keep_alive_ = header.keep_alive();
  if (error || late_) {
    if (!refuse_read(error)) close();
    return;
  }
  Request request;
  request.method = method_;
  request.path = path_;
  request.authorization = text_of(header[http::field::authorization]);
  request.origin = origin_;
  request.host = target.authority.empty() ? text_of(header[http::field::host]) : target.authority;
  request.planned_method = text_of(header[http::field::access_control_request_method]);
  request.planned_headers = text_of(header[http::field::access_control_request_headers]);
  if (!target.valid) return refuse(400, "invalid_http", "the address in the request line needs a host and no user: GET http://host/path");
  if (header.count(http::field::host) > 1) return refuse(400, "invalid_http", "there is more than one Host");
  // Where its body ends would be a guess, and a proxy may guess otherwise; of another encoding nobody here would undo it.
  const size_t encodings = header.count(http::field::transfer_encoding);
  if (encodings > 1 || (encodings == 1 && !boost::beast::iequals(header[http::field::transfer_encoding], "chunked"))) {
    return refuse(400, "invalid_http", "this server takes only the transfer encoding chunked");
  }
  const bool has_body = parser_->chunked() || parser_->content_length().value_or(0) > 0;
  if (std::optional<Answer> refusal = server_.router().refuse(request)) return write(std::move(*refusal), has_body);
  if (!server_.service().memory()->has_room(static_cast<int64_t>(parser_->content_length().value_or(0)))) return write(no_room_for_body(), true);
  if (!boost::beast::iequals(header[http::field::expect], "100-continue") || !has_body) return read_body();
  static const std::string kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  enter(State::kBody, server_.limits().body_seconds);
  asio::async_write(socket_, asio::buffer(kContinue),
                    [self = shared_from_this()](Error problem, size_t) { problem ? self->close() : self->read_body(); });
}

void Session::read_body() {
  if (state_ == State::kClosed) return;
  enter(State::kBody, server_.limits().body_seconds);
  const auto length = static_cast<size_t>(parser_->content_length().value_or(parser_->chunked() ? kLargeRead : 0));
  buffer_.reserve(std::max(kFirstRead, std::min(length, kLargeRead)));
  parser_->eager(true);
  read_more();
}

// Memory is counted as bytes come: what a client only announces takes no room from others.
void Session::read_more() {
  if (parser_->is_done()) return serve();
  http::async_read_some(socket_, buffer_, *parser_, [self = shared_from_this()](Error error, size_t) { self->body_read(error); });
}

void Session::body_read(Error error) {
  if (state_ == State::kClosed) return;
  if (error || late_) {
    if (!refuse_read(error)) close();
    return;
  }
  if (!hold(parser_->get().body().size())) return write(no_room_for_body(), true);
  read_more();
}

void Session::serve() {
  enter(State::kBusy, 0);
  began_ = Clock::now();
  abandoned_ = std::make_shared<std::atomic<bool>>(false);
  Request request;
  request.method = method_;
  request.path = path_;
  request.memory = std::shared_ptr<Share>(shared_from_this(), &memory_);
  request.abandoned = abandoned_;
  request.body = std::move(parser_->get().body());
  parser_.reset();
  const bool large = request.body.size() > kInlineBody;
  const Exchange exchange(std::move(request), [self = shared_from_this()](Answer answer) mutable {
    asio::io_context& context = self->server_.context();
    asio::post(context, [self = std::move(self), answer = std::move(answer)]() mutable { self->write(std::move(answer), false); });
  });
  const Router& router = server_.router();
  if (large || path_ == "/tokenize") {
    server_.service().readers().post([exchange, &router] { router.serve(exchange); });
  } else {
    router.serve(exchange);
  }
}

void Session::write(Answer answer, bool unread) {
  if (state_ == State::kClosed) return;
  enter(State::kWriting, server_.limits().body_seconds);
  taken_ = since_;
  on_the_way_ = -1;
  unread_ = unread;
  late_ = false;
  parser_.reset();
  if (!hold(answer.body.size())) {
    answer = answer_of(
        Refusal(503, "overloaded", "the memory for answers is full, because clients do not read them: send the request again later").after(1));
  }
  keep_alive_ = keep_alive_ && !unread && !server_.stopping();
  response_.emplace(static_cast<http::status>(answer.status), version_);
  response_->set(http::field::server, "contrastive");
  if (!answer.type.empty()) response_->set(http::field::content_type, answer.type);
  response_->set("X-Content-Type-Options", "nosniff");
  response_->set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : answer.headers) response_->set(name, value);
  response_->keep_alive(keep_alive_);
  if (response_->result() != http::status::no_content) response_->content_length(answer.body.size());
  tell_origins();
  if (method_ != "HEAD") response_->body() = std::move(answer.body);
  http::async_write(socket_, *response_, [self = shared_from_this()](Error error, size_t) { self->written(error); });
}

void Session::tell_origins() {
  const std::vector<std::string>& origins = server_.service().settings().origins;
  if (origins.empty()) return;
  response_->set(http::field::vary, "Origin");
  if (!is_listed(origin_, origins)) return;
  response_->set(http::field::access_control_allow_origin, origin_);
  response_->set(http::field::access_control_expose_headers, "Contrastive-Cut-Texts, Retry-After");
}

void Session::written(Error error) {
  if (state_ == State::kClosed) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  server_.service().metrics().answered(Router::route_name(path_), response_->result_int(), seconds);
  if (server_.logs()) std::fprintf(stderr, "%s %s %u %.1f ms\n", method_.c_str(), printable(path_).c_str(), response_->result_int(), 1000 * seconds);
  if (late_) ++server_.service().metrics().timeouts;
  if (error || late_) return close();
  if (keep_alive_) return wait();
  if (!unread_) return close();
  // A connection that is closed over bytes that nobody read is reset, and the answer may be lost with it.
  Error ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  enter(State::kDraining, kDrainSeconds);
  drain();
}

void Session::drain() {
  socket_.async_read_some(asio::buffer(drained), [self = shared_from_this()](Error error, size_t) {
    if (self->state_ == State::kClosed) return;
    if (error) return self->close();
    self->drain();
  });
}

void Session::refuse(int status, const std::string& code, const std::string& message) { write(answer_of(Refusal(status, code, message)), true); }

void Session::check(Clock::time_point now) {
  if (state_ == State::kBusy) {
    if (now < deadline_ + kPatience) return;
    char byte = 0;
    const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {  // the client has gone: what it asked for need not be computed
      *abandoned_ = true;
      close();
    }
    return;
  }
  if (state_ == State::kWriting) {
    const int bytes = bytes_on_the_way(socket_.native_handle());
    if (bytes != on_the_way_ && on_the_way_ >= 0) taken_ = now;
    on_the_way_ = bytes;
    if (server_.stopping() && now >= taken_ + std::chrono::seconds(kLastSeconds)) return close();
  }
  if (now < deadline_ || state_ == State::kClosed) return;
  if (state_ == State::kIdle || state_ == State::kDraining || late_) return close();
  late_ = true;
  Error ignored;
  socket_.cancel(ignored);
}

std::optional<Session::Waiting> Session::waits(Clock::time_point now) const {
  if (state_ == State::kIdle) return Waiting(0, since_);
  if (state_ == State::kWriting) return now < taken_ + kBeginning ? std::nullopt : std::optional(Waiting(3, taken_));
  const bool waits = state_ == State::kHeader || state_ == State::kBody || state_ == State::kDraining;
  if (!waits || now < since_ + kBeginning) return std::nullopt;
  return Waiting(state_ == State::kBody ? 2 : 1, since_);
}

bool Session::unfinished(Clock::time_point now) const { return state_ == State::kBusy || (state_ == State::kWriting && !waits(now)); }

void Session::stop() {
  if (state_ == State::kIdle) return close();
  if (state_ == State::kHeader || state_ == State::kBody) deadline_ = std::min(deadline_, Clock::now() + std::chrono::seconds(kLastSeconds));
}

void Session::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  Error ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

}  // namespace contrastive::cli::serve
