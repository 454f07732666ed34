/*
 * binfection: a question is one decision, a turn of one player; a binfection_question leads to the
 * cells it sees, a binfection_answer to its moves.
 *
 * Generated from the arena's code; `cargo xtask generate` writes it anew.
 */
#ifndef AGON_BINFECTION_H
#define AGON_BINFECTION_H

#include "bot.h"

/* Directions. */
#define BINFECTION_UP    0 /* y - 1 */
#define BINFECTION_RIGHT 1 /* x + 1 */
#define BINFECTION_DOWN  2 /* y + 1 */
#define BINFECTION_LEFT  3 /* x - 1 */

/* A cell in view. Cells outside of the field are missing; so a bot notices the border. */
typedef struct binfection_cell {
    /* Column, from 0 at the left. */
    uint16_t x;
    /* Row, from 0 at the top. */
    uint16_t y;
    /* Whose the units are: 0 nobody's, else the player's number plus one. */
    uint16_t owner;
    /* 0. */
    uint16_t pad;
    /* Number of units. */
    uint64_t units;
} binfection_cell;
AGON_ASSERT(sizeof(binfection_cell) == 16, "the layout of binfection_cell");

/* Sends half of a cell's units, rounded down, one cell further. Of several moves of a cell the
 * last counts. */
typedef struct binfection_move {
    /* Column of the cell, which has to be your own. */
    uint16_t x;
    /* Row of the cell. */
    uint16_t y;
    /* BINFECTION_UP, BINFECTION_RIGHT, BINFECTION_DOWN or BINFECTION_LEFT. */
    uint8_t direction;
    /* Ignored. */
    uint8_t pad[3];
} binfection_move;
AGON_ASSERT(sizeof(binfection_move) == 8, "the layout of binfection_move");

/* What a bot sees: its own cells and all around them. */
typedef struct binfection_question {
    /* Cells in view, each once, row by row. */
    uint32_t cells;
    /* How many of them are your own. */
    uint32_t own_cells;
    /* Offset of the binfection_cell[cells]; binfection_cells finds them. */
    uint32_t cells_offset;
    /* 0. */
    uint32_t pad;
} binfection_question;
AGON_ASSERT(sizeof(binfection_question) == 16, "the layout of binfection_question");

/* A bot's turn. */
typedef struct binfection_answer {
    /* 1. 0 is no answer: nothing moves. */
    uint8_t answered;
    /* Ignored. */
    uint8_t pad[3];
    /* Number of moves. There is room for one of each of your cells right behind this record. */
    uint32_t moves;
    /* Where they begin, counted from the front of the answers: sizeof(binfection_answer) for
     * right behind it. */
    uint32_t moves_offset;
} binfection_answer;
AGON_ASSERT(sizeof(binfection_answer) == 12, "the layout of binfection_answer");

/* What is known of decision number i, from 0. */
static inline const binfection_question *binfection_question_at(const void *question, uint32_t i)
{
    return (const binfection_question *)agon_decision(question, i);
}

/* The cells in view. */
static inline const binfection_cell *binfection_cells(const void *question)
{
    uint32_t offset = binfection_question_at(question, 0)->cells_offset;
    return (const binfection_cell *)agon_at(question, offset);
}

/*
 * Adds a move to the answer, which is empty at first. Whether there is any move or not, return
 * binfection_done.
 */
static inline void binfection_add(void *answers, unsigned x, unsigned y, unsigned direction)
{
    binfection_answer *answer = (binfection_answer *)answers;
    binfection_move *move = (binfection_move *)(answer + 1) + answer->moves++;
    move->x = (uint16_t)x;
    move->y = (uint16_t)y;
    move->direction = (uint8_t)direction;
}

/* Completes the answer; returns what agon_decide has to return. */
static inline uint32_t binfection_done(void *answers)
{
    binfection_answer *answer = (binfection_answer *)answers;
    answer->answered = 1;
    answer->moves_offset = sizeof(binfection_answer);
    return (uint32_t)(sizeof(binfection_answer) + answer->moves * sizeof(binfection_move));
}

#endif /* AGON_BINFECTION_H */
