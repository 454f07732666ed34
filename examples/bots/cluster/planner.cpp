// planner: looks at all of its moves, and at all replies to each.
//
//     agon play cluster examples/bots/cluster/planner.cpp builtin:greedy
//
// It wins if it can, never lets the opponent win at once if it can help it, and otherwise makes its own runs long
// and the opponent's short.

#include <algorithm>
#include <utility>
#include <vector>

#include "agon/cluster.h"

namespace {

using Colors = std::vector<uint8_t>;

class Board {
public:
    explicit Board(const void *question) : question(question), view(*cluster_question_at(question, 0)) {}

    Colors now() const
    {
        const uint8_t *colors = cluster_colors(question);
        return Colors(colors, colors + view.cells);
    }

    // The board with a pellet dropped into a column under a gravity; false if the column is full.
    bool place(Colors &colors, unsigned column, uint8_t color, unsigned gravity) const
    {
        unsigned cell = cluster_top(question, column, gravity);
        if (colors[cell] != CLUSTER_EMPTY)
            return false;
        for (unsigned next; (next = step(cell, gravity)) != CLUSTER_NO_CELL && colors[next] == CLUSTER_EMPTY;)
            cell = next;
        colors[cell] = color;
        return true;
    }

    // Lets all pellets fall in the direction of gravity: column by column, beginning at the floor.
    void settle(Colors &colors, unsigned gravity) const
    {
        for (unsigned column = 0; column < view.columns; column++) {
            std::vector<unsigned> line;
            for (unsigned cell = cluster_top(question, column, gravity); cell != CLUSTER_NO_CELL;
                 cell = step(cell, gravity))
                line.push_back(cell);
            std::vector<uint8_t> pellets;
            for (auto cell = line.rbegin(); cell != line.rend(); ++cell) {
                if (colors[*cell] != CLUSTER_EMPTY)
                    pellets.push_back(colors[*cell]);
                colors[*cell] = CLUSTER_EMPTY;
            }
            for (size_t i = 0; i < pellets.size(); i++)
                colors[line[line.size() - 1 - i]] = pellets[i];
        }
    }

    // The longest run of mine and of theirs, and a measure of all runs: mine count, theirs count against me.
    struct Runs {
        int mine = 0, theirs = 0, balance = 0;
    };

    Runs runs(const Colors &colors) const
    {
        Runs runs;
        for (unsigned cell = 0; cell < view.cells; cell++)
            for (unsigned axis = 0; axis < 3; axis++) {
                uint8_t color = colors[cell];
                unsigned before = step(cell, axis + 3);
                if (color == CLUSTER_EMPTY || (before != CLUSTER_NO_CELL && colors[before] == color))
                    continue;
                int length = 1;
                for (unsigned next = step(cell, axis); next != CLUSTER_NO_CELL && colors[next] == color;
                     next = step(next, axis))
                    length++;
                bool mine = color == view.own_colors[0] || color == view.own_colors[1];
                (mine ? runs.mine : runs.theirs) = std::max(mine ? runs.mine : runs.theirs, length);
                runs.balance += (mine ? 1 : -1) * (length - 1) * (length - 1);
            }
        return runs;
    }

    // Whether the opponent has a move that wins. What it will have in hand is not known: any of its colors.
    bool loses(const Colors &colors, unsigned gravity) const
    {
        auto wins = [&](const Colors &after) {
            Runs result = runs(after);
            return result.theirs >= view.run_length && result.theirs > result.mine;
        };
        for (unsigned column = 0; column < view.columns; column++)
            for (uint8_t color : view.other_colors) {
                Colors after = colors;
                if (place(after, column, color, gravity) && wins(after))
                    return true;
            }
        for (unsigned cycles = 1; cycles < 6; cycles++) {
            Colors after = colors;
            settle(after, (gravity + cycles) % 6);
            if (wins(after))
                return true;
        }
        return false;
    }

    // What a move is worth that leads to these colors and this gravity.
    int worth(const Colors &colors, unsigned gravity) const
    {
        Runs result = runs(colors);
        if (std::max(result.mine, result.theirs) >= view.run_length)
            return 10000 * (result.mine - result.theirs);
        return result.balance - (loses(colors, gravity) ? 5000 : 0);
    }

    const void *question;
    const cluster_question &view;

private:
    unsigned step(unsigned cell, unsigned direction) const { return cluster_neighbor(question, cell, direction); }
};

cluster_answer best(const Board &board)
{
    const cluster_question &view = board.view;
    std::vector<std::pair<int, cluster_answer>> moves;
    // From the middle outwards, because of equal moves the first is taken.
    for (unsigned i = 0; i < view.columns; i++) {
        unsigned column = view.columns / 2 + (i % 2 ? (i + 1) / 2 : 0) - (i % 2 ? 0 : i / 2);
        for (unsigned pellet = 0; pellet < view.hand_size; pellet++) {
            Colors after = board.now();
            if (board.place(after, column, view.hand[pellet], view.gravity))
                moves.push_back({board.worth(after, view.gravity),
                                 {CLUSTER_PLACE, view.hand[pellet], uint16_t(column), 0, {}}});
        }
    }
    for (unsigned cycles = 1; cycles < 6; cycles++) {
        Colors after = board.now();
        unsigned gravity = (view.gravity + cycles) % 6;
        board.settle(after, gravity);
        // A rotation costs the hand.
        moves.push_back({board.worth(after, gravity) - 3, {CLUSTER_ROTATE, 0, 0, uint8_t(cycles), {}}});
    }
    return std::max_element(moves.begin(), moves.end(),
                            [](const auto &a, const auto &b) { return a.first < b.first; })->second;
}

} // namespace

uint32_t agon_abi() { return AGON_ABI; }

uint32_t agon_decide(const void *question, uint32_t, void *answers, uint32_t)
{
    *static_cast<cluster_answer *>(answers) = best(Board(question));
    return sizeof(cluster_answer);
}
