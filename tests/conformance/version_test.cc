// Versions, attributes of the installation, and which processors run the same binaries.
#include "conformance/configuration_fixture.h"

namespace conformance {
namespace {

class Version : public WithFiles {
 protected:
  static char* Name(const char* name) { return const_cast<char*>(name); }
};

TEST_F(Version, TextAndNumberSayTheSame) {
  for (const char* package : {"cann", "runtime", "driver"}) {
    char text[ACL_PKG_VERSION_MAX_SIZE];
    std::memset(text, 'x', sizeof text);
    ASSERT_OK(aclsysGetVersionStr(Name(package), text));
    int major = -1;
    int minor = -1;
    int release = -1;
    char behind = 0;
    ASSERT_EQ(3, std::sscanf(text, "%d.%d.%d%c", &major, &minor, &release, &behind)) << text;
    int32_t number = -1;
    ASSERT_OK(aclsysGetVersionNum(Name(package), &number));
    EXPECT_EQ(major * 10000000 + minor * 100000 + release * 1000, number);
    EXPECT_GE(number, 80000000);
  }
}

TEST_F(Version, PackagesThatAreNotHereAreNamed) {
  for (const char* package : {"opp", "hccl", "compiler", "toolkit", "opp_kernel", "no_such", ""}) {
    char text[ACL_PKG_VERSION_MAX_SIZE];
    std::memset(text, 0x5A, sizeof text);
    auto number = Untouched<int32_t>();
    EXPECT_CODE(ACL_ERROR_INVALID_FILE, aclsysGetVersionStr(Name(package), text)) << package;
    EXPECT_EQ(0x5A, text[0]);
    EXPECT_EQ(ACL_ERROR_INVALID_FILE, aclsysGetVersionNum(Name(package), &number)) << package;
    EXPECT_TRUE(IsUntouched(number));
    EXPECT_NE(std::string::npos, Messages().find(package));
  }
}

TEST_F(Version, NullIsRefused) {
  char text[ACL_PKG_VERSION_MAX_SIZE];
  int32_t number = 0;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr(nullptr, text));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr(Name("runtime"), nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(nullptr, &number));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(Name("runtime"), nullptr));
}

TEST_F(Version, OlderFormHasTheParts) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  aclCANNPackageVersion version;
  for (const aclCANNPackageName name : {ACL_PKG_NAME_CANN, ACL_PKG_NAME_RUNTIME, ACL_PKG_NAME_DRIVER}) {
    ASSERT_OK(aclsysGetCANNVersion(name, &version));
    char text[ACL_PKG_VERSION_MAX_SIZE];
    ASSERT_OK(aclsysGetVersionStr(Name("runtime"), text));
    EXPECT_STREQ(text, version.version);
    EXPECT_EQ(text, std::string(version.majorVersion) + "." + version.minorVersion + "." + version.releaseVersion);
    EXPECT_STREQ("", version.patchVersion);
  }
  version = Untouched<aclCANNPackageVersion>();
  EXPECT_CODE(ACL_ERROR_INVALID_FILE, aclsysGetCANNVersion(ACL_PKG_NAME_OPP, &version));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion(NoSuch<aclCANNPackageName>(8), &version));
  EXPECT_TRUE(IsUntouched(version));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr));
#pragma GCC diagnostic pop
}

TEST_F(Version, AttributesAreThoseOfThePart) {
  const auto value = [](aclCannAttr attribute) {
    int32_t has = -1;
    EXPECT_OK(aclGetCannAttribute(attribute, &has));
    return has;
  };
  const auto listed = [&] {
    const aclCannAttr* list = nullptr;
    size_t count = 99;
    EXPECT_OK(aclGetCannAttributeList(&list, &count));
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(1, value(list[i]));
    return count;
  };
  EXPECT_EQ(1, value(ACL_CANN_ATTR_INF_NAN));
  EXPECT_EQ(1, value(ACL_CANN_ATTR_BF16));
  EXPECT_EQ(0, value(ACL_CANN_ATTR_JIT_COMPILE));
  EXPECT_EQ(2U, listed());
  ASSERT_OK(aclInit(Write(R"({"forebay": {"soc": "Ascend310P3"}})").c_str()));
  EXPECT_EQ(0, value(ACL_CANN_ATTR_BF16));
  EXPECT_EQ(0U, listed());
  auto untouched = Untouched<int32_t>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &untouched));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute(NoSuch<aclCannAttr>(3), &untouched));
  EXPECT_TRUE(IsUntouched(untouched));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute(ACL_CANN_ATTR_BF16, nullptr));
  const aclCannAttr* list = nullptr;
  size_t count = 0;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclGetCannAttributeList(nullptr, &count));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclGetCannAttributeList(&list, nullptr));
}

TEST_F(Version, PartsOfOneArchitectureRunTheSameBinaries) {
  const auto runs = [](const char* soc) {
    int32_t can = -1;
    EXPECT_OK(aclrtCheckArchCompatibility(soc, &can));
    return can;
  };
  EXPECT_EQ(1, runs("Ascend910B3"));
  EXPECT_EQ(1, runs("Ascend910B1"));
  EXPECT_EQ(1, runs("Ascend910_9391"));
  for (const char* soc : {"Ascend910", "Ascend910A", "Ascend310P3", "Ascend310", "Ascend950PR", "no_such", ""}) {
    EXPECT_EQ(0, runs(soc)) << soc;
  }
  ASSERT_OK(aclInit(Write(R"({"forebay": {"soc": "Ascend310P3"}})").c_str()));
  EXPECT_EQ(1, runs("Ascend310P1"));
  EXPECT_EQ(0, runs("Ascend910B3"));
  int32_t can = 0;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckArchCompatibility(nullptr, &can));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckArchCompatibility("Ascend910B3", nullptr));
}

}  // namespace
}  // namespace conformance
