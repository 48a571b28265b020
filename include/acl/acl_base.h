// The name under which most programs include the base of AscendCL; everything is in acl_base_rt.h.
#ifndef FOREBAY_ACL_ACL_BASE_H_
#define FOREBAY_ACL_ACL_BASE_H_

#include "acl/acl_base_rt.h"

#endif  // FOREBAY_ACL_ACL_BASE_H_
