/* The kit for games in C or C++ that Agon plays from a file: docs/game-files.md.
 *
 * Before this file is included, define
 *
 *     struct agon_position { ... };   the state of a match: whole numbers and arrays of them, no
 *                                     pointers; it decides the whole future
 *     struct agon_view { ... };       what one decision sees
 *
 * and afterwards the functions and tables that are declared below without a body. Compile with
 *
 *     clang --target=wasm32 -O2 -mbulk-memory -nostdlib -Wl,--no-entry -o rules.wasm rules.c
 *
 * Nothing lasts from call to call: all that a function may use comes in its arguments. */
#ifndef AGON_GAME_H
#define AGON_GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The match that a call is about. */
typedef struct {
    uint32_t players;
    /* The settings in the order of game.toml: numbers, 0 and 1, and the places of words. */
    const int64_t *settings;
    uint64_t key[4];
} agon_match;

/* A field of the position or the view, as people and bots see it. */
typedef struct {
    const char *name, *about;
    uint32_t at, bytes, is_signed, count;
    /* The field before it that says how much of a list is used, or 0. */
    const char *length;
} agon_field;

/* AGON_NUMBER(struct agon_position, turn, "Turns that are over."), unsigned. */
#define AGON_NUMBER(type, name, about) \
    { #name, about, offsetof(type, name), sizeof(((type *)0)->name), 0, 0, 0 }
/* The same for a number with a sign. */
#define AGON_SIGNED_NUMBER(type, name, about) \
    { #name, about, offsetof(type, name), sizeof(((type *)0)->name), 1, 0, 0 }
/* An array of unsigned numbers. `length` is the name of the field with its used length, or 0. */
#define AGON_LIST(type, name, length, about) \
    { #name, about, offsetof(type, name), sizeof(((type *)0)->name[0]), 0, \
      sizeof(((type *)0)->name) / sizeof(((type *)0)->name[0]), length }

/* Ends with an entry without a name: { 0 }. */
extern const agon_field agon_position_fields[], agon_view_fields[];

/* The answer of a bot that gave none. */
#define AGON_DEFAULT UINT32_MAX

/* Where a function lists decisions, draws a picture, or says how the players stand. */
typedef struct agon_output agon_output;

/* Answer `number` as a word, which may be written to `room`; 0 if there are no more. */
const char *agon_answer(const agon_match *match, uint32_t number, char room[64]);
/* Fills in the start of a match, which is zero before. Returns why the settings do not fit, or 0. */
const char *agon_start_match(const agon_match *match, struct agon_position *position);
/* Returns what contradicts the rules in a position that somebody wrote, or 0. */
const char *agon_check(const agon_match *match, const struct agon_position *position);
/* The number of players, the ones that are out included. */
uint32_t agon_players(const struct agon_position *position);
/* The turns that are over, and the turn at which the match ends at the latest (UINT64_MAX: none). */
uint64_t agon_turn(const struct agon_position *position);
uint64_t agon_limit(const agon_match *match, const struct agon_position *position);
/* Whether a player can never decide again. */
bool agon_is_out(const struct agon_position *position, uint32_t player);
/* Calls agon_want for each decision of now, by player, then unit; for none if the game is over. */
void agon_decisions(const agon_match *match, const struct agon_position *position, agon_output *out);
bool agon_is_legal(const agon_match *match, const struct agon_position *position, uint32_t player,
                   uint32_t unit, uint32_t answer);
/* Fills in what a decision sees; the view is zero before. */
void agon_see(const agon_match *match, const struct agon_position *position, uint32_t player,
              uint32_t unit, struct agon_view *view);
/* Plays one step: an answer for each decision of now, in the same order. */
void agon_step(const agon_match *match, struct agon_position *position, const uint32_t *answers);
/* A player's score, and what decides its place: the highest wins. */
int64_t agon_score(const agon_match *match, const struct agon_position *position, uint32_t player);
int64_t agon_rank(const agon_match *match, const struct agon_position *position, uint32_t player);
/* Why the game has ended this way: "most points after 50 turns". */
const char *agon_ending(const agon_match *match, const struct agon_position *position);
/* Draws what `player` sees, or everything for AGON_ALL: agon_board, agon_fill and agon_mark. */
void agon_draw(const agon_match *match, const struct agon_position *position, uint32_t player,
               agon_output *out);
#define AGON_ALL UINT32_MAX

/* Lists a decision. */
void agon_want(agon_output *out, uint32_t player, uint32_t unit);
/* Begins a picture of at most 64 x 64 squares. */
void agon_board(agon_output *out, uint32_t width, uint32_t height, bool wraps);
/* Colours a square. */
void agon_fill(agon_output *out, uint32_t x, uint32_t y, uint16_t ink);
/* Draws a shape on a square; `number` is a diameter in percent, a direction or a number. */
void agon_mark(agon_output *out, uint32_t x, uint32_t y, uint16_t shape, uint16_t ink,
               uint32_t number);

/* Colours by their meaning. */
#define AGON_INK(hue) ((uint16_t)((hue) * 64 + 63))
#define AGON_GROUND AGON_INK(0)
#define AGON_WALL AGON_INK(1)
#define AGON_FOOD AGON_INK(2)
#define AGON_HIDDEN AGON_INK(7)
#define AGON_ACCENT AGON_INK(8)
#define AGON_PLAYER(player) AGON_INK(16 + (player))
#define AGON_PLAYER_SECOND(player) AGON_INK(272 + (player))
/* Shapes. */
enum { AGON_DISC, AGON_RING, AGON_SQUARE, AGON_POINTER, AGON_FLAG, AGON_CROSS, AGON_DIGITS };

/* Chance: the same in every run of a match. Who sees some of the numbers learns no others. */
typedef struct {
    uint32_t key[16], block[16], used;
} agon_chance;
agon_chance agon_chance_of(const agon_match *match, uint64_t turn);
/* A number below `limit`, all with the same chance; 0 if `limit` is 0. */
uint32_t agon_below(agon_chance *chance, uint32_t limit);

/* ------------------------------------------------------------------------------------------- */
/* The kit's own part: the requests of the arena. */

#define AGON_MOST_SQUARES 4096
#define AGON_MOST_DECISIONS 4096

struct agon_output {
    uint8_t *bytes;
    uint32_t length, room, count, width, height;
    const agon_match *match;
    const struct agon_position *position;
    uint32_t answers;
    /* Offsets of the number of decisions or marks, and of the squares. */
    uint32_t count_at, squares_at;
};

static void agon_put(agon_output *out, const void *bytes, uint32_t count)
{
    if (out->room - out->length < count)
        __builtin_trap();
    __builtin_memcpy(out->bytes + out->length, bytes, count);
    out->length += count;
}
static void agon_put16(agon_output *out, uint16_t number) { agon_put(out, &number, 2); }
static void agon_put32(agon_output *out, uint32_t number) { agon_put(out, &number, 4); }
static void agon_put64(agon_output *out, uint64_t number) { agon_put(out, &number, 8); }
static uint32_t agon_length(const char *text)
{
    uint32_t length = 0;
    while (text[length])
        length++;
    return length;
}
static void agon_say(agon_output *out, const char *text) { agon_put(out, text, agon_length(text)); }
static void agon_put_text(agon_output *out, const char *text)
{
    agon_put32(out, agon_length(text));
    agon_say(out, text);
}
static void agon_say_number(agon_output *out, uint32_t number)
{
    char digits[11];
    int at = 10;
    digits[10] = 0;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    agon_say(out, digits + at);
}

typedef struct {
    const uint8_t *bytes;
    uint32_t left;
} agon_input;
static const uint8_t *agon_take(agon_input *in, uint32_t count)
{
    if (in->left < count)
        __builtin_trap();
    const uint8_t *taken = in->bytes;
    in->bytes += count;
    in->left -= count;
    return taken;
}
static uint32_t agon_take32(agon_input *in)
{
    uint32_t number;
    __builtin_memcpy(&number, agon_take(in, 4), 4);
    return number;
}

void agon_want(agon_output *out, uint32_t player, uint32_t unit)
{
    if (out->count == AGON_MOST_DECISIONS)
        __builtin_trap();
    out->count++;
    agon_put32(out, player);
    agon_put32(out, unit);
    for (uint32_t first = 0; first < out->answers; first += 64) {
        uint64_t legal = 0;
        for (uint32_t i = 0; i < 64 && first + i < out->answers; i++)
            if (agon_is_legal(out->match, out->position, player, unit, first + i))
                legal |= (uint64_t)1 << i;
        agon_put64(out, legal);
    }
}

void agon_board(agon_output *out, uint32_t width, uint32_t height, bool wraps)
{
    if (out->squares_at || !width || width > 64 || !height || height > 64)
        __builtin_trap();
    out->length -= 8;
    out->width = width;
    out->height = height;
    agon_put32(out, width);
    agon_put32(out, height);
    agon_put32(out, wraps);
    out->squares_at = out->length;
    for (uint32_t i = 0; i < width * height; i++)
        agon_put16(out, AGON_GROUND);
    out->count_at = out->length;
    agon_put32(out, 0);
}
static uint32_t agon_place(const agon_output *out, uint32_t x, uint32_t y)
{
    if (x >= out->width || y >= out->height)
        __builtin_trap();
    return y * out->width + x;
}
void agon_fill(agon_output *out, uint32_t x, uint32_t y, uint16_t ink)
{
    __builtin_memcpy(out->bytes + out->squares_at + 2 * agon_place(out, x, y), &ink, 2);
}
void agon_mark(agon_output *out, uint32_t x, uint32_t y, uint16_t shape, uint16_t ink,
               uint32_t number)
{
    out->count++;
    __builtin_memcpy(out->bytes + out->count_at, &out->count, 4);
    agon_put32(out, agon_place(out, x, y));
    agon_put16(out, shape);
    agon_put16(out, ink);
    agon_put32(out, number);
}

/* ChaCha with 8 rounds. */
static void agon_quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
#define AGON_TURN(x, y, z, bits) \
    *x += *y, *z ^= *x, *z = *z << bits | *z >> (32 - bits)
    AGON_TURN(a, b, d, 16);
    AGON_TURN(c, d, b, 12);
    AGON_TURN(a, b, d, 8);
    AGON_TURN(c, d, b, 7);
}
agon_chance agon_chance_of(const agon_match *match, uint64_t turn)
{
    agon_chance chance = { { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 }, { 0 }, 16 };
    __builtin_memcpy(chance.key + 4, match->key, 32);
    __builtin_memcpy(chance.key + 14, &turn, 8);
    return chance;
}
static uint32_t agon_word(agon_chance *chance)
{
    if (chance->used == 16) {
        uint32_t *x = chance->block;
        __builtin_memcpy(x, chance->key, 64);
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 4; i++)
                agon_quarter(x + i, x + 4 + i, x + 8 + i, x + 12 + i);
            for (int i = 0; i < 4; i++)
                agon_quarter(x + i, x + 4 + (i + 1) % 4, x + 8 + (i + 2) % 4, x + 12 + (i + 3) % 4);
        }
        for (int i = 0; i < 16; i++)
            x[i] += chance->key[i];
        chance->key[12]++;
        chance->used = 0;
    }
    return chance->block[chance->used++];
}
uint32_t agon_below(agon_chance *chance, uint32_t limit)
{
    if (!limit)
        return 0;
    /* The last numbers would make small results more likely. */
    uint32_t most = UINT32_MAX - (uint32_t)(0x100000000ull % limit), word;
    do
        word = agon_word(chance);
    while (word > most);
    return word % limit;
}

