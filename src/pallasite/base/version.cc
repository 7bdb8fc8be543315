#include "pallasite/base/version.h"

namespace pallasite {

std::string_view version() {
  return PALLASITE_VERSION;
}

}  // namespace pallasite
