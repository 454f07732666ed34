/*
 * grazer: eats where there is fuel, divides when it is full, and otherwise walks to the richest neighboring cell.
 *
 *     agon play amoebas examples/bots/amoebas/grazer.c builtin:nasty
 *
 * It has no enemies, but defends itself. An amoeba writes the direction in which it walked into its data, so that it
 * does not walk back.
 */
#include "agon/amoebas.h"

static amoebas_answer decide(const void *question, const amoebas_question *me, void *answers, uint32_t *length)
{
    amoebas_answer answer = {.action = AMOEBAS_REST};
    int richest = -1, emptiest = -1, enemy = -1, back = -1;
    if (me->data.length == 1)
        back = (*(const uint8_t *)agon_at(question, me->data.offset) + 4) % 8;
    for (unsigned dir = 0; dir < 8; dir++) {
        const amoebas_cell *cell = amoebas_cell_at(me, amoebas_dx(dir), amoebas_dy(dir));
        if (cell->occupant != 0) {
            if (cell->occupant != me->species + 1)
                enemy = (int)dir;
            continue;
        }
        if (emptiest < 0)
            emptiest = (int)dir;
        if (cell->fuel > richest && (int)dir != back) {
            richest = cell->fuel;
            answer.dir = (uint8_t)dir;
        }
    }
    if (me->energy >= 80 && emptiest >= 0) {
        answer.action = AMOEBAS_DIVIDE;
        answer.dir = (uint8_t)emptiest;
    } else if (me->energy >= 30 && enemy >= 0) {
        answer.action = AMOEBAS_HIT;
        answer.dir = (uint8_t)enemy;
    } else if (me->energy >= 6 && richest > amoebas_cell_at(me, 0, 0)->fuel + 5) {
        answer.action = AMOEBAS_MOVE;
        answer.data = agon_append(answers, length, &answer.dir, 1);
    }
    return answer;
}

uint32_t agon_abi(void) { return AGON_ABI; }

uint32_t agon_decide(const void *question, uint32_t bytes, void *answers, uint32_t room)
{
    uint32_t decisions = ((const agon_question *)question)->decisions;
    uint32_t length = decisions * (uint32_t)sizeof(amoebas_answer);
    (void)bytes, (void)room; /* There is room for the data of all amoebas. */
    for (uint32_t i = 0; i < decisions; i++)
        ((amoebas_answer *)answers)[i] = decide(question, amoebas_question_at(question, i), answers, &length);
    return length;
}
