// Memory that several processes use.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <filesystem>

#include "conformance/support.h"

extern char** environ;

namespace conformance {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

// A sharing_program.
class Other {
 public:
  Other() {
    int to[2];
    int from[2];
    EXPECT_EQ(0, pipe2(to, O_CLOEXEC));
    EXPECT_EQ(0, pipe2(from, O_CLOEXEC));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    const char* path = std::getenv("TEST_SHARING_PROGRAM");
    char* arguments[] = {const_cast<char*>(path), nullptr};
    EXPECT_EQ(0, posix_spawn(&process_, path, &actions, nullptr, arguments, environ));
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    to_ = fdopen(to[1], "w");
    from_ = fdopen(from[0], "r");
  }
  ~Other() { End(); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  std::string Ask(const std::string& command) {
    std::fprintf(to_, "%s\n", command.c_str());
    std::fflush(to_);
    char line[256] = "";
    if (std::fgets(line, sizeof line, from_) == nullptr) return "ended";
    line[std::strcspn(line, "\n")] = 0;
    return line;
  }
  int32_t process() { return std::stoi(Ask("process")); }
  void Kill() {
    kill(process_, SIGKILL);
    End();
  }
  int End() {
    if (process_ < 0) return 0;
    std::fclose(to_);
    std::fclose(from_);
    int status = -1;
    waitpid(process_, &status, 0);
    process_ = -1;
    return status;
  }

 private:
  pid_t process_ = -1;
  FILE* to_ = nullptr;
  FILE* from_ = nullptr;
};

class MemorySharing : public WithDevice {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "forebay_sharing_" + std::to_string(getpid());
    std::filesystem::create_directory(directory_);
    setenv("XDG_RUNTIME_DIR", directory_.c_str(), 1);
    WithDevice::SetUp();
  }
  void TearDown() override {
    WithDevice::TearDown();
    EXPECT_EQ(0, Records());
    std::filesystem::remove_all(directory_);
    unsetenv("XDG_RUNTIME_DIR");
  }
  std::ptrdiff_t Records() const {
    std::error_code none;
    const std::filesystem::directory_iterator entries(directory_ + "/forebay", none);
    return none ? 0 : std::distance(begin(entries), end(entries));
  }
  static std::size_t FreeBytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
  }
  static aclrtDrvMemHandle Physical() {
    aclrtPhysicalMemProp properties{};
    properties.memAttr = ACL_HBM_MEM_HUGE;
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    aclrtDrvMemHandle handle = nullptr;
    EXPECT_OK(aclrtMallocPhysical(&handle, kPage, &properties, 0));
    return handle;
  }
  static uint64_t Export(aclrtDrvMemHandle handle, uint64_t flags = ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
    uint64_t number = 0;
    EXPECT_OK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, flags, &number));
    EXPECT_NE(0U, number);
    return number;
  }
  static void* Map(aclrtDrvMemHandle handle) {
    void* address = nullptr;
    EXPECT_OK(aclrtReserveMemAddress(&address, kPage, 0, nullptr, 0));
    EXPECT_OK(aclrtMapMem(address, kPage, 0, handle, 0));
    return address;
  }
  static void Write(void* address, uint32_t value) { EXPECT_OK(aclrtMemsetD32(address, kPage, value, kPage / 4)); }
  static uint32_t Read(void* address) {
    uint32_t value = 0;
    EXPECT_OK(aclrtMemcpy(&value, 4, static_cast<char*>(address) + kPage - 4, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
  }
  std::string directory_;
};

TEST_F(MemorySharing, ListedProcessesImportPhysicalMemory) {
  aclrtDrvMemHandle handle = Physical();
  void* address = Map(handle);
  Write(address, 11);
  const uint64_t number = Export(handle, ACL_RT_VMM_EXPORT_FLAG_DEFAULT);
  uint64_t again = 0;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &again))
      << "once only";
  aclrtDrvMemHandle imported = nullptr;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemImportFromShareableHandle(number, 0, &imported))
      << "the same process";
  Other other;
  EXPECT_EQ("207006", other.Ask("import-physical " + std::to_string(number)));
  int32_t processes[] = {1, other.process()};
  ASSERT_OK(aclrtMemSetPidToShareableHandle(number, processes, 2));
  ASSERT_EQ("0", other.Ask("import-physical " + std::to_string(number)));
  EXPECT_EQ("11", other.Ask("read"));
  EXPECT_EQ("0", other.Ask("write 12"));
  EXPECT_EQ(12U, Read(address));
  EXPECT_EQ("0", other.Ask("release-physical"));
  EXPECT_EQ(0, other.End());
  EXPECT_EQ(1, Records()) << "the exporter has it still";
}

