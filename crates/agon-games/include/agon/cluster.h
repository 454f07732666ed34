/*
 * cluster: a question is one decision, that of the player to move; a cluster_question tells what
 * it sees, a cluster_answer what it does.
 *
 * Directions are numbered clockwise: 0 South, 1 SouthWest, 2 NorthWest, 3 North, 4 NorthEast, 5
 * SouthEast. Gravity is one of them.
 *
 * Generated from the arena's code; `cargo xtask generate` writes it anew.
 */
#ifndef AGON_CLUSTER_H
#define AGON_CLUSTER_H

#include "bot.h"

/* What is not there. */
#define CLUSTER_EMPTY   255   /* the color of a cell without a pellet */
#define CLUSTER_NO_CELL 65535 /* the cell beyond the edge of the board */

/* Actions. */
#define CLUSTER_PLACE   1 /* let a pellet fall into a column */
#define CLUSTER_ROTATE  2 /* turn the gravity; burns the hand */
#define CLUSTER_FORFEIT 3 /* give the game up */

/* What the player to move sees. */
typedef struct cluster_question {
    /* Cells of the board, numbered from 0 in the centre. The geometry is the same in all
     * questions of a match. */
    uint32_t cells;
    /* Columns, whatever the gravity. */
    uint32_t columns;
    /* Offset of uint16_t[cells][6]; cluster_neighbor reads it. */
    uint32_t neighbors;
    /* Offset of uint16_t[columns][6]; cluster_top reads it. */
    uint32_t tops;
    /* Offset of uint8_t[cells]; cluster_colors finds it. */
    uint32_t colors;
    /* Pellets left in your bags, the hand not included, in the order of own_colors. */
    uint32_t bags[2];
    /* Your pellets that have been burnt by rotations. */
    uint32_t burnt;
    /* Cells along each edge of the board. */
    uint8_t side;
    /* How long a run has to be to win. */
    uint8_t run_length;
    /* The direction in which pellets fall, 0 to 5. */
    uint8_t gravity;
    /* Pellets in hand. */
    uint8_t hand_size;
    /* Their colors in ascending order, then CLUSTER_EMPTY. */
    uint8_t hand[8];
    /* Your two colors. */
    uint8_t own_colors[2];
    /* The opponent's two colors. */
    uint8_t other_colors[2];
} cluster_question;
AGON_ASSERT(sizeof(cluster_question) == 48, "the layout of cluster_question");

/* What the player does. */
typedef struct cluster_answer {
    /* CLUSTER_PLACE, CLUSTER_ROTATE or CLUSTER_FORFEIT. 0 is no answer, and loses. */
    uint8_t action;
    /* Of CLUSTER_PLACE: the pellet's color, one of the hand. */
    uint8_t color;
    /* Of CLUSTER_PLACE: the column, whose top cell has to be empty. */
    uint16_t column;
    /* Of CLUSTER_ROTATE: sixths of a full turn, 1 to 5, that are added to the gravity. */
    uint8_t cycles;
    /* Ignored. */
    uint8_t pad[3];
} cluster_answer;
AGON_ASSERT(sizeof(cluster_answer) == 8, "the layout of cluster_answer");

/* What is known of decision number i, from 0. */
static inline const cluster_question *cluster_question_at(const void *question, uint32_t i)
{
    return (const cluster_question *)agon_decision(question, i);
}

/* The color of the pellet on each cell, CLUSTER_EMPTY for none. */
static inline const uint8_t *cluster_colors(const void *question)
{
    return (const uint8_t *)agon_at(question, cluster_question_at(question, 0)->colors);
}

/* The cell next to a cell in a direction, 0 to 5, or CLUSTER_NO_CELL. */
static inline uint16_t cluster_neighbor(const void *question, unsigned cell, unsigned direction)
{
    uint32_t offset = cluster_question_at(question, 0)->neighbors;
    return ((const uint16_t *)agon_at(question, offset))[6 * cell + direction];
}

/* The cell where a pellet enters a column under a gravity. */
static inline uint16_t cluster_top(const void *question, unsigned column, unsigned gravity)
{
    uint32_t offset = cluster_question_at(question, 0)->tops;
    return ((const uint16_t *)agon_at(question, offset))[6 * column + gravity];
}

/*
 * The cell where a pellet comes to rest in a column now, or CLUSTER_NO_CELL if the column is full.
 */
static inline uint16_t cluster_landing(const void *question, unsigned column)
{
    const uint8_t *colors = cluster_colors(question);
    unsigned gravity = cluster_question_at(question, 0)->gravity;
    uint16_t cell = CLUSTER_NO_CELL, next = cluster_top(question, column, gravity);
    while (next != CLUSTER_NO_CELL && colors[next] == CLUSTER_EMPTY) {
        cell = next;
        next = cluster_neighbor(question, cell, gravity);
    }
    return cell;
}

#endif /* AGON_CLUSTER_H */
