/*
 * amoebas: each decision is about one amoeba; an amoebas_question and the window behind it tell
 * what it sees, an amoebas_answer what it does.
 *
 * Generated from the arena's code; `cargo xtask generate` writes it anew.
 */
#ifndef AGON_AMOEBAS_H
#define AGON_AMOEBAS_H

#include "bot.h"

/* Actions. One whose needs are not met becomes a rest. */
#define AMOEBAS_REST   1 /* eat from the cell and recover */
#define AMOEBAS_MOVE   2 /* go to an empty neighboring cell */
#define AMOEBAS_HIT    3 /* hurt whoever is on a neighboring cell */
#define AMOEBAS_DIVIDE 4 /* put a child on an empty neighboring cell */

/* Directions, clockwise. */
#define AMOEBAS_NW 0 /* north-west */
#define AMOEBAS_N  1 /* north */
#define AMOEBAS_NE 2 /* north-east */
#define AMOEBAS_E  3 /* east */
#define AMOEBAS_SE 4 /* south-east */
#define AMOEBAS_S  5 /* south */
#define AMOEBAS_SW 6 /* south-west */
#define AMOEBAS_W  7 /* west */

/* A cell in view. */
typedef struct amoebas_cell {
    /* Its fuel. */
    uint16_t fuel;
    /* Who is there: 0 nobody, else the species plus one. The rest is 0 where nobody is. */
    uint16_t occupant;
    /* The occupant's energy. */
    uint16_t energy;
    /* The occupant's health. */
    uint16_t health;
    /* The occupant's data. */
    agon_bytes data;
} amoebas_cell;
AGON_ASSERT(sizeof(amoebas_cell) == 16, "the layout of amoebas_cell");

/* What one amoeba knows. Right behind it is its window, (2 * view_distance + 1) squared cells
 * row by row from the north-west; the amoeba itself is in the middle. amoebas_cell_at finds
 * them. */
typedef struct amoebas_question {
    /* The amoeba's energy. */
    uint16_t energy;
    /* Its health. */
    uint16_t health;
    /* Its species: your player's number. */
    uint16_t species;
    /* How many cells it sees in each direction. */
    uint16_t view_distance;
    /* Its data. */
    agon_bytes data;
    /* Its amoeba function; none: the original one of the species. */
    agon_bytes function;
} amoebas_question;
AGON_ASSERT(sizeof(amoebas_question) == 24, "the layout of amoebas_question");

/* What one amoeba does. Data and functions are bytes that you write behind all answers:
 * agon_append does so, beginning with a length of decisions * sizeof(amoebas_answer). Offset 0
 * stands for none. */
typedef struct amoebas_answer {
    /* AMOEBAS_REST, AMOEBAS_MOVE, AMOEBAS_HIT or AMOEBAS_DIVIDE. 0 is no answer: it rests, and
     * keeps its data. */
    uint8_t action;
    /* The direction of AMOEBAS_MOVE, AMOEBAS_HIT and AMOEBAS_DIVIDE. */
    uint8_t dir;
    /* Ignored. */
    uint8_t pad[2];
    /* The amoeba's data from now on; none: it forgets those it has. */
    agon_bytes data;
    /* Of AMOEBAS_DIVIDE: the child's data. */
    agon_bytes child_data;
    /* Of AMOEBAS_DIVIDE: the child's amoeba function; none: the parent's. */
    agon_bytes function;
} amoebas_answer;
AGON_ASSERT(sizeof(amoebas_answer) == 28, "the layout of amoebas_answer");

/* What is known of decision number i, from 0. */
static inline const amoebas_question *amoebas_question_at(const void *question, uint32_t i)
{
    return (const amoebas_question *)agon_decision(question, i);
}

/*
 * The cell dx to the east and dy to the south of an amoeba; neither may exceed the view
 * distance.
 */
static inline const amoebas_cell *amoebas_cell_at(const amoebas_question *amoeba, int dx, int dy)
{
    int reach = amoeba->view_distance;
    return (const amoebas_cell *)(amoeba + 1) + (dy + reach) * (2 * reach + 1) + dx + reach;
}

/* The steps to the east and to the south that lead to the neighbor in a direction. */
static inline int amoebas_dx(unsigned dir)
{
    return dir == 1 || dir == 5 ? 0 : dir >= 2 && dir <= 4 ? 1 : -1;
}

static inline int amoebas_dy(unsigned dir)
{
    return dir == 3 || dir == 7 ? 0 : dir >= 4 && dir <= 6 ? 1 : -1;
}

#endif /* AGON_AMOEBAS_H */
