/*
 * rezzo: a question is one decision, a tick of one agent; a rezzo_question tells what it sees, a
 * rezzo_answer what it does.
 *
 * Generated from the arena's code; `cargo xtask generate` writes it anew.
 */
#ifndef AGON_REZZO_H
#define AGON_REZZO_H

#include "bot.h"

/* Actions. */
#define REZZO_NOP     ' '  /* nothing */
#define REZZO_ADVANCE '^'  /* a step ahead onto a blank cell */
#define REZZO_LEFT    '\\' /* a turn to the left */
#define REZZO_RIGHT   '/'  /* a turn to the right */
#define REZZO_BUILD   '.'  /* a step ahead that leaves a conductor */
#define REZZO_HIT     '!'  /* damage to the wire or flag ahead */

/* Cells that are nobody's. */
#define REZZO_BLANK     ' ' /* empty ground */
#define REZZO_CONDUCTOR '.' /* wire at rest */
#define REZZO_ELECTRON  '*' /* wire with the head of a signal */
#define REZZO_TAIL      ',' /* wire with the end of a signal */
#define REZZO_PHOTON    '~' /* what is about to become a flag */

/* Cells of players, plus the player's number. */
#define REZZO_AGENT  '0' /* an agent */
#define REZZO_FLAG   'A' /* a flag */
#define REZZO_GEYSER 'a' /* a source of flags */
#define REZZO_BASE   'n' /* a base */

/* What became of the answer before. */
#define REZZO_OK         0 /* done; or there was none */
#define REZZO_NO_MESSAGE 1 /* no answer came */
#define REZZO_INVALID    2 /* the action was not possible */
#define REZZO_GARBAGE    3 /* the answer named no action */
#define REZZO_SEVERAL    4 /* never so for this kind of bot */

/* What an agent sees: the 13 rows ahead of it, the farthest first, from left to right. The
 * agent itself is in the middle of the last row, at cells[12][6], and the cell ahead of it is
 * cells[11][6]. */
typedef struct rezzo_question {
    /* The number of this tick, from 0. */
    uint64_t tick;
    /* What became of the answer before: REZZO_OK and so on. */
    uint8_t ack;
    /* Your player's number, from 0: your agent is '0' + me, your flags are 'A' + me, your
     * geysers 'a' + me, your bases 'n' + me. */
    uint8_t me;
    /* The cells, as characters. */
    uint8_t cells[13][13];
    /* The damage of each. */
    uint8_t damage[13][13];
    /* 0. */
    uint8_t pad[4];
} rezzo_question;
AGON_ASSERT(sizeof(rezzo_question) == 352, "the layout of rezzo_question");

/* What the agent does. */
typedef struct rezzo_answer {
    /* The character of the action: REZZO_NOP and so on. 0 is no answer. */
    uint8_t action;
} rezzo_answer;
AGON_ASSERT(sizeof(rezzo_answer) == 1, "the layout of rezzo_answer");

/* What is known of decision number i, from 0. */
static inline const rezzo_question *rezzo_question_at(const void *question, uint32_t i)
{
    return (const rezzo_question *)agon_decision(question, i);
}

#endif /* AGON_REZZO_H */