TEST_F(MemorySharing, PhysicalMemoryLivesUntilEveryProcessHasGivenItBack) {
  const std::size_t free = FreeBytes();
  aclrtDrvMemHandle handle = Physical();
  void* address = Map(handle);
  Write(address, 21);
  const uint64_t number = Export(handle);
  Other other;
  ASSERT_EQ("0", other.Ask("import-physical " + std::to_string(number)));
  ASSERT_OK(aclrtUnmapMem(address));
  ASSERT_OK(aclrtReleaseMemAddress(address));
  ASSERT_OK(aclrtFreePhysical(handle));
  handle = Physical();
  address = Map(handle);
  Write(address, 1);
  EXPECT_EQ("21", other.Ask("read")) << "nobody else has got it";
  EXPECT_EQ(free - 2 * kPage, FreeBytes());
  Other late;
  EXPECT_EQ("107000", late.Ask("import-physical " + std::to_string(number))) << "no longer on offer";
  EXPECT_EQ("0", other.Ask("release-physical"));
  EXPECT_OK(aclrtUnmapMem(address));
  EXPECT_OK(aclrtFreePhysical(handle));
  EXPECT_OK(aclrtFreePhysical(Physical()));
  EXPECT_EQ(free, FreeBytes());
  EXPECT_EQ(0, Records());
}

TEST_F(MemorySharing, ImportedMemoryOutlivesTheResetOfItsDevice) {
  aclrtDrvMemHandle handle = Physical();
  Write(Map(handle), 31);
  Other other;
  ASSERT_EQ("0", other.Ask("import-physical " + std::to_string(Export(handle))));
  ASSERT_OK(aclrtResetDevice(0));
  EXPECT_EQ(0, Records());
  EXPECT_EQ("31", other.Ask("read"));
  EXPECT_EQ("0", other.Ask("write 32"));
  EXPECT_EQ("0", other.Ask("release-physical"));
}

TEST_F(MemorySharing, KilledExporterLeavesMemoryToTheImporterAndNoRecord) {
  void* memory = nullptr;
  void* address = nullptr;
  aclrtDrvMemHandle handle = nullptr;
  std::string key;
  {
    Other other;
    const uint64_t number = std::stoull(other.Ask("export-physical"));
    EXPECT_EQ("0", other.Ask("write 41"));
    ASSERT_OK(aclrtMemImportFromShareableHandle(number, 0, &handle));
    address = Map(handle);
    Other second;
    key = second.Ask("export-memory");
    EXPECT_EQ("0", second.Ask("write 42"));
    ASSERT_OK(aclrtIpcMemImportByKey(&memory, key.c_str(), ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT));
    EXPECT_EQ(2, Records());
    other.Kill();
    second.Kill();
  }
  EXPECT_EQ(41U, Read(address));
  EXPECT_EQ(42U, Read(memory));
  Write(memory, 43);
  EXPECT_EQ(43U, Read(memory));
  void* none = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey(&none, "forebay-memory-0123456789abcdef", 0));
  EXPECT_EQ(0, Records()) << "taken away with the next use";
  EXPECT_OK(aclrtIpcMemClose(key.c_str()));
  EXPECT_OK(aclrtUnmapMem(address));
  EXPECT_OK(aclrtFreePhysical(handle));
}

