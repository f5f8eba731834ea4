#include "capi/program/serve/server.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

#include "capi/program/failure.h"
#include "capi/program/serve/session.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::serve {
namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;
namespace {

constexpr auto kSweep = std::chrono::milliseconds(250);
constexpr auto kAcceptAgain = std::chrono::milliseconds(100);
constexpr size_t kRoomDivisor = 128;  // if there are too many, 1 / 128 of all connections are ended
constexpr size_t kSpareDescriptors = 64;   // the most that a reload and the next connection need
constexpr int kCountedDescriptors = 1024;  // descriptors open at the start are below this number

asio::ip::address address_of(const std::string& host) {
  Error error;
  const asio::ip::address address =
      asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (error)
    throw usage_failure("--host '" + host +
                        "' is not an address: use 127.0.0.1, 0.0.0.0, ::1, ...");
  return address;
}

size_t open_descriptors() {
  size_t open = 0;
  for (int i = 0; i < kCountedDescriptors; ++i) open += ::fcntl(i, F_GETFD) != -1 ? 1 : 0;
  return open;
}

// How many connections the limit of open files allows, after raising it as far as the system
// permits. If the limit is small, connections get half of the free descriptors.
size_t connections_possible(int wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return static_cast<size_t>(wanted);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  const size_t open = open_descriptors(), all = static_cast<size_t>(limit.rlim_cur);
  const size_t left = all > open ? all - open : 0;
  const size_t room = std::max<size_t>(1, left - std::min(left / 2, kSpareDescriptors));
  if (room < static_cast<size_t>(wanted)) {
    print_warning("the limit of open files leaves room for " + std::to_string(room) +
                  " connections, not " + std::to_string(wanted) + ": raise it with ulimit -n");
  }
  return std::min(room, static_cast<size_t>(wanted));
}

}  // namespace

Server::Server(const ServeSettings& settings) : settings_(settings) {
  std::signal(SIGHUP, SIG_IGN);  // until there is something to read again
  const tcp::endpoint endpoint(address_of(settings.host), static_cast<uint16_t>(settings.port));
  Error error;
  const auto step = [&](const char* what) {
    if (!error) return;
    const std::string hint =
        error == asio::error::address_in_use
            ? "another program listens there: choose another --port, or 0 for any that is free"
        : error == asio::error::access_denied
            ? "ports below 1024 need a privilege: choose another --port"
            : "";
    throw Failure(kExitFiles, "IO",
                  std::string("cannot ") + what + " " + settings_.host + ":" +
                      std::to_string(settings_.port) + ": " + error.message(),
                  hint);
  };
  acceptor_.open(endpoint.protocol(), error), step("open");
  acceptor_.set_option(asio::socket_base::reuse_address(true), error), step("open");
  acceptor_.bind(endpoint, error), step("listen on");
}

Server::~Server() { service_ = nullptr; }  // the service is already destroyed

std::string Server::url() const {
  const tcp::endpoint endpoint = acceptor_.local_endpoint();
  const std::string host = endpoint.address().to_string();
  return "http://" + (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(endpoint.port());
}

std::string Server::page_url() const {
  const tcp::endpoint endpoint = acceptor_.local_endpoint();
  if (!endpoint.address().is_unspecified()) return url() + "/";
  return std::string(endpoint.address().is_v6() ? "http://[::1]:" : "http://127.0.0.1:") +
         std::to_string(endpoint.port()) + "/";
}

void Server::listen() {
  most_connections_ = connections_possible(settings_.limits.connections);
  Error error;
  acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) throw Failure(kExitFiles, "IO", "cannot listen on " + url() + ": " + error.message());
}

void Server::run(Service& service) {
  service_ = &service;
  router_.emplace(service);
  work_.emplace(context_.get_executor());
  hangup_.add(SIGHUP);
  wait_for_hangup();
  accept();
  sweep();
  set_stop_hook([this] { asio::post(context_, [this] { stop(); }); });
  run_handlers();
  set_stop_hook({});
  if (!sessions_.empty()) service.give_up();  // also requests of clients that have gone
  if (!late_) {
    if (input_is_awaited())
      std::_Exit(kExitOk);  // a reload waits for its corpus, perhaps a pipe without a writer
    return;
  }
  throw Failure(kExitFailure, cs_status_name(CS_ERROR_BUSY),
                "some requests were not finished " + std::to_string(settings_.limits.stop_seconds) +
                    " s after the signal to stop");
}

