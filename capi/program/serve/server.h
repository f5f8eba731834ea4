// The listening socket, the connections, and the timer that ends slow connections. One thread does
// all network I/O.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "capi/program/serve/router.h"

namespace contrastive::cli::serve {

class Session;

class Server {
 public:
  // Binds the address. A Failure if it is invalid or in use.
  explicit Server(const ServeSettings& settings);
  ~Server();

  std::string url() const;
  // The page's address, for a browser on this machine.
  std::string page_url() const;
  int port() const { return acceptor_.local_endpoint().port(); }
  // Starts to accept connections. They are answered in run().
  void listen();

  // Serves until the first SIGTERM or SIGINT, then finishes running requests. A Failure if that
  // takes longer than allowed.
  void run(Service& service);

  // For sessions, on the server's thread.
  boost::asio::io_context& context() { return context_; }
  Service& service() { return *service_; }
  const Router& router() const { return *router_; }
  const Limits& limits() const { return settings_.limits; }
  bool logs() const { return settings_.log_requests; }
  bool stopping() const { return service_->stopping(); }
  void joined(Session* session) { sessions_.insert(session); }
  void left(Session* session);

 private:
  void run_handlers();
  void accept();
  void accepted(boost::asio::ip::tcp::socket socket);
  bool make_room();  // ends connections that wait for their clients; false if all are busy
  void sweep();      // runs regularly and ends late connections
  void check_sessions(std::chrono::steady_clock::time_point now);
  void wait_for_hangup();
  void stop();

  const ServeSettings& settings_;
  std::unordered_set<Session*> sessions_;  // must outlive the handlers in context_
  Service* service_ = nullptr;
  boost::asio::io_context context_{1};
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  boost::asio::ip::tcp::acceptor acceptor_{context_};
  boost::asio::steady_timer sweeper_{context_}, accept_again_{context_};
  boost::asio::signal_set hangup_{context_};
  std::chrono::steady_clock::time_point stop_deadline_;
  std::optional<Router> router_;
  size_t most_connections_ = 0;
  bool reloading_ = false, reload_again_ = false, late_ = false;
};

}  // namespace contrastive::cli::serve
