// A task queue as text: what a stream waits for, and what comes behind.
#include "forebay/task_queue.h"

#include <gtest/gtest.h>

#include "acl/acl.h"

namespace forebay {
namespace {

TEST(TaskQueueText, NamesNotifiesResetsAndWordsOfMemory) {
  ASSERT_EQ(ACL_SUCCESS, aclInit(nullptr));
  ASSERT_EQ(ACL_SUCCESS, aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  aclrtNotify notify = nullptr;
  aclrtCntNotify counted = nullptr;
  aclrtEvent event = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(ACL_SUCCESS, aclrtCreateStream(&stream));
  ASSERT_EQ(ACL_SUCCESS, aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
  ASSERT_EQ(ACL_SUCCESS, aclrtCntNotifyCreate(&counted, 0));
  ASSERT_EQ(ACL_SUCCESS, aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  ASSERT_EQ(ACL_SUCCESS, aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST));
  uint32_t notify_id = 0;
  uint32_t counted_id = 0;
  ASSERT_EQ(ACL_SUCCESS, aclrtGetNotifyId(notify, &notify_id));
  ASSERT_EQ(ACL_SUCCESS, aclrtCntNotifyGetId(counted, &counted_id));

  aclrtCntNotifyRecordInfo add{ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 5};
  aclrtCntNotifyWaitInfo more{ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 3, 0, 0, {}};
  ASSERT_EQ(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, stream, 0));
  ASSERT_EQ(ACL_SUCCESS, aclrtRecordNotify(notify, stream));
  ASSERT_EQ(ACL_SUCCESS, aclrtCntNotifyRecord(counted, stream, &add));
  ASSERT_EQ(ACL_SUCCESS, aclrtCntNotifyWaitWithTimeout(counted, stream, &more));
  ASSERT_EQ(ACL_SUCCESS, aclrtResetEvent(event, stream));
  ASSERT_EQ(ACL_SUCCESS, aclrtValueWrite(memory, 7, 0, stream));
  ASSERT_EQ(ACL_SUCCESS, aclrtValueWait(memory, 7, 0, stream));
  const auto queue = TaskQueue::Of(reinterpret_cast<StreamHandle>(stream));
  ASSERT_TRUE(queue.ok());
  const std::string text = queue->ToString();
  const std::string plain = "notify " + std::to_string(notify_id);
  const std::string count = "notify " + std::to_string(counted_id);
  for (const std::string& line :
       {"task 0: wait until " + plain + " == 1, then clear it", "task 1: record " + plain + ": set 1",
        "task 2: record " + count + ": add 5", "task 3: wait until " + count + " > 3\n",
        std::string("task 4: reset event "), std::string("task 5: write 7 to device address 0x"),
        std::string("task 6: wait until the word at device address")}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << " in\n" << text;
  }
  EXPECT_EQ(ACL_SUCCESS, aclrtStreamAbort(stream));
  EXPECT_EQ(ACL_SUCCESS, aclFinalize());
}

}  // namespace
}  // namespace forebay