static uint32_t agon_count_answers(const agon_match *match)
{
    char room[64];
    uint32_t count = 0;
    while (agon_answer(match, count, room))
        count++;
    return count;
}

/* Counts the decisions, and writes nothing that stays. */
static uint32_t agon_count_decisions(const agon_match *match, const struct agon_position *position,
                                     const agon_output *out)
{
    agon_output counted = *out;
    counted.match = match;
    counted.position = position;
    counted.count = counted.answers = 0;
    agon_decisions(match, position, &counted);
    return counted.count;
}

static uint64_t agon_hash(const struct agon_position *position)
{
    const uint8_t *bytes = (const uint8_t *)position;
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint32_t i = 0; i < sizeof *position; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebull;
    return hash ^ hash >> 31;
}

static void agon_put_state(agon_output *out, agon_match *match, const struct agon_position *position)
{
    match->players = agon_players(position);
    agon_put32(out, sizeof *position);
    agon_put(out, position, sizeof *position);
    agon_put64(out, agon_hash(position));
    agon_put64(out, agon_turn(position));
    agon_put64(out, agon_limit(match, position));
    agon_put32(out, match->players);
    for (uint32_t player = 0; player < match->players; player++) {
        uint8_t is_out = agon_is_out(position, player);
        agon_put(out, &is_out, 1);
    }
    uint32_t count_at = out->length;
    agon_put32(out, 0);
    out->match = match;
    out->position = position;
    out->count = 0;
    out->answers = agon_count_answers(match);
    agon_decisions(match, position, out);
    __builtin_memcpy(out->bytes + count_at, &out->count, 4);
}

