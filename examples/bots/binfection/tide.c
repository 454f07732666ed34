/*
 * tide: sends every stack where it brings most: onto weaker enemies, else onto empty cells, else away from its own.
 *
 *     agon play binfection examples/bots/binfection/tide.c builtin:spreader
 */
#include "agon/binfection.h"

static const int DX[4] = {0, 1, 0, -1}, DY[4] = {-1, 0, 1, 0};

/* The cell at a place, or 0. Cells come row by row, so that halving finds it. */
static const binfection_cell *find(const binfection_cell *cells, uint32_t count, int x, int y)
{
    uint32_t from = 0, to = count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        const binfection_cell *cell = &cells[middle];
        if (cell->y == y && cell->x == x)
            return cell;
        if (cell->y < y || (cell->y == y && cell->x < x))
            from = middle + 1;
        else
            to = middle;
    }
    return 0;
}

uint32_t agon_abi(void) { return AGON_ABI; }

uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)
{
    const agon_question *front = (const agon_question *)question;
    const binfection_question *view = binfection_question_at(question, 0);
    const binfection_cell *cells = binfection_cells(question);
    (void)length, (void)room;
    for (uint32_t i = 0; i < view->cells; i++) {
        const binfection_cell *cell = &cells[i];
        int best = -1, best_worth = 0;
        if (cell->owner != front->player + 1 || cell->units < 2)
            continue;
        for (int turn = 0; turn < 4; turn++) {
            /* Begins with another direction on each cell and in each turn, so that stacks spread out. */
            int direction = (turn + cell->x + cell->y + (int)(front->turn % 4)) % 4;
            const binfection_cell *next = find(cells, view->cells, cell->x + DX[direction], cell->y + DY[direction]);
            int worth = !next ? 0
                : next->owner == 0 ? 2
                : next->owner == cell->owner ? (next->units * 4 < cell->units)
                : cell->units / 2 > next->units ? 3 : 0;
            if (worth > best_worth) {
                best = direction;
                best_worth = worth;
            }
        }
        if (best >= 0)
            binfection_add(answers, cell->x, cell->y, (unsigned)best);
    }
    return binfection_done(answers);
}
