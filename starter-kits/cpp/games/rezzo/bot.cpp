// A bot for rezzo that makes random moves: any that are possible.
#include "agon/rezzo.h"
#include "random.hpp"
#include "start.hpp"

namespace {

Random random_numbers;

bool is_flag(std::uint8_t cell) { return cell >= REZZO_FLAG && cell < REZZO_FLAG + 10; }

bool is_wire(std::uint8_t cell)
{
    return cell == REZZO_CONDUCTOR || cell == REZZO_ELECTRON || cell == REZZO_TAIL || cell == REZZO_PHOTON;
}

// What the agent does in this tick. Change this.
char decide(const rezzo_question &seen) noexcept
{
    const auto ahead = seen.cells[11][6];
    const char turn = random_numbers.percent(50) ? REZZO_LEFT : REZZO_RIGHT;
    if (random_numbers.percent(20))
        return turn;
    if (ahead == REZZO_BLANK)
        return random_numbers.percent(10) ? REZZO_BUILD : REZZO_ADVANCE;
    const bool own_flag = ahead == REZZO_FLAG + seen.me;
    return (is_wire(ahead) || is_flag(ahead)) && !own_flag ? REZZO_HIT : turn;
}

} // namespace

std::uint32_t agon_abi() { return AGON_ABI; }

void agon_start(const char *message, std::uint32_t length)
{
    random_numbers.seed(start_number({message, length}, "seed"));
}

// A question of rezzo is one decision: the tick.
std::uint32_t agon_decide(const void *question, std::uint32_t, void *answers, std::uint32_t)
{
    static_cast<rezzo_answer *>(answers)->action = static_cast<std::uint8_t>(decide(*rezzo_question_at(question, 0)));
    return sizeof(rezzo_answer);
}
