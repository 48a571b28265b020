#include "kernel_image.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "kernel_imports.h"

namespace forebay::runtime {
namespace {

using kernel_abi::CoreType;
using kernel_abi::KernelDescriptor;
using kernel_abi::ParameterKind;
using Bytes = std::vector<std::byte>;

// Where the build put the kernel binary of that target.
std::string KernelPath(const std::string& name) {
  const char* path = std::getenv(("TEST_KERNEL_" + name).c_str());
  return path == nullptr ? "TEST_KERNEL_" + name + " is not set" : path;
}

Bytes ReadGood(const std::string& name = "basic_kernels") {
  auto bytes = ReadKernelFile(KernelPath(name));
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  return bytes.ok() ? *std::move(bytes) : Bytes{};
}

// The image is refused, and the message names the file and contains `words`.
void ExpectRefused(const Bytes& bytes, std::string_view words) {
  const auto image = ReadKernelImage(bytes, "some.o");
  ASSERT_FALSE(image.ok()) << "expected: " << words;
  EXPECT_EQ(image.code(), Code::kParamInvalid);
  const Error& error = *image.status().error();
  EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("'some.o'"), std::string::npos) << error.message;
  EXPECT_FALSE(error.advice.empty()) << error.message;
}

Elf64_Ehdr& Header(Bytes& bytes) { return *reinterpret_cast<Elf64_Ehdr*>(bytes.data()); }

// A binary whose first descriptor, or that at `index`, can be changed.
struct Editable {
  Bytes bytes = ReadGood();
  KernelDescriptor& Descriptor(std::size_t index = 0) {
    const uint32_t begin[2] = {kernel_abi::kMagic, kernel_abi::kVersion};
    const auto* pattern = reinterpret_cast<const std::byte*>(begin);
    const auto at = std::search(bytes.begin(), bytes.end(), pattern, pattern + sizeof(begin));
    return reinterpret_cast<KernelDescriptor*>(&*at)[index];
  }
  // The descriptor of the kernel of that name.
  KernelDescriptor& Descriptor(std::string_view name) {
    std::size_t index = 0;
    while (name != Descriptor(index).name) ++index;
    return Descriptor(index);
  }
  Elf64_Shdr& Section(std::string_view name) {
    auto* sections = reinterpret_cast<Elf64_Shdr*>(bytes.data() + Header(bytes).e_shoff);
    const char* names = reinterpret_cast<const char*>(bytes.data() + sections[Header(bytes).e_shstrndx].sh_offset);
    return *std::find_if(sections, sections + Header(bytes).e_shnum,
                         [&](const Elf64_Shdr& section) { return name == names + section.sh_name; });
  }
};

TEST(KernelImage, DescribesTheKernelsOfABinary) {
  const auto image = ReadKernelImage(ReadGood(), "basic_kernels.o");
  ASSERT_TRUE(image.ok()) << image.status().ToString();
  EXPECT_EQ(image->kernels.size(), 20u);
  const KernelDescriptor* add_one = image->Find("add_one");
  ASSERT_NE(add_one, nullptr);
  EXPECT_EQ(add_one->core_type, CoreType::kAny);
  ASSERT_EQ(add_one->parameter_count, 2u);
  EXPECT_EQ(add_one->argument_bytes, 12u);
  EXPECT_EQ(add_one->parameters[0].kind, ParameterKind::kGlobalMemory);
  EXPECT_EQ(add_one->parameters[1].kind, ParameterKind::kScalar);
  EXPECT_EQ(add_one->parameters[1].offset, 8u);
  EXPECT_EQ(image->Find("missing"), nullptr);
  EXPECT_EQ(image->Find("nop")->parameter_count, 0u);
  EXPECT_EQ(image->Find("nop")->argument_bytes, 0u);
}

TEST(KernelImage, LaysArgumentsOutAsACStruct) {
  const auto image = ReadKernelImage(ReadGood(), "basic_kernels.o");
  ASSERT_TRUE(image.ok());
  const KernelDescriptor* mixed = image->Find("mixed_arguments");
  ASSERT_NE(mixed, nullptr);
  ASSERT_EQ(mixed->parameter_count, 5u);
  const uint32_t offsets[] = {0, 8, 16, 20, 24};
  const uint32_t sizes[] = {1, 8, 4, 3, 8};
  for (uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(mixed->parameters[i].offset, offsets[i]) << i;
    EXPECT_EQ(mixed->parameters[i].size, sizes[i]) << i;
  }
  EXPECT_EQ(mixed->parameters[3].kind, ParameterKind::kStruct);
  EXPECT_EQ(mixed->argument_bytes, 32u);
  EXPECT_EQ(image->Find("large_struct")->parameters[1].size, 300u);
}

TEST(KernelImage, KnowsTheCoreType) {
  const auto image = ReadKernelImage(ReadGood(), "basic_kernels.o");
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->Find("mixed_cores")->core_type, CoreType::kMix);
  EXPECT_EQ(image->Find("mixed_cores")->mix_ratio, 1u << 16 | 2);
  EXPECT_EQ(image->Find("cube_cores")->core_type, CoreType::kCube);
  EXPECT_EQ(image->Find("cube_cores")->mix_ratio, 0u);
}

