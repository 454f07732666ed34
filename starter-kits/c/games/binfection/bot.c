/*
 * A bot for binfection that makes random moves: half of its cells send units somewhere.
 */
#include "agon/binfection.h"
#include "random.h"
#include "start.h"

/* Makes the moves of a turn. Change this. */
static void decide(const agon_question *front, const binfection_cell *cells, uint32_t count, void *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        const binfection_cell *cell = &cells[i];
        /* 0 is nobody, else it is the player plus one. A single unit cannot move. */
        if (cell->owner == front->player + 1 && cell->units >= 2 && random_below(2))
            binfection_add(answers, cell->x, cell->y, random_below(4));
    }
}

uint32_t agon_abi(void) { return AGON_ABI; }

void agon_start(const char *message, uint32_t length)
{
    random_seed(start_number(message, length, "seed", 0));
}

/* A question of binfection is one decision: the turn. */
uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)
{
    (void)length, (void)room; /* There is room for a move of each cell. */
    decide(question, binfection_cells(question), binfection_question_at(question, 0)->cells, answers);
    return binfection_done(answers);
}
