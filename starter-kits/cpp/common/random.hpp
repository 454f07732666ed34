// Random numbers for a bot. Give them the seed of the match, and a match with the same seed is the same.
#pragma once

#include <cstdint>
#include <random>

class Random {
public:
    void seed(std::uint64_t seed) { engine_.seed(seed); }

    // A number from 0 to count - 1; count is not 0. (The distributions of <random> differ between libraries.)
    std::uint32_t below(std::uint32_t count)
    {
        return static_cast<std::uint32_t>(((engine_() >> 32) * count) >> 32);
    }

    // True in so many of a hundred cases.
    bool percent(std::uint32_t chance) { return below(100) < chance; }

private:
    std::mt19937_64 engine_;
};