TEST(KernelImage, HoldsExactlyTheKernelsThatTheSourcesDefine) {
  const auto image = ReadKernelImage(ReadGood("scan_kernels"), "scan_kernels.o");
  ASSERT_TRUE(image.ok()) << image.status().ToString();
  std::vector<std::string> names;
  for (const KernelDescriptor& kernel : image->kernels) names.emplace_back(kernel.name);
  std::sort(names.begin(), names.end());
  const std::vector<std::string> expected = {"apart",    "extra",  "in_block",    "in_namespace", "in_second_source",
                                             "internal", "prints", "root_double", "root_float"};
  EXPECT_EQ(names, expected);
}

TEST(KernelImage, RefusesWhatIsNoSharedObjectForThisMachine) {
  ExpectRefused({}, "is empty");
  const std::string script = "#!/bin/sh\n";
  const auto* text = reinterpret_cast<const std::byte*>(script.data());
  ExpectRefused(Bytes(text, text + script.size()), "is not an ELF file: it begins with the bytes 23 21 2f 62");
  Bytes bytes = ReadGood();
  Header(bytes).e_machine = EM_AARCH64;
#if defined(__x86_64__)
  ExpectRefused(bytes, "holds code for AArch64, this device runs on x86-64");
#endif
  Header(bytes).e_machine = 0x1029;
  ExpectRefused(bytes, "AI cores of an Ascend processor");
  Header(bytes).e_machine = 0x4321;
  ExpectRefused(bytes, "unknown machine (ELF machine 0x4321)");
  bytes = ReadGood();
  Header(bytes).e_type = ET_EXEC;
  ExpectRefused(bytes, "is a program (ELF type 2), not a shared object");
  ExpectRefused(ReadGood("bad_relocatable"), "is a relocatable object that is not linked yet");
}

TEST(KernelImage, RefusesEveryTruncatedImage) {
  const Bytes whole = ReadGood();
  ExpectRefused(Bytes(whole.begin(), whole.begin() + 3), "is truncated");
  ExpectRefused(Bytes(whole.begin(), whole.begin() + 40), "is truncated: it has 40 bytes");
  ExpectRefused(Bytes(whole.begin(), whole.end() - 1), "is truncated: its table of sections");
  for (std::size_t size = 1; size < whole.size(); size += 977) {
    EXPECT_EQ(ReadKernelImage(std::span(whole).first(size), "some.o").code(), Code::kParamInvalid) << size;
  }
}

TEST(KernelImage, RefusesExtentsOutsideTheFile) {
  Editable section;
  section.Section(".forebay.kernels").sh_size = uint64_t{1} << 40;
  ExpectRefused(section.bytes, "is truncated: its section");
  Editable overflow;
  overflow.Section(".forebay.kernels").sh_offset = ~uint64_t{0} - 8;
  ExpectRefused(overflow.bytes, "is truncated: its section");
  Editable name;
  name.Section(".forebay.kernels").sh_name = 0x7FFFFFFF;
  ExpectRefused(name.bytes, "has no readable name");
  Editable segment;
  reinterpret_cast<Elf64_Phdr*>(segment.bytes.data() + Header(segment.bytes).e_phoff)[0].p_filesz = uint64_t{1} << 50;
  ExpectRefused(segment.bytes, "is truncated: its segment 0");
}

