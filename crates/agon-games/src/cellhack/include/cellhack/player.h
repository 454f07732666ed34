/*
 * cellhack/player.h: what a bot for cellhack needs to know, in C.
 *
 * A bot is one function, called once a turn for every living cell of its player:
 *
 *     uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory);
 *
 *   env     the cell and its eight neighbours: nine bytes, row by row from the top left one
 *   energy  the cell's energy; 255 stands for 255 and 256. Declaring it as int is fine, too.
 *   memory  eight bytes of the cell's own, kept between turns; a split copies them to both halves
 *
 * It returns one of the actions below. Anything else counts as NOTHING. A bot may also define
 *
 *     char *cell_name();
 *
 * Neither function is declared here, so that either way of declaring energy compiles.
 */
#ifndef CELLHACK_PLAYER_H
#define CELLHACK_PLAYER_H

#include <stdint.h>

/* Places in env. Only UP, LEFT, RIGHT and DOWN are directions that an action can have. */
#define LEFT_UP 0
#define UP_LEFT LEFT_UP
#define UP 1
#define RIGHT_UP 2
#define UP_RIGHT RIGHT_UP
#define LEFT 3
#define CENTER 4
#define RIGHT 5
#define LEFT_DOWN 6
#define DOWN_LEFT LEFT_DOWN
#define DOWN 7
#define RIGHT_DOWN 8
#define DOWN_RIGHT RIGHT_DOWN

/* What a place holds if it holds no cell. A cell shows the number of its player, 1 to 254. */
#define EMPTY 0
#define ROCK 255

/* Tests on a place, where the parameter env is in scope. */
#define isEmpty(place) (env[(place)] == EMPTY)
#define isFamily(place) (env[(place)] == env[CENTER])
#define isEnemy(place) (!isEmpty(place) && !isFamily(place) && env[(place)] != ROCK)

/* Actions without a direction. */
#define REST 1    /* gain 7 energy, 2 less for each occupied neighbour, but at least 1 */
#define NOTHING 2 /* wait */
#define DIE 3     /* disappear */

/* Actions with a direction are a base plus the direction: EAT_BASE + UP. */
#define EAT_BASE 0x10   /* take 1 energy from the cell there, whose ever it is */
#define MOVE_BASE 0x20  /* go there, if the place is free */
#define SPLIT_BASE 0x30 /* leave half of the energy there, if the place is free */
#define FEED_BASE 0x40  /* give 1 energy to the cell there, whose ever it is */

#define EAT_UP (EAT_BASE + UP)
#define EAT_LEFT (EAT_BASE + LEFT)
#define EAT_RIGHT (EAT_BASE + RIGHT)
#define EAT_DOWN (EAT_BASE + DOWN)

#define MOVE_UP (MOVE_BASE + UP)
#define MOVE_LEFT (MOVE_BASE + LEFT)
#define MOVE_RIGHT (MOVE_BASE + RIGHT)
#define MOVE_DOWN (MOVE_BASE + DOWN)

#define SPLIT_UP (SPLIT_BASE + UP)
#define SPLIT_LEFT (SPLIT_BASE + LEFT)
#define SPLIT_RIGHT (SPLIT_BASE + RIGHT)
#define SPLIT_DOWN (SPLIT_BASE + DOWN)

#define FEED_UP (FEED_BASE + UP)
#define FEED_LEFT (FEED_BASE + LEFT)
#define FEED_RIGHT (FEED_BASE + RIGHT)
#define FEED_DOWN (FEED_BASE + DOWN)

/* Energy, with the default settings of a match. */
#define ENERGY_MIN 20       /* a cell with less dies */
#define ENERGY_MIN_SPLIT 40 /* a cell needs more than this to split */
#define ENERGY_MAX 255      /* the most a bot is told; the cap itself, 256, does not fit a byte */
#define ENERGY_START 100    /* what a player's first cell has */

#endif
