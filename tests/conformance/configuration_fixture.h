// Tests that start with configuration files of their own.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "conformance/support.h"

namespace conformance {

class WithFiles : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(testing::TempDir()) / ("forebay_files_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override {
    aclFinalize();
    Messages();
    std::filesystem::remove_all(directory_);
  }
  std::string Write(const std::string& content, const std::string& name = "acl.json") {
    const std::string path = (directory_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  // What starting with this configuration answers. Nothing stays started.
  aclError Try(const std::string& content) {
    const aclError code = aclInit(Write(content).c_str());
    if (code == ACL_SUCCESS) {
      EXPECT_OK(aclFinalize());
    }
    return code;
  }

  std::filesystem::path directory_;
};

}  // namespace conformance