TEST(KernelImage, RefusesAKernelThatIsLongerThanTheCode) {
  Editable size;
  const Elf64_Shdr section = size.Section(".dynsym"), names = size.Section(".dynstr");
  auto* symbols = reinterpret_cast<Elf64_Sym*>(size.bytes.data() + section.sh_offset);
  const auto* texts = reinterpret_cast<const char*>(size.bytes.data() + names.sh_offset);
  const auto entry = std::find_if(symbols, symbols + section.sh_size / sizeof *symbols, [&](const Elf64_Sym& symbol) {
    return std::string_view(texts + symbol.st_name) == std::string(kernel_abi::kEntryPrefix) + "add_one";
  });
  entry->st_size = uint64_t{1} << 40;
  ExpectRefused(size.bytes, "is corrupt: the kernel 'add_one' has 1099511627776 bytes from offset 0x");
}

TEST(KernelImage, SurvivesDamageAnywhere) {
  const Bytes whole = ReadGood();
  std::mt19937 random(20240607);
  const std::size_t tables = reinterpret_cast<const Elf64_Ehdr*>(whole.data())->e_shoff;
  for (int round = 0; round < 3000; ++round) {
    Bytes damaged = whole;
    for (int i = 0; i < 3; ++i) {
      // Where the structure is: the headers, the dynamic symbols behind them, and the table of sections.
      const std::size_t at = random() % 2 == 0 ? random() % 4096 : tables + random() % (whole.size() - tables);
      damaged[at] = static_cast<std::byte>(random());
    }
    const auto image = ReadKernelImage(damaged, "some.o");
    EXPECT_TRUE(image.ok() || image.code() == Code::kParamInvalid) << round;
  }
}

TEST(KernelImage, RefusesMissingAndForeignMetadata) {
  ExpectRefused(ReadGood("bad_metadata"), "holds no kernels: it has no section .forebay.kernels");
  Editable version;
  version.Descriptor().version = 7;
  ExpectRefused(version.bytes, "has metadata of version 7, this device reads version 2");
  Editable magic;
  magic.Descriptor().magic = 0x11223344;
  ExpectRefused(magic.bytes, "begins with 0x11223344");
  Editable second;
  second.Descriptor(1).magic = 1;
  ExpectRefused(second.bytes, "kernel 1 begins with 0x00000001");
  Editable size;
  size.Section(".forebay.kernels").sh_size -= 4;
  ExpectRefused(size.bytes, "not a multiple of");
}

TEST(KernelImage, RefusesCorruptDescriptors) {
  struct Case {
    void (*damage)(KernelDescriptor&);
    const char* words;
  };
  const Case cases[] = {
      {[](KernelDescriptor& d) { std::memset(d.name, 'x', sizeof(d.name)); }, "has a name that does not end"},
      {[](KernelDescriptor& d) { d.name[0] = 0; }, "has no name"},
      {[](KernelDescriptor& d) { d.name[0] = '\n'; }, "has a name that is not text"},
      {[](KernelDescriptor& d) { d.core_type = static_cast<CoreType>(9); }, "unknown core type 9"},
      {[](KernelDescriptor& d) { d.parameter_count = 129; }, "claims 129 parameters, at most 128 are possible"},
      {[](KernelDescriptor& d) { d.argument_bytes = 1u << 31; }, "claims 2147483648 bytes of arguments"},
      {[](KernelDescriptor& d) { d.argument_bytes = 16; }, "claims 16 bytes of arguments, its parameters end at 12"},
      {[](KernelDescriptor& d) { d.parameter_count = 1; }, "claims 12 bytes of arguments, its parameters end at 8"},
      {[](KernelDescriptor& d) { d.parameters[1].kind = static_cast<ParameterKind>(77); },
       "parameter 1 has the unknown kind 77"},
      {[](KernelDescriptor& d) { d.parameters[1].alignment = 3; }, "parameter 1 has the impossible alignment 3"},
      {[](KernelDescriptor& d) { d.parameters[1].alignment = 0; }, "parameter 1 has the impossible alignment 0"},
      {[](KernelDescriptor& d) { d.parameters[1].size = 0; }, "parameter 1 has no size"},
      {[](KernelDescriptor& d) { d.parameters[1].size = 0xFFFFFFFF; }, "outside the 12 bytes of arguments"},
      {[](KernelDescriptor& d) { d.parameters[1].offset = 0xFFFFFFFC; }, "outside the 12 bytes of arguments"},
      {[](KernelDescriptor& d) { d.parameters[1].offset = 10; }, "not a multiple of its alignment 4"},
      {[](KernelDescriptor& d) { d.parameters[1].offset = 4; }, "begins at 4, before the one ahead of it ends at 8"},
      {[](KernelDescriptor& d) { d.parameters[0].size = 4; }, "is a pointer of 4 bytes"},
  };
  for (const Case& one : cases) {
    Editable file;
    one.damage(file.Descriptor("add_one"));
    ExpectRefused(file.bytes, one.words);
  }
  Editable twice;
  std::memcpy(twice.Descriptor("fill").name, "append", sizeof("append"));
  ExpectRefused(twice.bytes, "has two kernels of the name 'append'");
}

