#include "core/torch/dist/store.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <filesystem>

#include "core/base/file.h"
#include "tests/core/torch/dist/ranks.h"
#include "tests/core/torch/dist/signal_masks.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::dist {
namespace {

// A port of this machine on which another process listens.
class TakenPort {
 public:
  TakenPort() : socket_(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in6 own{};
    own.sin6_family = AF_INET6;
    socklen_t length = sizeof own;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&own), length), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&own), &length), 0);
    port_ = ntohs(own.sin6_port);
  }
  int port() const { return port_; }
  void release() { socket_.close(); }

 private:
  Descriptor socket_;
  int port_ = 0;
};

// Two clients of one store see each other's values.
void expect_shared(Store& one, Store& two) {
  EXPECT_FALSE(two.has("name"));
  one.set("name", "value");
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
       !two.has("name");) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
  }
  EXPECT_EQ(two.get("name"), "value");
  EXPECT_EQ(one.add("count", 2), 2);
  EXPECT_EQ(two.add("count", 3), 5);
  EXPECT_EQ(one.clone()->get("count"), "5");
}

TEST(StoreAddress, IsRead) {
  EXPECT_EQ(parse_store("tcp://host.example:80").text(), "tcp://host.example:80");
  EXPECT_EQ(parse_store("tcp://[::1]:80").host, "::1");
  EXPECT_EQ(parse_store("tcp://[::1]:80").text(), "tcp://[::1]:80");
  EXPECT_EQ(parse_store("file:///a/b").path, "/a/b");
  for (const char* bad : {"", "tcp://", "tcp://host", "tcp://host:", "tcp://:80", "tcp://host:0",
                          "tcp://host:65536", "tcp://host:x", "http://host:80"}) {
    SCOPED_TRACE(bad);
    expect_error(Status::kArgument, "dist.store", [&] { parse_store(bad); });
  }
  expect_error(Status::kArgument, "three slashes", [&] { parse_store("file://a"); });
}

TEST(Store, InProcess) {
  const auto store = Store::in_process();
  expect_shared(*store, *store->clone());
}

TEST(Store, File) {
  const TemporaryFolder folder;
  const StoreAddress address = parse_store("file://" + folder.path() + "/store");
  const auto one = Store::at(address, 0, 2, Milliseconds(5000)),
             two = Store::at(address, 1, 2, Milliseconds(5000));
  expect_shared(*one, *two);
}

TEST(Store, FilesThatAreNone) {
  const TemporaryFolder folder;
  const auto open = [&](const std::string& path) {
    Store::at(parse_store("file://" + path), 0, 2, Milliseconds(2000));
  };
  expect_error(Status::kDistributed, "there is no folder " + folder.path() + "/missing",
               [&] { open(folder.path() + "/missing/store"); });
  expect_error(Status::kArgument, folder.path(), [&] { open(folder.path()); });
  const std::string text = folder.path() + "/text";
  {
    Descriptor file = create_file(text);
    write_all(file.get(), "a text that somebody else wrote\n", text);
  }
  expect_error(Status::kDistributed, "contains something other than a store", [&] { open(text); });
  EXPECT_EQ(read_file(text, 1000), "a text that somebody else wrote\n");
}

TEST(Store, Tcp) {
  TakenPort port;
  const StoreAddress address = parse_store(cat("tcp://127.0.0.1:", port.port()));
  expect_error(Status::kDistributed,
               cat("cannot listen on port ", port.port(), ": another program does"),
               [&] { Store::at(address, 0, 2, Milliseconds(2000)); });
  port.release();
  const auto before = signal_masks();
  auto one = Store::at(address, 0, 2, Milliseconds(5000));
  expect_new_threads_block_signals(before, 2);  // of the server and of its client
  const auto two = Store::at(address, 1, 2, Milliseconds(5000));
  expect_shared(*one, *two);
  one.reset();
  expect_error(Status::kDistributed, "rank 0, which keeps the store at", [&] { two->has("name"); });
}

TEST(Store, RankZeroThatIsNotThere) {
  TakenPort port;
  port.release();
  const StoreAddress address = parse_store(cat("tcp://127.0.0.1:", port.port()));
  expect_error(Status::kDistributed, "rank 1 did not reach rank 0 at tcp://",
               [&] { Store::at(address, 1, 2, Milliseconds(1000)); });
}

}  // namespace
}  // namespace contrastive::dist