static void agon_put_standing(agon_output *out, const agon_match *match,
                              const struct agon_position *position)
{
    uint32_t winners = 0, winner[64];
    agon_put32(out, match->players);
    for (uint32_t player = 0; player < match->players; player++) {
        uint32_t place = 1;
        for (uint32_t other = 0; other < match->players; other++)
            place += agon_rank(match, position, other) > agon_rank(match, position, player);
        if (place == 1 && winners < 64)
            winner[winners++] = player;
        agon_put32(out, place);
        agon_put64(out, (uint64_t)agon_score(match, position, player));
        uint8_t is_out = agon_is_out(position, player);
        agon_put(out, &is_out, 1);
        agon_put32(out, 0);
    }
    bool is_over = !agon_count_decisions(match, position, out);
    agon_put32(out, is_over && match->players > 1 ? winners : 0);
    for (uint32_t i = 0; i < winners && is_over && match->players > 1; i++)
        agon_put32(out, winner[i]);
    agon_put_text(out, is_over ? agon_ending(match, position) : "");
}

static void agon_say_fields(agon_output *out, const char *name, uint32_t size,
                            const agon_field *fields)
{
    agon_say(out, "\"");
    agon_say(out, name);
    agon_say(out, "\":{\"size\":");
    agon_say_number(out, size);
    agon_say(out, ",\"fields\":[");
    for (const agon_field *field = fields; field->name; field++) {
        const char *keys[] = { "at", "bytes", "count" };
        uint32_t values[] = { field->at, field->bytes, field->count };
        agon_say(out, field == fields ? "{" : ",{");
        for (int i = 0; i < 3; i++) {
            agon_say(out, "\"");
            agon_say(out, keys[i]);
            agon_say(out, "\":");
            agon_say_number(out, values[i]);
            agon_say(out, ",");
        }
        agon_say(out, field->is_signed ? "\"signed\":true" : "\"signed\":false");
        agon_say(out, ",\"name\":\"");
        agon_say(out, field->name);
        agon_say(out, "\",\"about\":\"");
        agon_say(out, field->about);
        agon_say(out, "\",\"length\":\"");
        agon_say(out, field->length ? field->length : "");
        agon_say(out, "\"}");
    }
    agon_say(out, "]}");
}

