#include "core/base/cancel.h"

namespace contrastive {

Cancel process_exit;

}  // namespace contrastive
