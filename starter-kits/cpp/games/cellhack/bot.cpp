// A bot for cellhack that makes random moves: each cell rests, or acts in a random direction.
#include "agon/cellhack.h"
#include "random.hpp"
#include "start.hpp"

namespace {

Random random_numbers;

constexpr std::uint8_t directions[] = {CELLHACK_UP, CELLHACK_LEFT, CELLHACK_RIGHT, CELLHACK_DOWN};

constexpr std::uint8_t towards(int action, std::uint8_t direction)
{
    return static_cast<std::uint8_t>(action + direction);
}

// What one cell does. Change this.
cellhack_answer decide(const cellhack_question &cell) noexcept
{
    cellhack_answer answer{};
    answer.action = CELLHACK_REST;
    answer.memory = cell.memory; // what the cell remembers next turn
    const auto direction = directions[random_numbers.below(4)];
    const auto there = cell.env[direction];
    if (there == CELLHACK_EMPTY) {
        if (random_numbers.percent(50))
            answer.action = towards(random_numbers.percent(50) ? CELLHACK_SPLIT : CELLHACK_MOVE, direction);
    } else if (there != CELLHACK_ROCK && there != cell.env[CELLHACK_CENTER]) {
        answer.action = towards(CELLHACK_EAT, direction);
    }
    return answer;
}

} // namespace

std::uint32_t agon_abi() { return AGON_ABI; }

void agon_start(const char *message, std::uint32_t length)
{
    random_numbers.seed(start_number({message, length}, "seed"));
}

std::uint32_t agon_decide(const void *question, std::uint32_t, void *answers, std::uint32_t)
{
    const auto count = static_cast<const agon_question *>(question)->decisions;
    auto *answer = static_cast<cellhack_answer *>(answers);
    for (std::uint32_t i = 0; i < count; i++)
        answer[i] = decide(*cellhack_question_at(question, i));
    return count * static_cast<std::uint32_t>(sizeof *answer);
}
