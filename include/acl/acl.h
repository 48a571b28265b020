// AscendCL, the C interface of CANN programs, as Forebay offers it. This header brings in the base and the runtime; a
// program that uses the profiler, dumps, channels, queues, pools or allocators includes their headers too.
#ifndef FOREBAY_ACL_ACL_H_
#define FOREBAY_ACL_ACL_H_

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#endif  // FOREBAY_ACL_ACL_H_
