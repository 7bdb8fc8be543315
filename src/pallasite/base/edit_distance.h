// How many letters apart two names are, to suggest what may have been meant.
#pragma once

#include <cstddef>
#include <string_view>

namespace pallasite {

// The least number of letters to insert, delete or replace.
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace pallasite
