// What is known of the system: versions, attributes, and which processors run the same binaries.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "forebay/base/soc_profile.h"
#include "forebay/runtime/device_state.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

// The CANN release whose interface the headers describe. Its runtime and its driver are what this library stands for.
constexpr int32_t kMajor = 9;
constexpr int32_t kMinor = 0;
constexpr int32_t kRelease = 0;

struct PackageRow {
  aclCANNPackageName number;
  const char* name;
  bool is_there;
};
constexpr PackageRow kPackages[] = {
    {ACL_PKG_NAME_CANN, "cann", true},
    {ACL_PKG_NAME_RUNTIME, "runtime", true},
    {ACL_PKG_NAME_COMPILER, "compiler", false},
    {ACL_PKG_NAME_HCCL, "hccl", false},
    {ACL_PKG_NAME_TOOLKIT, "toolkit", false},
    {ACL_PKG_NAME_OPP, "opp", false},
    {ACL_PKG_NAME_OPP_KERNEL, "opp_kernel", false},
    {ACL_PKG_NAME_DRIVER, "driver", true},
};

Status CheckIsThere(const PackageRow& row) {
  if (row.is_there) return {};
  return Status(Code::kInvalidFile, fmt::format("the package \"{}\" is not part of Forebay", row.name),
                "Ask for cann, runtime or driver");
}

Status CheckPackage(const char* name) {
  for (const PackageRow& row : kPackages) {
    if (std::strcmp(row.name, name) == 0) return CheckIsThere(row);
  }
  return Status(Code::kInvalidFile, fmt::format("there is no package \"{}\"", name), "Ask for cann, runtime or driver");
}

std::string VersionText() { return fmt::format("{}.{}.{}", kMajor, kMinor, kRelease); }

template <std::size_t Size>
void Put(char (&field)[Size], const std::string& text) {
  text.copy(field, Size - 1);
}

// The generations whose arithmetic has infinities are those that have bfloat16; kernels are never compiled when they
// are launched.
bool Has(aclCannAttr attribute) {
  const base::SocProfile* part = base::FindSocProfile(runtime::CurrentConfiguration().soc);
  return attribute != ACL_CANN_ATTR_JIT_COMPILE && part->generation->inf_nan_mode;
}

constexpr aclCannAttr kAttributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};

}  // namespace

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  return Guard("aclsysGetCANNVersion", [&]() -> Status {
    if (version == nullptr) return NullArgument("version");
    const auto row = std::find_if(std::begin(kPackages), std::end(kPackages),
                                  [&](const PackageRow& candidate) { return candidate.number == name; });
    if (row == std::end(kPackages)) {
      return Status(Code::kInvalidParam, fmt::format("there is no package {}", static_cast<int>(name)),
                    "See aclCANNPackageName");
    }
    RETURN_IF_ERROR(CheckIsThere(*row));
    *version = {};
    Put(version->version, VersionText());
    Put(version->majorVersion, std::to_string(kMajor));
    Put(version->minorVersion, std::to_string(kMinor));
    Put(version->releaseVersion, std::to_string(kRelease));
    return {};
  });
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  return Guard("aclsysGetVersionStr", [&]() -> Status {
    if (pkgName == nullptr || versionStr == nullptr) return NullArgument(pkgName == nullptr ? "pkgName" : "versionStr");
    RETURN_IF_ERROR(CheckPackage(pkgName));
    const std::string text = VersionText();
    std::memcpy(versionStr, text.c_str(), text.size() + 1);
    return {};
  });
}

aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  return Guard("aclsysGetVersionNum", [&]() -> Status {
    if (pkgName == nullptr || versionNum == nullptr) return NullArgument(pkgName == nullptr ? "pkgName" : "versionNum");
    RETURN_IF_ERROR(CheckPackage(pkgName));
    *versionNum = kMajor * 10'000'000 + kMinor * 100'000 + kRelease * 1'000;
    return {};
  });
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return Guard("aclGetCannAttribute", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    if (std::find(std::begin(kAttributes), std::end(kAttributes), cannAttr) == std::end(kAttributes)) {
      return Status(Code::kInvalidParam, fmt::format("there is no attribute {}", static_cast<int>(cannAttr)),
                    "See aclCannAttr");
    }
    *value = Has(cannAttr) ? 1 : 0;
    return {};
  });
}

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  return Guard("aclGetCannAttributeList", [&]() -> Status {
    if (cannAttrList == nullptr || num == nullptr)
      return NullArgument(cannAttrList == nullptr ? "cannAttrList" : "num");
    *cannAttrList = kAttributes;
    // Those that the part has come first.
    *num = static_cast<std::size_t>(std::count_if(std::begin(kAttributes), std::end(kAttributes), Has));
    return {};
  });
}

aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible) {
  return Guard("aclrtCheckArchCompatibility", [&]() -> Status {
    if (socVersion == nullptr || canCompatible == nullptr)
      return NullArgument(socVersion == nullptr ? "socVersion" : "canCompatible", Code::kParamInvalid);
    const base::SocProfile* asked = base::FindSocProfile(socVersion);
    const base::SocProfile* part = base::FindSocProfile(runtime::CurrentConfiguration().soc);
    *canCompatible = asked != nullptr && asked->generation->npu_arch == part->generation->npu_arch ? 1 : 0;
    return {};
  });
}
