/*
 * A bot for cellhack that does anything but die: each cell rests, or acts in a random direction.
 */
#include "agon/cellhack.h"
#include "random.h"

static const uint8_t DIRECTIONS[] = {CELLHACK_UP, CELLHACK_LEFT, CELLHACK_RIGHT, CELLHACK_DOWN};

/* What one cell does. Change this. */
static cellhack_answer decide(const cellhack_question *cell)
{
    /* The answer's memory is what the cell remembers next turn. */
    cellhack_answer answer = {.action = CELLHACK_REST, .memory = cell->memory};
    uint8_t direction = DIRECTIONS[random_below(4)];
    if (cell->env[direction] == CELLHACK_EMPTY) {
        static const uint8_t actions[] = {CELLHACK_REST, CELLHACK_MOVE, CELLHACK_SPLIT};
        uint8_t action = actions[random_below(3)];
        answer.action = action == CELLHACK_REST ? action : (uint8_t)(action + direction);
    } else if (cell->env[direction] != CELLHACK_ROCK && cell->env[direction] != cell->env[CELLHACK_CENTER]) {
        answer.action = (uint8_t)(CELLHACK_EAT + direction);
    }
    return answer;
}

uint32_t agon_abi(void) { return AGON_ABI; }

void agon_start(const char *message, uint32_t length) { random_start(message, length); }

uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)
{
    const agon_question *front = question;
    cellhack_answer *answer = answers;
    (void)length, (void)room; /* There is room for all answers. */
    for (uint32_t i = 0; i < front->decisions; i++)
        answer[i] = decide(cellhack_question_at(question, i));
    return front->decisions * (uint32_t)sizeof *answer;
}