TEST_F(MemorySharing, KilledImporterLeavesNothing) {
  const std::size_t free = FreeBytes();
  aclrtDrvMemHandle handle = Physical();
  Other other;
  ASSERT_EQ("0", other.Ask("import-physical " + std::to_string(Export(handle))));
  other.Kill();
  EXPECT_OK(aclrtFreePhysical(handle));
  EXPECT_EQ(free, FreeBytes());
  EXPECT_EQ(0, Records());
}

TEST_F(MemorySharing, AllocatedMemoryIsSharedByKey) {
  void* memory = nullptr;
  ASSERT_OK(aclrtMalloc(&memory, kPage, ACL_MEM_MALLOC_HUGE_ONLY));
  Write(memory, 51);
  char key[65];
  ASSERT_OK(aclrtIpcMemGetExportKey(memory, kPage, key, sizeof key, ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT));
  const std::string name = key;
  Other other;
  EXPECT_EQ("207006", other.Ask("import-memory " + name + " 0"));
  int32_t process = other.process();
  ASSERT_OK(aclrtIpcMemSetImportPid(key, &process, 1));
  ASSERT_EQ("0", other.Ask("import-memory " + name + " 0"));
  EXPECT_EQ("51", other.Ask("read"));
  EXPECT_EQ("0", other.Ask("write 52"));
  EXPECT_EQ(52U, Read(memory));
  EXPECT_EQ("107000", other.Ask("import-memory " + name + " 0")) << "imported already";
  EXPECT_EQ("0", other.Ask("close"));
  EXPECT_EQ("107000", other.Ask("close"));
  ASSERT_EQ("0", other.Ask("device 1"));
  EXPECT_EQ("107000", other.Ask("import-memory " + name + " 0")) << "memory of another device";
  ASSERT_EQ("0", other.Ask("import-memory " + name + " 1"));
  EXPECT_EQ("52", other.Ask("read"));
  EXPECT_OK(aclrtIpcMemSetAttr(key, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemSetAttr(key, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 4));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtIpcMemSetAttr(key, NoSuch<aclrtIpcMemAttrType>(1), 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemSetAttr("x", ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory)) << "others may use it";
  EXPECT_OK(aclrtIpcMemClose(key));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemClose(key));
  EXPECT_OK(aclrtFree(memory));
}

TEST_F(MemorySharing, ImportedMemoryIsDeviceMemory) {
  Other other;
  const std::string key = other.Ask("export-memory");
  void* memory = nullptr;
  ASSERT_OK(aclrtIpcMemImportByKey(&memory, key.c_str(), 0));
  aclrtPtrAttributes attributes{};
  EXPECT_OK(aclrtPointerGetAttributes(memory, &attributes));
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, attributes.location.type);
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  EXPECT_OK(aclrtMemsetAsync(memory, kPage, 0, kPage, stream));
  ASSERT_OK(Launch(Function(Load("basic_kernels"), "add_one"), stream, DataAndCount{memory, 100}));
  ASSERT_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ("1", other.Ask("read"));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory));
  char again[65];
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(memory, kPage, again, sizeof again, 0));
  EXPECT_OK(aclrtIpcMemClose(key.c_str()));
  EXPECT_NE(ACL_SUCCESS, aclrtMemset(memory, kPage, 0, kPage));
}

