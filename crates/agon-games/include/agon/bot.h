/*
 * What every bot for Agon defines, as a native library (.so) or a WebAssembly module: agon_abi and
 * agon_decide.
 *
 * A batch of decisions is one question. It begins with an agon_question; then comes a record for
 * each decision, all of the same size, and behind them whatever their offsets lead to. The answers
 * are a record for each decision in the same order, and behind them whatever their offsets lead
 * to. agon/GAME.h describes the records of a game. All numbers are little-endian. The question
 * begins at a multiple of 8 bytes, and so do the answers.
 *
 * Generated from the arena's code; `cargo xtask generate` writes it anew.
 */
#ifndef AGON_BOT_H
#define AGON_BOT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define AGON_C extern "C"
#define AGON_ASSERT(condition, text) static_assert(condition, text)
#else
#define AGON_C
#define AGON_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* Before a function that the arena calls. */
#ifdef __wasm__
#define AGON_EXPORT(name) AGON_C __attribute__((export_name(#name), visibility("default")))
#else
#define AGON_EXPORT(name) AGON_C __attribute__((visibility("default")))
#endif

/* The version of this interface. */
#define AGON_ABI 1 /* what agon_abi returns */

/* The front of every question. */
typedef struct agon_question {
    /* How many decisions are wanted: records that follow, and answers. */
    uint32_t decisions;
    /* Whose decisions these are, from 0. */
    uint32_t player;
    /* The step of the match, from 0. A large batch may come in several questions, all with the
     * same step. */
    uint64_t step;
    /* The turn of the game, from 0. */
    uint64_t turn;
    /* Bytes of the fixed part of each decision; the first one begins right behind this record. */
    uint32_t stride;
    /* 0. */
    uint32_t reserved;
} agon_question;
AGON_ASSERT(sizeof(agon_question) == 32, "the layout of agon_question");

/* Bytes elsewhere in the same message. Offset 0 stands for none at all, as opposed to an empty
 * string. */
typedef struct agon_bytes {
    /* Where they begin, counted from the front of the question or of the answers. */
    uint32_t offset;
    /* How many there are. */
    uint32_t length;
} agon_bytes;
AGON_ASSERT(sizeof(agon_bytes) == 8, "the layout of agon_bytes");

/* What is known of decision number i, from 0: the record that agon/GAME.h describes. */
static inline const void *agon_decision(const void *question, uint32_t i)
{
    const agon_question *front = (const agon_question *)question;
    return (const unsigned char *)(front + 1) + (size_t)i * front->stride;
}

/* What lies at an offset of a question. */
static inline const void *agon_at(const void *question, uint32_t offset)
{
    return (const unsigned char *)question + offset;
}

/*
 * Appends bytes to answers, of which *length bytes are written so far, the records included. What
 * it returns goes into a record.
 */
static inline agon_bytes agon_append(void *answers, uint32_t *length, const void *bytes,
                                     uint32_t count)
{
    agon_bytes appended = {*length, count};
    for (uint32_t i = 0; i < count; i++)
        ((unsigned char *)answers)[(*length)++] = ((const unsigned char *)bytes)[i];
    return appended;
}

/* Returns AGON_ABI. */
AGON_EXPORT(agon_abi) uint32_t agon_abi(void);

/*
 * Answers a question of so many bytes: writes the answers into the room, and returns how many bytes
 * of it are written, at most `room`. The records of the answers are zero before the call, what is
 * behind them may be anything. The first byte of a record that is answered is not zero; what is
 * answered before a crash or an endless loop counts. Do not keep pointers: the next question may be
 * elsewhere, or in the same place.
 */
AGON_EXPORT(agon_decide)
uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room);

/*
 * May be left out: the match begins. The message is the line of JSON that programs get ("start"),
 * with the settings, the names of the players and a seed; no zero byte ends it.
 */
AGON_EXPORT(agon_start) void agon_start(const char *message, uint32_t length);

#ifdef __wasm__
/*
 * Only in WebAssembly: returns room for so many bytes, at a multiple of 8, or 0 if it has none.
 * That is where the arena writes the message of agon_start, and the questions with the room for
 * answers behind them. It uses the same room again and again, and asks when it needs more.
 */
AGON_EXPORT(agon_room) void *agon_room(uint32_t size);

/*
 * What the arena offers: text for the bot's log, and random numbers that are the same in every run.
 */
__attribute__((import_module("agon"), import_name("log")))
void agon_log(const char *text, uint32_t length);
__attribute__((import_module("agon"), import_name("random"))) uint64_t agon_random(void);
#endif

#endif /* AGON_BOT_H */
