// A bot for cellhack in the classic form: one function, called for each cell. It eats an enemy, splits into a free place
// if it has energy enough, and rests otherwise.
#include "cellhack/player.h"

#include <cstdint>

// The arena finds the function by its plain name.
extern "C" std::uint8_t cell_decide_action(std::uint8_t *env, std::uint8_t energy, std::uint64_t *memory)
{
    // Each split turns a cell on by one direction, so that colonies grow to all sides.
    for (unsigned i = 0; i < 4; i++) {
        const auto direction = static_cast<unsigned>((*memory + i) % 4 * 2 + UP);
        if (isEnemy(direction))
            return static_cast<std::uint8_t>(EAT_BASE + direction);
        if (isEmpty(direction) && energy > ENERGY_MIN_SPLIT + 10) {
            *memory += 1;
            return static_cast<std::uint8_t>(SPLIT_BASE + direction);
        }
    }
    return REST;
}
