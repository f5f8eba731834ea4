#include "core/runtime/libtorch_places.h"

#include <gmock/gmock.h>

#include <map>

#include "tests/temporary_folder.h"

namespace contrastive::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::map<std::string, std::string> environment;

std::string variable(const char* name) { return environment[name]; }

class LibtorchPlaces : public testing::Test {
 protected:
  LibtorchPlaces() { environment.clear(); }

  // A folder with the files that the search looks for.
  std::string libtorch(const std::string& folder) {
    std::filesystem::create_directories(folder_ / folder);
    folder_.write(folder + "/libtorch_cpu.so", "");
    return folder_ / folder;
  }
  // The places of a search that finds nothing outside the folder of this test.
  std::vector<std::string> found(const SearchContext& context) const {
    std::vector<std::string> folders;
    for (const LibtorchPlace& place : libtorch_places(context)) {
      if (place.folder.rfind("/usr/", 0) != 0)
        folders.push_back(place.folder);  // this machine's own Python
    }
    return folders;
  }
  SearchContext context() const {
    return {"", folder_ / "own", folder_ / "recorded", "2.11.0", variable};
  }

  TemporaryFolder folder_;
};

TEST_F(LibtorchPlaces, NothingIsFoundWhereThereIsNothing) {
  EXPECT_THAT(found(context()), ElementsAre(""));
}

TEST_F(LibtorchPlaces, StandInTheOrderOfTheSearch) {
  const std::string own = libtorch("own"), recorded = libtorch("recorded"),
                    cache = libtorch("home/.cache/libcontrastive/libtorch-2.11.0/torch/lib");
  const std::string python = libtorch("venv/lib/python3.11/site-packages/torch/lib"),
                    older = libtorch("venv/lib/python3.10/site-packages/torch/lib");
  libtorch("home/.cache/libcontrastive/libtorch-2.10.0/torch/lib");  // of another version than this
                                                                     // build
  environment = {{"HOME", folder_ / "home"}, {"VIRTUAL_ENV", folder_ / "venv"}};
  EXPECT_THAT(found(context()), ElementsAre(own, recorded, cache, python, older, ""));
}

TEST_F(LibtorchPlaces, OneThatIsNamedIsTheOnlyOne) {
  libtorch("own");
  const std::string named = libtorch("named/torch/lib");
  environment = {{"CONTRASTIVE_LIBTORCH", folder_ / "named"}};
  EXPECT_THAT(found(context()), ElementsAre(named));
  SearchContext call = context();
  call.named = libtorch("called/lib");  // lib itself, which has priority over the variable
  EXPECT_THAT(found(call), ElementsAre(call.named));
  EXPECT_TRUE(libtorch_places(call)[0].binding);
  call.named = folder_ / "nothing";
  EXPECT_THAT(found(call), ElementsAre(call.named));  // for the message
}

TEST_F(LibtorchPlaces, TheCacheIsWhereTheEnvironmentSays) {
  const std::string own = libtorch("deps/libtorch-2.11.0/torch/lib"),
                    caches = libtorch("caches/libcontrastive/libtorch-2.11.0/torch/lib");
  environment = {{"XDG_CACHE_HOME", folder_ / "caches"}};
  EXPECT_THAT(found(context()), ElementsAre(caches, ""));
  environment["CONTRASTIVE_DEPS"] = folder_ / "deps";
  EXPECT_THAT(found(context()), ElementsAre(own, ""));
}

TEST_F(LibtorchPlaces, VersionsAreReadBesideTheLibraries) {
  const std::string wheel = libtorch("wheel/torch/lib"), archive = libtorch("archive/lib"),
                    silent = libtorch("silent/lib");
  folder_.write("wheel/torch/version.py",
                "from typing import Optional\n\n__all__ = ['__version__', 'debug', "
                "'cuda']\n__version__ = '2.11.0+cpu'\n"
                "debug = False\n");
  folder_.write("archive/build-version", "2.9.1+cu128\n");
  EXPECT_EQ(libtorch_version(wheel), "2.11.0+cpu");
  EXPECT_EQ(libtorch_version(archive), "2.9.1+cu128");
  EXPECT_THAT(libtorch_version(silent), IsEmpty());
  folder_.write("silent/version.py", "__version__");
  EXPECT_THAT(libtorch_version(silent), IsEmpty());
}

TEST_F(LibtorchPlaces, MinorVersionDropsPatchAndBuild) {
  EXPECT_EQ(minor_version("2.11.0+cpu"), "2.11");
  EXPECT_EQ(minor_version("2.11"), "2.11");
  EXPECT_EQ(minor_version("2.1.10"), "2.1");
  EXPECT_EQ(minor_version("2.10.so.0"), "2.10");
  EXPECT_EQ(minor_version(""), "");
}

}  // namespace
}  // namespace contrastive::runtime
