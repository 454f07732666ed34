/*
 * A bot for cluster that makes random moves: it drops a pellet into any column, and rotates now and then.
 */
#include "agon/cluster.h"
#include "random.h"
#include "start.h"

/* What the player to move does. Change this. */
static cluster_answer decide(const void *question, const cluster_question *seen)
{
    cluster_answer answer = {.action = CLUSTER_ROTATE, .cycles = (uint8_t)(1 + random_below(5))};
    uint32_t open = 0;
    /* Each open column takes the place of the one before with a chance of 1 to the number of open ones so far. */
    for (uint32_t column = 0; column < seen->columns; column++)
        if (cluster_landing(question, column) != CLUSTER_NO_CELL && random_below(++open) == 0)
            answer.column = (uint16_t)column;
    if (open > 0 && random_below(10) > 0) {
        answer.action = CLUSTER_PLACE;
        answer.color = seen->hand[random_below(seen->hand_size)];
    }
    return answer;
}

uint32_t agon_abi(void) { return AGON_ABI; }

void agon_start(const char *message, uint32_t length)
{
    random_seed(start_number(message, length, "seed", 0));
}

/* A question of cluster is one decision: the turn. */
uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)
{
    (void)length, (void)room; /* There is room for the answer. */
    *(cluster_answer *)answers = decide(question, cluster_question_at(question, 0));
    return sizeof(cluster_answer);
}
