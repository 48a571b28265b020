// Whether aclInit has been called.
#pragma once

namespace forebay::acl {

bool IsInitialised();

}  // namespace forebay::acl
