/*
 * A bot for cellhack that makes random moves: each cell rests, or acts in a random direction.
 */
#include "agon/cellhack.h"
#include "random.h"
#include "start.h"

static const uint8_t DIRECTIONS[] = {CELLHACK_UP, CELLHACK_LEFT, CELLHACK_RIGHT, CELLHACK_DOWN};

/* What one cell does. Change this. */
static cellhack_answer decide(const cellhack_question *cell)
{
    /* The answer's memory is what the cell remembers next turn. */
    cellhack_answer answer = {.action = CELLHACK_REST, .memory = cell->memory};
    uint8_t direction = DIRECTIONS[random_below(4)];
    uint8_t there = cell->env[direction];
    if (there == CELLHACK_EMPTY && random_below(2))
        answer.action = (uint8_t)((random_below(2) ? CELLHACK_SPLIT : CELLHACK_MOVE) + direction);
    else if (there != CELLHACK_EMPTY && there != CELLHACK_ROCK && there != cell->env[CELLHACK_CENTER])
        answer.action = (uint8_t)(CELLHACK_EAT + direction);
    return answer;
}

uint32_t agon_abi(void) { return AGON_ABI; }

void agon_start(const char *message, uint32_t length)
{
    random_seed(start_number(message, length, "seed", 0));
}

uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)
{
    const agon_question *front = question;
    cellhack_answer *answer = answers;
    (void)length, (void)room; /* There is room for all answers. */
    for (uint32_t i = 0; i < front->decisions; i++)
        answer[i] = decide(cellhack_question_at(question, i));
    return front->decisions * (uint32_t)sizeof *answer;
}