TEST_F(MemorySharing, SecondFormTakesHandlesOfBothKinds) {
  aclrtDrvMemHandle handle = Physical();
  void* address = Map(handle);
  Write(address, 61);
  uint64_t number = 0;
  ASSERT_OK(aclrtMemExportToShareableHandleV2(handle, 0, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &number));
  Other other;
  int32_t process = other.process();
  ASSERT_OK(aclrtMemSetPidToShareableHandleV2(&number, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &process, 1));
  ASSERT_EQ("0", other.Ask("import-physical " + std::to_string(number)));
  EXPECT_EQ("61", other.Ask("read"));
  aclrtMemFabricHandle fabric = Untouched<aclrtMemFabricHandle>();
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
              aclrtMemExportToShareableHandleV2(handle, 0, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &fabric));
  EXPECT_TRUE(IsUntouched(fabric));
  uint64_t theirs = std::stoull(Other().Ask("export-physical"));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemImportFromShareableHandleV2(&theirs, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, 0, &handle))
      << "ended";
  Other second;
  theirs = std::stoull(second.Ask("export-physical"));
  EXPECT_EQ("0", second.Ask("write 62"));
  ASSERT_OK(aclrtMemImportFromShareableHandleV2(&theirs, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, 0, &handle));
  EXPECT_EQ(62U, Read(Map(handle)));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &number))
      << "not this one's";
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetPidToShareableHandle(theirs, &process, 1));
}

TEST_F(MemorySharing, FabricHandlesWorkOnPartsThatHaveThem) {
  aclFinalize();
  const InitFile part(R"({"forebay": {"soc": "Ascend910_9391"}})");
  ASSERT_OK(aclInit(part.path()));
  ASSERT_OK(aclrtSetDevice(0));
  aclrtDrvMemHandle handle = Physical();
  Write(Map(handle), 71);
  const auto type = ACL_MEM_SHARE_HANDLE_TYPE_FABRIC;
  aclrtMemFabricHandle fabric;
  ASSERT_OK(aclrtMemExportToShareableHandleV2(handle, 0, type, &fabric));
  setenv("FOREBAY_SOC", "Ascend910_9391", 1);
  Other other;
  unsetenv("FOREBAY_SOC");
  std::string command = "import-fabric";
  for (const uint8_t byte : fabric.data) command += " " + std::to_string(byte);
  EXPECT_EQ("207006", other.Ask(command));
  int32_t process = other.process();
  ASSERT_OK(aclrtMemSetPidToShareableHandleV2(&fabric, type, &process, 1));
  ASSERT_EQ("0", other.Ask(command));
  EXPECT_EQ("71", other.Ask("read"));
  fabric.data[0] ^= 1;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemImportFromShareableHandleV2(&fabric, type, 0, &handle));
}

