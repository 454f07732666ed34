/*
 * cellhack: each decision is about one cell; a cellhack_question tells what it sees, a
 * cellhack_answer what it does.
 *
 * Generated from the arena's code; `cargo xtask generate` writes it anew.
 */
#ifndef AGON_CELLHACK_H
#define AGON_CELLHACK_H

#include "bot.h"

/* What a place of env holds if it holds no cell. */
#define CELLHACK_EMPTY 0   /* nothing */
#define CELLHACK_ROCK  255 /* a rock */

/* Directions, which are places of env as well. The cell itself is in the middle. */
#define CELLHACK_UP     1 /* to the row above */
#define CELLHACK_LEFT   3 /* to the column on the left */
#define CELLHACK_CENTER 4 /* no direction: the cell itself */
#define CELLHACK_RIGHT  5 /* to the column on the right */
#define CELLHACK_DOWN   7 /* to the row below */

/* Actions. */
#define CELLHACK_REST    1    /* gain energy, less in a crowd */
#define CELLHACK_NOTHING 2    /* wait */
#define CELLHACK_DIE     3    /* disappear */
#define CELLHACK_EAT     0x10 /* plus a direction: take energy from the cell there */
#define CELLHACK_MOVE    0x20 /* plus a direction: go there */
#define CELLHACK_SPLIT   0x30 /* plus a direction: put half of the cell there */
#define CELLHACK_FEED    0x40 /* plus a direction: give energy to the cell there */

/* What one cell sees. */
typedef struct cellhack_question {
    /* The cell in the middle and its neighbours, row by row from the top left one: 0 empty,
     * 255 rock, else a player's number plus one. */
    uint8_t env[9];
    /* The cell's energy; 255 stands for all that does not fit a byte. */
    uint8_t energy;
    /* 0. */
    uint8_t pad[6];
    /* The cell's memory. */
    uint64_t memory;
} cellhack_question;
AGON_ASSERT(sizeof(cellhack_question) == 24, "the layout of cellhack_question");

/* What one cell does. */
typedef struct cellhack_answer {
    /* The action: CELLHACK_REST and so on, for some plus a direction. 0 is no answer. */
    uint8_t action;
    /* Ignored. */
    uint8_t pad[7];
    /* The cell's memory from now on. To keep it as it is, copy that of the question. */
    uint64_t memory;
} cellhack_answer;
AGON_ASSERT(sizeof(cellhack_answer) == 16, "the layout of cellhack_answer");

/* What is known of decision number i, from 0. */
static inline const cellhack_question *cellhack_question_at(const void *question, uint32_t i)
{
    return (const cellhack_question *)agon_decision(question, i);
}

#endif /* AGON_CELLHACK_H */
