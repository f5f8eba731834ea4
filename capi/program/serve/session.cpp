#include "capi/program/serve/session.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

#include "capi/program/serve/origin.h"
#include "capi/program/serve/target.h"

namespace contrastive::cli::serve {
namespace http = boost::beast::http;
namespace asio = boost::asio;
namespace {

constexpr uint32_t kMaxHeaderBytes = 16 << 10;
constexpr size_t kFirstRead = 4 << 10, kLargeRead = 64 << 10;
constexpr size_t kInlineBody = 8 << 10;  // a worker parses longer bodies
constexpr int kDrainSeconds = 5;
// Bytes of answers that the system buffers for a connection. By default it buffers megabytes.
constexpr int kSendBuffer = 128 << 10;
// While the server stops: the time for a request to arrive, and for a client to read its answer.
constexpr int kLastSeconds = 5;
constexpr auto kBeginning = std::chrono::seconds(1);  // a new request is not ended in this time
constexpr auto kPatience = std::chrono::milliseconds(250);  // before the first check of a client
constexpr char kFirstByte[] = "H";                          // of every answer: "HTTP/1.1 200 OK"
char drained[kLargeRead];  // discarded input; only one thread writes it

std::string text_of(boost::beast::string_view view) { return {view.data(), view.size()}; }

// Makes a text safe for a log: replaces bytes that a terminal could interpret as commands.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

// Whether a header line begins with white space, which continues the line before it.
bool has_folded_line(std::string_view lines) {
  return lines.find("\n ") != std::string_view::npos ||
         lines.find("\n\t") != std::string_view::npos;
}

// Why RFC 9112 (sections 3.2, 6.1 and 6.3) requires the request to be refused, or "". The end or
// the host of such a request is ambiguous, and a proxy may interpret it differently.
std::string framing_complaint(const http::request_header<>& header) {
  const bool old = header.version() < 11;
  const size_t hosts = header.count(http::field::host),
               encodings = header.count(http::field::transfer_encoding);
  if (hosts > 1) return "there is more than one Host";
  if (hosts == 0 && !old) return "Host is missing, which HTTP/1.1 requires";
  if (header[http::field::host].find_first_of(" \t,/?#@\\") != boost::beast::string_view::npos)
    return "Host is not a host and a port";
  if (encodings > 0 && old) return "HTTP/1.0 has no transfer encodings";
  if (encodings > 1 ||
      (encodings == 1 &&
       !boost::beast::iequals(header[http::field::transfer_encoding], "chunked"))) {
    return "this server takes only the transfer encoding chunked";
  }
  const auto length = header[http::field::content_length];
  const bool number =
      std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (header.count(http::field::content_length) > 1 || !number)
    return "Content-Length is not one number";
  return "";
}

Answer no_room_for_body() {
  return answer_of(Refusal(429, "overloaded",
                           "the memory for request bodies is full: send the request again later")
                       .after(1));
}

// The number of written bytes that the client has not acknowledged; -1 if the system does not
// report it.
int bytes_on_the_way(int socket) {
  int bytes = 0;
  return ::ioctl(socket, TIOCOUTQ, &bytes) == 0 ? bytes : -1;
}

}  // namespace

Session::Session(Server& server, asio::ip::tcp::socket socket)
    : server_(server), socket_(std::move(socket)),
      memory_(std::make_shared<Share>(server.service().memory())) {
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
  std::string().swap(head_);
  std::string().swap(body_);
  if (buffer_.size() > 0) return read_header();  // the next request arrived with the last one
  if (server_.stopping()) return close();
  buffer_ = boost::beast::flat_buffer(kMaxBuffer);
  enter(State::kIdle, server_.limits().idle_seconds);
  socket_.async_wait(asio::ip::tcp::socket::wait_read, [self = shared_from_this()](Error error) {
    error ? self->close() : self->read_header();
  });
}

void Session::read_header() {
  if (state_ == State::kClosed) return;
  enter(State::kHeader, server_.limits().header_seconds);
  late_ = unread_ = folded_ = false;
  header_bytes_ = told_ = 0;
  parser_.emplace();
  parser_->header_limit(kMaxHeaderBytes);
  parser_->body_limit(static_cast<uint64_t>(server_.limits().body_bytes));
  buffer_.reserve(kFirstRead);
  parse_header();
}

// We do not let Beast read the header: it would join folded lines silently, and accept a header of
// any length that arrives line by line.
void Session::parse_header() {
  const auto unread = [this] {
    return std::string_view(static_cast<const char*>(buffer_.data().data()), buffer_.size());
  };
  const auto consume = [this](size_t bytes) {
    header_bytes_ += bytes;
    buffer_.consume(bytes);
  };
  Error error = http::error::need_more;
  if (!parser_->got_some()) {  // RFC 9112, section 2.2: empty lines before a request are skipped
    while (unread().substr(0, 2) == "\r\n") consume(2);
  }
  if (!unread().empty() && unread() != "\r") {
    const size_t used = parser_->put(buffer_.data(), error);
    folded_ = folded_ || has_folded_line(unread().substr(0, used));
    consume(used);
  }
  if (error == http::error::need_more && header_bytes_ + buffer_.size() > kMaxHeaderBytes)
    error = http::error::header_limit;
  if (error != http::error::need_more) return header_read(error);
  socket_.async_read_some(buffer_.prepare(kFirstRead),
                          [self = shared_from_this()](Error problem, size_t bytes) {
                            if (problem || self->late_) return self->header_read(problem);
                            self->buffer_.commit(bytes);
                            self->parse_header();
                          });
}

// Answers a read error if the client is still connected.
bool Session::refuse_read(Error error) {
  if (state_ == State::kClosed) return false;
  if (late_) {
    ++server_.service().metrics().timeouts;
    const int seconds =
        state_ == State::kHeader ? server_.limits().header_seconds : server_.limits().body_seconds;
    refuse(408, "timeout", "the request was not complete within " + std::to_string(seconds) + " s");
    return true;
  }
  if (error == http::error::body_limit) {
    write(answer_of(body_too_long(server_.limits().body_bytes)), true);
    return true;
  }
  if (state_ == State::kBody && error == http::error::buffer_overflow) {
    refuse(400, "invalid_http",
           "the lines around the chunks of the body are longer than " + std::to_string(kMaxBuffer) +
               " bytes");
    return true;
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    refuse(431, "header_too_large",
           "the header is longer than " + std::to_string(kMaxHeaderBytes) + " bytes");
    return true;
  }
  const bool http_error =
      error.category() == http::make_error_code(http::error::end_of_stream).category();
  if (!http_error || error == http::error::end_of_stream || error == http::error::partial_message)
    return false;
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
  encoding_ = Encoding::kIdentity;
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
  if (!target.valid)
    return refuse(400, "invalid_http",
                  "the address in the request line needs a host and no user: GET http://host/path");
  const std::string complaint = folded_ ? "a header's line is folded" : framing_complaint(header);
  if (!complaint.empty()) return refuse(400, "invalid_http", complaint);
  const bool has_body = parser_->chunked() || parser_->content_length().value_or(0) > 0;
  if (has_body && header.count(http::field::content_encoding) > 0) {
    const bool one = header.count(http::field::content_encoding) == 1;
    encoding_ =
        one ? encoding_of(text_of(header[http::field::content_encoding])) : Encoding::kUnknown;
  }
  request.encoding = encoding_;
  if (std::optional<Answer> refusal = server_.router().refuse(request))
    return write(std::move(*refusal), has_body);
  if (!server_.service().memory()->has_room(
          static_cast<int64_t>(parser_->content_length().value_or(0))))
    return write(no_room_for_body(), true);
  // RFC 9110, section 10.1.1: HTTP/1.0 clients do not wait for 100 Continue.
  const bool waits =
      version_ >= 11 && boost::beast::iequals(header[http::field::expect], "100-continue");
  if (!waits || !has_body) return read_body();
  static const std::string kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  enter(State::kBody, server_.limits().body_seconds);
  asio::async_write(socket_, asio::buffer(kContinue),
                    [self = shared_from_this()](Error problem, size_t) {
                      problem ? self->close() : self->read_body();
                    });
}

void Session::read_body() {
  if (state_ == State::kClosed) return;
  enter(State::kBody, server_.limits().body_seconds);
  const auto length =
      static_cast<size_t>(parser_->content_length().value_or(parser_->chunked() ? kLargeRead : 0));
  buffer_.reserve(std::max(kFirstRead, std::min(length, kLargeRead)));
  parser_->eager(true);
  read_more();
}

// Memory is counted as bytes arrive: a length that a client only announces takes no memory from
// others.
void Session::read_more() {
  if (parser_->is_done()) return serve();
  http::async_read_some(socket_, buffer_, *parser_,
                        [self = shared_from_this()](Error error, size_t) {
                          self->body_read(error);
                        });
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
  request.encoding = encoding_;
  request.memory = memory_;
  request.abandoned = abandoned_;
  request.body = std::move(parser_->get().body());
  parser_.reset();
  const bool slow = request.body.size() > kInlineBody || encoding_ != Encoding::kIdentity ||
                    Router::is_slow(path_);
  const Exchange exchange(std::move(request), [self = shared_from_this()](Answer answer) mutable {
    asio::io_context& context = self->server_.context();
    asio::post(context, [self = std::move(self), answer = std::move(answer)]() mutable {
      self->write(std::move(answer), false);
    });
  });
  const Router& router = server_.router();
  if (slow) {
    server_.service().readers().post([exchange, &router, abandoned = abandoned_] {
      if (!*abandoned) router.serve(exchange);
    });
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
    answer = answer_of(Refusal(503, "overloaded",
                               "the memory for answers is full, because clients do not read them: "
                               "send the request again later")
                           .after(1));
  }
  keep_alive_ = keep_alive_ && !unread && !server_.stopping();
  status_ = answer.status;
  head_ = head_of(answer);
  if (method_ != "HEAD") body_ = std::move(answer.body);
  const std::array<asio::const_buffer, 2> bytes{asio::buffer(head_) + told_, asio::buffer(body_)};
  asio::async_write(socket_, bytes,
                    [self = shared_from_this()](Error error, size_t) { self->written(error); });
}

std::string Session::head_of(const Answer& answer) const {
  const std::vector<std::string>& origins = server_.service().settings().origins;
  const bool old = version_ < 11;
  std::string head =
      std::string("HTTP/1.") + (old ? "0 " : "1 ") + std::to_string(answer.status) + " ";
  head += text_of(http::obsolete_reason(static_cast<http::status>(answer.status))) + "\r\n";
  const auto add = [&](const std::string& name, const std::string& value) {
    head += name + ": " + value + "\r\n";
  };
  add("Date", http_date(std::time(nullptr)));
  add("Server", "contrastive");
  if (!answer.type.empty()) add("Content-Type", answer.type);
  if (answer.status != 204) add("Content-Length", std::to_string(answer.body.size()));
  add("X-Content-Type-Options", "nosniff");
  add("Cache-Control", "no-store");
  if (keep_alive_ == old) add("Connection", old ? "keep-alive" : "close");
  for (const auto& [name, value] : answer.headers) add(name, value);
  if (!origins.empty()) add("Vary", "Origin");
  if (is_listed(origin_, origins)) {
    add("Access-Control-Allow-Origin", origin_);
    add("Access-Control-Expose-Headers", "Contrastive-Cut-Texts, Retry-After");
  }
  return head + "\r\n";
}

void Session::written(Error error) {
  if (state_ == State::kClosed) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  server_.service().metrics().answered(Router::route_name(path_), status_, seconds);
  if (server_.logs())
    std::fprintf(stderr, "%s %s %d %.1f ms\n", method_.c_str(), printable(path_).c_str(), status_,
                 1000 * seconds);
  if (late_) ++server_.service().metrics().timeouts;
  if (error || late_) return close();
  if (keep_alive_) return wait();
  if (!unread_) return close();
  // Closing a connection with unread input resets it, and the client may lose the answer.
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

void Session::refuse(int status, const std::string& code, const std::string& message) {
  write(answer_of(Refusal(status, code, message)), true);
}

// A client that has closed its connection and one that has only shut down its sending side look the
// same until something is sent. So the first byte of the answer is sent early. The system of the
// first client resets the connection; the second client gets the start of its answer.
bool Session::client_left() {
  const int socket = socket_.native_handle();
  pollfd state{socket, 0, 0};
  if (::poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLHUP)) != 0) return true;
  char byte = 0;
  const ssize_t got = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got < 0) return errno != EAGAIN && errno != EINTR;
  if (got == 0 && told_ == 0 && ::send(socket, kFirstByte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1)
    told_ = 1;
  return false;
}

void Session::check(Clock::time_point now) {
  if (state_ == State::kBusy) {
    if (now < deadline_ + kPatience) return;
    if (client_left()) {  // nobody needs the result
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
  if (state_ == State::kWriting)
    return now < taken_ + kBeginning ? std::nullopt : std::optional(Waiting(3, taken_));
  const bool waits =
      state_ == State::kHeader || state_ == State::kBody || state_ == State::kDraining;
  if (!waits || now < since_ + kBeginning) return std::nullopt;
  return Waiting(state_ == State::kBody ? 2 : 1, since_);
}

bool Session::unfinished(Clock::time_point now) const {
  return state_ == State::kBusy || (state_ == State::kWriting && !waits(now));
}

void Session::stop() {
  if (state_ == State::kIdle) return close();
  if (state_ == State::kHeader || state_ == State::kBody)
    deadline_ = std::min(deadline_, Clock::now() + std::chrono::seconds(kLastSeconds));
}

void Session::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  Error ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

}  // namespace contrastive::cli::serve
