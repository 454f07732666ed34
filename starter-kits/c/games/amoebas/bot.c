/*
 * A bot for amoebas that makes random moves: each amoeba rests, or does what it can in a random direction.
 */
#include "agon/amoebas.h"
#include "random.h"
#include "start.h"

/* The settings of the match that the bot needs. */
static uint64_t move_energy, hit_energy, min_divide_energy;

/*
 * What one amoeba does. Change this. An amoeba that is to remember something must say so in each answer:
 *     answer.data = agon_append(answers, length, bytes, count);
 */
static amoebas_answer decide(const amoebas_question *me, void *answers, uint32_t *length)
{
    amoebas_answer answer = {.action = AMOEBAS_REST, .dir = (uint8_t)random_below(8)};
    const amoebas_cell *there = amoebas_cell_at(me, amoebas_dx(answer.dir), amoebas_dy(answer.dir));
    uint32_t chance = random_below(100);
    (void)answers, (void)length; /* For agon_append. */
    if (there->occupant != 0) {
        /* 0 is nobody, else it is the species plus one. */
        if (there->occupant != me->species + 1 && me->energy >= hit_energy)
            answer.action = AMOEBAS_HIT;
    } else if (chance < 20 && me->energy >= min_divide_energy) {
        answer.action = AMOEBAS_DIVIDE;
    } else if (chance < 50 && me->energy >= move_energy) {
        answer.action = AMOEBAS_MOVE;
    }
    return answer;
}

uint32_t agon_abi(void) { return AGON_ABI; }

void agon_start(const char *message, uint32_t length)
{
    random_seed(start_number(message, length, "seed", 0));
    move_energy = start_number(message, length, "move_energy", 0);
    hit_energy = start_number(message, length, "hit_energy", 0);
    min_divide_energy = start_number(message, length, "min_divide_energy", 0);
}

uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)
{
    uint32_t decisions = ((const agon_question *)question)->decisions;
    amoebas_answer *answer = answers;
    uint32_t written = decisions * (uint32_t)sizeof *answer;
    (void)length, (void)room; /* There is room for all answers and the data of all amoebas. */
    for (uint32_t i = 0; i < decisions; i++)
        answer[i] = decide(amoebas_question_at(question, i), answers, &written);
    return written;
}
