#include "memory/pool/size_classes.h"

#include <gtest/gtest.h>

namespace forebay::runtime {
namespace {

TEST(SizeClasses, HoldEverySmallRequestAndWasteLittle) {
  for (const uint64_t unit : {64U, 512U, 4096U}) {
    const SizeClasses classes(unit);
    ASSERT_EQ(classes.largest(), SizeClasses::kLargestSmall);
    for (uint64_t bytes = 1; bytes <= classes.largest(); ++bytes) {
      const SizeClasses::Class& of_class = classes[classes.ClassOf(bytes)];
      ASSERT_GE(of_class.bytes, bytes);
      ASSERT_EQ(of_class.bytes % unit, 0U);
      ASSERT_LE(of_class.bytes, std::max(unit, bytes + bytes / 4 + unit)) << bytes;
      ASSERT_TRUE(bytes < unit || of_class.bytes < 2 * bytes) << bytes;
      ASSERT_TRUE(classes.ClassOf(bytes) == 0 || classes[classes.ClassOf(bytes) - 1].bytes < bytes);
    }
  }
}

TEST(SizeClasses, FindTheSlotOfEveryByte) {
  for (const uint64_t unit : {64U, 512U}) {
    const SizeClasses classes(unit);
    for (uint32_t size_class = 0; size_class < classes.count(); ++size_class) {
      for (uint64_t offset = 0; offset < SizeClasses::kSpanBytes; offset += unit / 2) {
        ASSERT_EQ(classes.SlotAt(size_class, offset), offset / classes[size_class].bytes);
      }
    }
  }
}

TEST(SizeClasses, LargeUnitsHaveNone) {
  EXPECT_EQ(SizeClasses(64 * 1024).largest(), 0U);
  EXPECT_EQ(SizeClasses(32 * 1024).count(), 1U);
}

}  // namespace
}  // namespace forebay::runtime