TEST(KernelImage, RefusesMissingFunctions) {
  ExpectRefused(ReadGood("bad_entry"),
                "describes the kernel 'launch' but does not export its entry function forebay_entry_launch");
  ExpectRefused(ReadGood("bad_bind"), "does not export the function forebay_kernel_bind");
  Editable renamed;
  std::memcpy(renamed.Descriptor("fill").name, "full", sizeof("full"));
  ExpectRefused(renamed.bytes, "describes the kernel 'full' but does not export");
}

TEST(KernelImage, NamesTheImportsItRefuses) {
  ExpectRefused(ReadGood("bad_malloc"), "does not offer to kernels: ");
  ExpectRefused(ReadGood("bad_malloc"), "malloc");
  ExpectRefused(ReadGood("bad_malloc"), "free");
}

TEST(KernelImage, SaysThatKernelsCannotLaunchWork) {
  const Bytes bytes = ReadGood("bad_runtime_call");
  ExpectRefused(bytes, "Kernels cannot launch work: there is no dynamic parallelism, only the host submits");
  ExpectRefused(bytes, "aclrtMalloc");
  ExpectRefused(bytes, "forebay::Submit()");
}

TEST(KernelImage, RefusesWhatRunsOnLoadOrNeedsOtherLibraries) {
  ExpectRefused(ReadGood("bad_constructor"), "runs code when it is loaded");
  ExpectRefused(ReadGood("bad_thread_local"), "thread_local");
  ExpectRefused(ReadGood("bad_needed"), "needs the shared library 'libstdc++.so.6'");
}

TEST(KernelImports, AllowsMathematicsInAllPrecisions) {
  for (const char* name : {"memcpy", "strlen", "exp", "expf", "expl", "sinf", "lgammaf", "__isnanf"})
    EXPECT_TRUE(IsAllowedImport(name));
  for (const char* name :
       {"malloc", "memcpyf", "expx", "", "f", "printf", "__tls_get_addr", "__stack_chk_fail", "_Znwm"}) {
    EXPECT_FALSE(IsAllowedImport(name)) << name;
  }
}

TEST(KernelFile, NamesWhatCannotBeOpened) {
  const auto missing = ReadKernelFile("/nowhere/add.o");
  EXPECT_EQ(missing.code(), Code::kFileOpen);
  EXPECT_NE(missing.status().error()->message.find("'/nowhere/add.o' does not exist"), std::string::npos);
  const auto directory = ReadKernelFile(testing::TempDir());
  EXPECT_EQ(directory.code(), Code::kFileOpen);
  EXPECT_NE(directory.status().error()->message.find("is a directory"), std::string::npos);
  EXPECT_EQ(ReadKernelFile("/dev/null").code(), Code::kFileOpen);
  EXPECT_EQ(ReadKernelFile(std::string(5000, 'x')).code(), Code::kFileOpen);
}

TEST(KernelFile, DoesNotWaitForAPipe) {
  const auto path = std::filesystem::path(testing::TempDir()) / "forebay_kernel_pipe";
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(ReadKernelFile(path.string()).code(), Code::kFileOpen);
  std::filesystem::remove(path);
}

TEST(KernelFile, ReadsAnEmptyFileAsEmpty) {
  const auto path = std::filesystem::path(testing::TempDir()) / "forebay_empty_kernel.o";
  std::ofstream(path).close();
  const auto bytes = ReadKernelFile(path.string());
  ASSERT_TRUE(bytes.ok());
  EXPECT_TRUE(bytes->empty());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace forebay::runtime
