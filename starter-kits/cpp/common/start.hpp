// Reads numbers from the message of agon_start, which is a line of JSON: the seed, and all settings of the game.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

// The number behind a name, for example "seed" or a setting that `agon rules` tells; `otherwise` if there is none.
inline std::uint64_t start_number(std::string_view message, std::string_view name, std::uint64_t otherwise = 0)
{
    const std::string key = '"' + std::string(name) + "\":";
    const auto at = message.find(key);
    if (at == std::string_view::npos)
        return otherwise;
    const auto value = message.substr(at + key.size());
    std::uint64_t number = otherwise;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
}
