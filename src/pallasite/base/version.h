#pragma once

#include <string_view>

namespace pallasite {

// The release, as in "0.1.0".
std::string_view version();

}  // namespace pallasite
