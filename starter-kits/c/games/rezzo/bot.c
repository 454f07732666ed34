/*
 * A bot for rezzo that makes random moves: any that are possible.
 */
#include "agon/rezzo.h"
#include "random.h"
#include "start.h"

/* Whether there is something to hit on a cell: wire, or what travels on it. */
static int is_solid(uint8_t cell)
{
    return cell == REZZO_CONDUCTOR || cell == REZZO_ELECTRON || cell == REZZO_TAIL || cell == REZZO_PHOTON
        || (cell >= REZZO_FLAG && cell < REZZO_FLAG + 10);
}

/* What the agent does in this tick. Change this. */
static uint8_t decide(const rezzo_question *seen)
{
    uint8_t ahead = seen->cells[11][6];
    uint32_t chance = random_below(100);
    if (chance < 10)
        return REZZO_LEFT;
    if (chance < 20)
        return REZZO_RIGHT;
    if (ahead == REZZO_BLANK)
        return chance < 30 ? REZZO_BUILD : REZZO_ADVANCE;
    /* A flag of one's own is better left alone. */
    if (is_solid(ahead) && ahead != REZZO_FLAG + seen->me)
        return REZZO_HIT;
    return chance < 60 ? REZZO_LEFT : REZZO_RIGHT;
}

uint32_t agon_abi(void) { return AGON_ABI; }

void agon_start(const char *message, uint32_t length)
{
    random_seed(start_number(message, length, "seed", 0));
}

/* A question of rezzo is one decision: the tick. */
uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)
{
    (void)length, (void)room; /* There is room for the answer. */
    ((rezzo_answer *)answers)->action = decide(rezzo_question_at(question, 0));
    return sizeof(rezzo_answer);
}