TEST_F(MemorySharing, BadArgumentsAreRefusedWithoutChangingOutputs) {
  aclrtDrvMemHandle handle = Physical();
  auto number = Untouched<uint64_t>();
  auto imported = Untouched<aclrtDrvMemHandle>();
  auto address = Untouched<void*>();
  auto key = Untouched<std::array<char, 65>>();
  int32_t process = 1;
  const auto none = ACL_MEM_HANDLE_TYPE_NONE;
  const auto plain = ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT;
  const aclError null = ACL_ERROR_INVALID_PARAM;
  const aclError bad = ACL_ERROR_RT_PARAM_INVALID;
  EXPECT_CODE(null, aclrtMemExportToShareableHandle(nullptr, none, 0, &number));
  EXPECT_CODE(null, aclrtMemExportToShareableHandle(handle, none, 0, nullptr));
  EXPECT_CODE(null, aclrtMemExportToShareableHandle(handle, none, 2, &number));
  EXPECT_CODE(null, aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_POSIX, 0, &number));
  for (void* made_up : MadeUpHandles(handle))
    EXPECT_EQ(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemExportToShareableHandle(made_up, none, 0, &number));
  EXPECT_CODE(null, aclrtMemExportToShareableHandleV2(handle, 0, NoSuch<aclrtMemSharedHandleType>(3), &number));
  EXPECT_CODE(null, aclrtMemExportToShareableHandleV2(handle, 0, plain, nullptr));
  EXPECT_CODE(null, aclrtMemImportFromShareableHandle(1, 0, nullptr));
  EXPECT_CODE(bad, aclrtMemImportFromShareableHandle(12345, 0, &imported));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtMemImportFromShareableHandle(12345, 1000, &imported));
  EXPECT_CODE(bad, aclrtMemImportFromShareableHandle(12345, 1, &imported)) << "off";
  EXPECT_CODE(null, aclrtMemImportFromShareableHandleV2(nullptr, plain, 0, &imported));
  EXPECT_CODE(null, aclrtMemImportFromShareableHandleV2(&number, plain, 1, &imported));
  EXPECT_CODE(null, aclrtMemSetPidToShareableHandle(12345, nullptr, 1));
  EXPECT_CODE(null, aclrtMemSetPidToShareableHandle(12345, &process, 0));
  EXPECT_CODE(bad, aclrtMemSetPidToShareableHandle(12345, &process, 1));
  EXPECT_CODE(null, aclrtMemSetPidToShareableHandleV2(nullptr, plain, &process, 1));
  Words words(4);
  EXPECT_CODE(null, aclrtIpcMemGetExportKey(nullptr, 4, key.data(), 65, 0));
  EXPECT_CODE(null, aclrtIpcMemGetExportKey(words.get(), 0, key.data(), 65, 0));
  EXPECT_CODE(null, aclrtIpcMemGetExportKey(words.get(), 4, nullptr, 65, 0));
  EXPECT_CODE(null, aclrtIpcMemGetExportKey(words.get(), 4, key.data(), 65, 2));
  EXPECT_CODE(bad, aclrtIpcMemGetExportKey(words.get(), 4, key.data(), 64, 0));
  EXPECT_CODE(bad, aclrtIpcMemGetExportKey(words.get(), 17, key.data(), 65, 0)) << "more than is allocated";
  EXPECT_CODE(bad, aclrtIpcMemGetExportKey(static_cast<char*>(words.get()) + 4, 4, key.data(), 65, 0)) << "no page";
  EXPECT_CODE(bad, aclrtIpcMemGetExportKey(&process, 4, key.data(), 65, 0)) << "of the host";
  EXPECT_CODE(null, aclrtIpcMemImportByKey(nullptr, "x", 0));
  EXPECT_CODE(null, aclrtIpcMemImportByKey(&address, nullptr, 0));
  EXPECT_CODE(null, aclrtIpcMemImportByKey(&address, "x", 2));
  for (const char* name : {"", "x", "../../etc/passwd", "forebay-memory-", "forebay-memory-../x"}) {
    EXPECT_CODE(bad, aclrtIpcMemImportByKey(&address, name, 0)) << name;
    EXPECT_CODE(bad, aclrtIpcMemClose(name)) << name;
    EXPECT_CODE(bad, aclrtIpcMemSetImportPid(name, &process, 1)) << name;
  }
  EXPECT_CODE(null, aclrtIpcMemClose(nullptr));
  EXPECT_CODE(null, aclrtIpcMemSetImportPid(nullptr, &process, 1));
  EXPECT_CODE(null, aclrtIpcMemSetImportPid("x", nullptr, 1));
  aclrtServerPid server{0, &process, 1};
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemImportPidInterServer("x", &server, 1));
  EXPECT_CODE(null, aclrtIpcMemImportPidInterServer("x", nullptr, 1));
  EXPECT_CODE(null, aclrtIpcMemImportPidInterServer("x", &server, 0));
  EXPECT_CODE(null, aclrtDeviceGetBareTgid(nullptr));
  EXPECT_TRUE(IsUntouched(number) && IsUntouched(imported) && IsUntouched(address) && IsUntouched(key));
}

TEST_F(MemorySharing, DirectoryThatOthersMayUseIsRefused) {
  const std::string path = directory_ + "/forebay";
  ASSERT_EQ(0, mkdir(path.c_str(), 0700));
  ASSERT_EQ(0, chmod(path.c_str(), 0755));
  aclrtDrvMemHandle handle = Physical();
  auto number = Untouched<uint64_t>();
  EXPECT_NE(ACL_SUCCESS, aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
  EXPECT_NE(Messages().find(path), std::string::npos);
  EXPECT_TRUE(IsUntouched(number));
  ASSERT_EQ(0, chmod(path.c_str(), 0700));
  EXPECT_OK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
}

}  // namespace
}  // namespace conformance
