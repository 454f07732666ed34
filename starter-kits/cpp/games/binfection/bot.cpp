// A bot for binfection that makes random moves: half of its cells send units somewhere.
#include <vector>

#include "agon/binfection.h"
#include "random.hpp"
#include "start.hpp"

namespace {

Random random_numbers;

struct Move {
    unsigned x, y, direction;
};

// The moves of a turn. Change this. The cells are in order, row by row.
std::vector<Move> decide(std::uint32_t player, const std::vector<binfection_cell> &cells) noexcept
{
    std::vector<Move> moves;
    for (const auto &cell : cells) {
        const bool own = cell.owner == player + 1; // 0 is nobody, else it is the player plus one
        if (own && cell.units >= 2 && random_numbers.percent(50))
            moves.push_back({cell.x, cell.y, random_numbers.below(4)});
    }
    return moves;
}

} // namespace

std::uint32_t agon_abi() { return AGON_ABI; }

void agon_start(const char *message, std::uint32_t length)
{
    random_numbers.seed(start_number({message, length}, "seed"));
}

// A question of binfection is one decision: the turn.
std::uint32_t agon_decide(const void *question, std::uint32_t, void *answers, std::uint32_t)
{
    const auto *first = binfection_cells(question);
    const std::vector<binfection_cell> cells(first, first + binfection_question_at(question, 0)->cells);
    for (const auto &move : decide(static_cast<const agon_question *>(question)->player, cells))
        binfection_add(answers, move.x, move.y, move.direction);
    return binfection_done(answers);
}