// If memory runs out, the current connection ends and the others continue.
void Server::run_handlers() {
  for (;;) {
    try {
      context_.run();
      return;
    } catch (const std::exception& problem) {
      print_warning(std::string("a connection was ended: ") + problem.what());
    }
  }
}

void Server::accept() {
  acceptor_.async_accept([this](Error error, tcp::socket socket) {
    if (!acceptor_.is_open()) return;
    bool pause = error && error != asio::error::connection_aborted;
    try {
      if (!error) accepted(std::move(socket));
      if (error == asio::error::no_descriptors) pause = !make_room();
    } catch (const std::exception& problem) {
      print_warning(std::string("a connection was not taken: ") + problem.what());
      pause = true;
    }
    if (!pause) return accept();
    // No descriptors or no memory: until the next try, connections wait in the system's queue.
    accept_again_.expires_after(kAcceptAgain);
    accept_again_.async_wait([this](Error problem) {
      if (!problem && acceptor_.is_open()) accept();
    });
  });
}

void Server::accepted(tcp::socket socket) {
  Metrics& metrics = service_->metrics();
  if (sessions_.size() < most_connections_ || make_room()) {
    ++metrics.connections_accepted;
    metrics.connections = static_cast<int64_t>(sessions_.size()) + 1;
    // A session is destroyed on the server's thread, whichever thread releases it last.
    const auto end = [this](Session* session) {
      asio::dispatch(context_, [ended = std::unique_ptr<Session>(session)] {});
    };
    std::shared_ptr<Session>(new Session(*this, std::move(socket)), end)->start();
    return;
  }
  ++metrics.connections_refused;
  const std::string body =
      answer_of(Refusal(503, "too_many_connections",
                        "all connections of the server are in use: try again later"))
          .body;
  const std::string full =
      "HTTP/1.1 503 Service Unavailable\r\nDate: " + http_date(std::time(nullptr)) +
      "\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: "
      "close\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  Error ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(full), ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

bool Server::make_room() {
  const auto now = std::chrono::steady_clock::now();
  std::vector<std::pair<Session::Waiting, Session*>> waiting;
  for (Session* session : sessions_) {
    if (const std::optional<Session::Waiting> since = session->waits(now))
      waiting.emplace_back(*since, session);
  }
  const size_t some = std::min(waiting.size(), 1 + most_connections_ / kRoomDivisor);
  std::partial_sort(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(some),
                    waiting.end());
  for (size_t i = 0; i < some; ++i) waiting[i].second->close();
  service_->metrics().connections_evicted += static_cast<int64_t>(some);
  return some > 0;
}

void Server::left(Session* session) {
  sessions_.erase(session);
  if (service_ != nullptr) service_->metrics().connections = static_cast<int64_t>(sessions_.size());
}

void Server::sweep() {
  const auto now = std::chrono::steady_clock::now();
  try {
    check_sessions(now);
  } catch (const std::exception& problem) {  // out of memory: the next sweep tries again
    print_warning(std::string("connections were not looked after: ") + problem.what());
  }
  if (stopping()) {
    if (sessions_.empty()) return work_.reset();
    // Connections that only wait for their client do not count as unfinished.
    if (now >= stop_deadline_) {
      late_ = std::any_of(sessions_.begin(), sessions_.end(),
                          [now](const Session* session) { return session->unfinished(now); });
      return context_.stop();
    }
  }
  sweeper_.expires_after(kSweep);
  sweeper_.async_wait([this](Error error) {
    if (!error) sweep();
  });
}

void Server::check_sessions(std::chrono::steady_clock::time_point now) {
  const std::vector<Session*> all(sessions_.begin(), sessions_.end());
  for (Session* session : all) session->check(now);
}

void Server::wait_for_hangup() {
  hangup_.async_wait([this](Error error, int) {
    if (error) return;
    wait_for_hangup();
    reload_again_ = true;
    if (reloading_) return;  // reloads again after the running one
    reloading_ = true;
    reload_again_ = false;
    service_->reloader().post([this] {
      service_->reload();
      asio::post(context_, [this] {
        reloading_ = false;
        if (reload_again_ && !stopping()) std::raise(SIGHUP);
      });
    });
  });
}

void Server::stop() {
  if (stopping()) return;
  service_->stop();
  stop_deadline_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(settings_.limits.stop_seconds);
  Error ignored;
  acceptor_.close(ignored);
  accept_again_.cancel();
  hangup_.cancel(ignored);
  const std::vector<Session*> all(sessions_.begin(), sessions_.end());
  for (Session* session : all) session->stop();
}

}  // namespace contrastive::cli::serve