static void agon_take_match(agon_input *in, agon_match *match)
{
    /* The arena's requests start at a multiple of 8; the settings may not. */
    static int64_t settings[64];
    agon_take(in, agon_take32(in));
    uint32_t count = agon_take32(in);
    if (count > 64)
        __builtin_trap();
    __builtin_memcpy(settings, agon_take(in, 8 * count), 8 * count);
    match->settings = settings;
    agon_take(in, 12);
    __builtin_memcpy(match->key, agon_take(in, 32), 32);
    match->players = agon_take32(in);
}

static void agon_take_position(agon_input *in, struct agon_position *position)
{
    if (agon_take32(in) != sizeof *position)
        __builtin_trap();
    __builtin_memcpy(position, agon_take(in, sizeof *position), sizeof *position);
}

/* Returns what does not fit, or 0. */
static const char *agon_reply(agon_input *in, agon_output *out)
{
    static struct agon_position position;
    static struct agon_view view;
    static uint32_t answers[AGON_MOST_DECISIONS];
    agon_match match;
    uint32_t op = agon_take32(in);
    if (op == 0) {
        agon_say(out, "{");
        agon_say_fields(out, "position", sizeof position, agon_position_fields);
        agon_say(out, ",");
        agon_say_fields(out, "view", sizeof view, agon_view_fields);
        agon_say(out, "}");
        return 0;
    }
    agon_take_match(in, &match);
    const char *problem = 0;
    if (op == 1) {
        char room[64];
        uint32_t count = agon_count_answers(&match);
        agon_put32(out, count);
        for (uint32_t i = 0; i < count; i++) {
            const char *word = agon_answer(&match, i, room);
            agon_put32(out, agon_length(word) + 2);
            agon_say(out, "\"");
            agon_say(out, word);
            agon_say(out, "\"");
        }
    } else if (op == 2) {
        __builtin_memset(&position, 0, sizeof position);
        problem = agon_start_match(&match, &position);
        if (!problem)
            agon_put_state(out, &match, &position);
    } else if (op == 3) {
        agon_take32(in);
        if (agon_take32(in) != sizeof position)
            return "the position has another size";
        __builtin_memcpy(&position, agon_take(in, sizeof position), sizeof position);
        match.players = agon_players(&position);
        if (!match.players || match.players > 64)
            return "the number of players is wrong";
        problem = agon_check(&match, &position);
        if (!problem)
            agon_put_state(out, &match, &position);
    } else if (op == 4) {
        for (uint32_t boards = agon_take32(in); boards; boards--) {
            agon_take_position(in, &position);
            for (uint32_t steps = agon_take32(in); steps; steps--) {
                uint32_t count = agon_take32(in);
                if (count != agon_count_decisions(&match, &position, out))
                    return "the number of answers is not that of decisions";
                __builtin_memcpy(answers, agon_take(in, 4 * count), 4 * count);
                agon_step(&match, &position, answers);
                agon_put64(out, agon_hash(&position));
            }
            agon_put_state(out, &match, &position);
        }
    } else {
        agon_take_position(in, &position);
        if (op == 5) {
            for (uint32_t count = agon_take32(in); count; count--) {
                uint32_t player = agon_take32(in), unit = agon_take32(in);
                __builtin_memset(&view, 0, sizeof view);
                agon_see(&match, &position, player, unit, &view);
                agon_put32(out, sizeof view);
                agon_put(out, &view, sizeof view);
            }
        } else if (op == 6) {
            agon_put_standing(out, &match, &position);
        } else if (op == 7) {
            agon_put64(out, 0);
            out->count = 0;
            out->squares_at = 0;
            agon_draw(&match, &position, agon_take32(in), out);
        } else {
            return "there is no such request";
        }
    }
    return problem;
}

__attribute__((export_name("agon_abi"))) uint32_t agon_abi(void) { return 1001; }

__attribute__((export_name("agon_room"))) void *agon_room(uint32_t size)
{
    uint32_t pages = (size + 65535) / 65536;
    size_t first = __builtin_wasm_memory_grow(0, pages);
    return first == SIZE_MAX ? 0 : (void *)(first * 65536);
}

__attribute__((export_name("agon_decide"))) uint32_t agon_decide(const void *request,
                                                                 uint32_t length, void *reply,
                                                                 uint32_t room)
{
    agon_input in = { (const uint8_t *)request, length };
    agon_output out = { (uint8_t *)reply, 0, room, 0, 0, 0, 0, 0, 0, 0, 0 };
    uint8_t fine = 0, refused = 1;
    agon_put(&out, &fine, 1);
    const char *problem = agon_reply(&in, &out);
    if (problem) {
        out.length = 0;
        agon_put(&out, &refused, 1);
        agon_say(&out, problem);
    }
    return out.length;
}

#ifdef __cplusplus
}
#endif
#endif
