// A bot for cluster that makes random moves: it drops a pellet into any column, and rotates now and then.
#include <vector>

#include "agon/cluster.h"
#include "random.hpp"
#include "start.hpp"

namespace {

Random random_numbers;

cluster_answer place(std::uint16_t column, std::uint8_t color)
{
    cluster_answer answer{};
    answer.action = CLUSTER_PLACE;
    answer.column = column;
    answer.color = color;
    return answer;
}

cluster_answer rotate(std::uint32_t cycles)
{
    cluster_answer answer{};
    answer.action = CLUSTER_ROTATE;
    answer.cycles = static_cast<std::uint8_t>(cycles);
    return answer;
}

// What the player to move does. Change this.
cluster_answer decide(const void *question, const cluster_question &seen) noexcept
{
    std::vector<std::uint16_t> open;
    for (std::uint32_t column = 0; column < seen.columns; column++)
        if (cluster_landing(question, column) != CLUSTER_NO_CELL)
            open.push_back(static_cast<std::uint16_t>(column));
    if (open.empty() || random_numbers.percent(10))
        return rotate(1 + random_numbers.below(5));
    const auto column = open[random_numbers.below(static_cast<std::uint32_t>(open.size()))];
    return place(column, seen.hand[random_numbers.below(seen.hand_size)]);
}

} // namespace

std::uint32_t agon_abi() { return AGON_ABI; }

void agon_start(const char *message, std::uint32_t length)
{
    random_numbers.seed(start_number({message, length}, "seed"));
}

// A question of cluster is one decision: the turn.
std::uint32_t agon_decide(const void *question, std::uint32_t, void *answers, std::uint32_t)
{
    *static_cast<cluster_answer *>(answers) = decide(question, *cluster_question_at(question, 0));
    return sizeof(cluster_answer);
}
