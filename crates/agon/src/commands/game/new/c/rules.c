/* The rules of coins: walkers collect coins on a board; the most coins win.
 *
 * All walkers move at once. Nobody leaves the board or goes to a square where somebody stands: the
 * draw of the turn decides who moves first. */
#include <stdint.h>

#define MOST_PLAYERS 4

/* The state of a match. The tables below say how people read and write it. */
struct agon_position {
    uint32_t turn, players, coin_x, coin_y;
    uint32_t coins[MOST_PLAYERS];
    uint8_t x[MOST_PLAYERS], y[MOST_PLAYERS];
};

/* What a decision sees. */
struct agon_view {
    uint32_t you, side, players, coin_x, coin_y;
    uint32_t coins[MOST_PLAYERS];
    uint8_t x[MOST_PLAYERS], y[MOST_PLAYERS];
};

#include "agon/game.h"

const agon_field agon_position_fields[] = {
    AGON_NUMBER(struct agon_position, turn, "Turns that are over."),
    AGON_NUMBER(struct agon_position, players, "Number of walkers."),
    AGON_NUMBER(struct agon_position, coin_x, "Column of the coin, from 0."),
    AGON_NUMBER(struct agon_position, coin_y, "Row of the coin, from 0 at the top."),
    AGON_LIST(struct agon_position, coins, "players", "Coins of each walker."),
    AGON_LIST(struct agon_position, x, "players", "Column of each walker."),
    AGON_LIST(struct agon_position, y, "players", "Row of each walker."),
    { 0 },
};

const agon_field agon_view_fields[] = {
    AGON_NUMBER(struct agon_view, you, "Number of your walker, from 0."),
    AGON_NUMBER(struct agon_view, side, "Squares of each side of the board."),
    AGON_NUMBER(struct agon_view, players, "Number of walkers."),
    AGON_NUMBER(struct agon_view, coin_x, "Column of the coin, from 0."),
    AGON_NUMBER(struct agon_view, coin_y, "Row of the coin, from 0 at the top."),
    AGON_LIST(struct agon_view, coins, "players", "Coins of each walker."),
    AGON_LIST(struct agon_view, x, "players", "Column of each walker."),
    AGON_LIST(struct agon_view, y, "players", "Row of each walker."),
    { 0 },
};

/* The settings, in the order of game.toml. */
#define SIDE(match) ((uint32_t)(match)->settings[0])
#define TURNS(match) ((uint64_t)(match)->settings[1])

/* The answers: a direction, or to stay. */
static const char *const NAMES[] = { "UP", "RIGHT", "DOWN", "LEFT", "STAY" };
static const int8_t STEP_X[] = { 0, 1, 0, -1, 0 }, STEP_Y[] = { -1, 0, 1, 0, 0 };
#define STAY 4

const char *agon_answer(const agon_match *match, uint32_t number, char room[64])
{
    return number < 5 ? NAMES[number] : 0;
}

static bool is_taken(const struct agon_position *now, uint32_t x, uint32_t y)
{
    for (uint32_t i = 0; i < now->players; i++)
        if (now->x[i] == x && now->y[i] == y)
            return true;
    return false;
}

/* Puts the coin on a free square. */
static void drop_coin(const agon_match *match, struct agon_position *now, agon_chance *chance)
{
    do {
        now->coin_x = agon_below(chance, SIDE(match));
        now->coin_y = agon_below(chance, SIDE(match));
    } while (is_taken(now, now->coin_x, now->coin_y));
}

const char *agon_start_match(const agon_match *match, struct agon_position *now)
{
    uint32_t last = SIDE(match) - 1;
    now->players = match->players;
    for (uint32_t i = 0; i < now->players; i++) {
        now->x[i] = i == 1 || i == 2 ? last : 0;
        now->y[i] = i == 1 || i == 3 ? last : 0;
    }
    agon_chance chance = agon_chance_of(match, 0);
    drop_coin(match, now, &chance);
    return 0;
}

const char *agon_check(const agon_match *match, const struct agon_position *now)
{
    if (now->players < 2 || now->players > MOST_PLAYERS)
        return "players: 2 to 4 can play";
    if (now->turn > TURNS(match))
        return "turn: the match is over before";
    if (now->coin_x >= SIDE(match) || now->coin_y >= SIDE(match))
        return "coin_x, coin_y: outside of the board";
    for (uint32_t i = 0; i < MOST_PLAYERS; i++) {
        if (i >= now->players && (now->x[i] || now->y[i] || now->coins[i]))
            return "x, y, coins: too many";
        if (now->x[i] >= SIDE(match) || now->y[i] >= SIDE(match) || now->coins[i] > now->turn)
            return "x, y, coins: outside of the board, or too many";
        for (uint32_t j = 0; j < i && i < now->players; j++)
            if (now->x[i] == now->x[j] && now->y[i] == now->y[j])
                return "x, y: two walkers share a square";
    }
    return is_taken(now, now->coin_x, now->coin_y) ? "coin_x, coin_y: a walker is there" : 0;
}

uint32_t agon_players(const struct agon_position *now) { return now->players; }
uint64_t agon_turn(const struct agon_position *now) { return now->turn; }
uint64_t agon_limit(const agon_match *match, const struct agon_position *now)
{
    return TURNS(match);
}
bool agon_is_out(const struct agon_position *now, uint32_t player) { return false; }

void agon_decisions(const agon_match *match, const struct agon_position *now, agon_output *out)
{
    for (uint32_t i = 0; i < now->players && now->turn < TURNS(match); i++)
        agon_want(out, i, 0);
}

bool agon_is_legal(const agon_match *match, const struct agon_position *now, uint32_t player,
                   uint32_t unit, uint32_t answer)
{
    uint32_t x = now->x[player] + STEP_X[answer], y = now->y[player] + STEP_Y[answer];
    return x < SIDE(match) && y < SIDE(match);
}

void agon_see(const agon_match *match, const struct agon_position *now, uint32_t player,
              uint32_t unit, struct agon_view *view)
{
    view->you = player;
    view->side = SIDE(match);
    view->players = now->players;
    view->coin_x = now->coin_x;
    view->coin_y = now->coin_y;
    for (uint32_t i = 0; i < now->players; i++) {
        view->coins[i] = now->coins[i];
        view->x[i] = now->x[i];
        view->y[i] = now->y[i];
    }
}

void agon_step(const agon_match *match, struct agon_position *now, const uint32_t *answers)
{
    now->turn++;
    agon_chance chance = agon_chance_of(match, now->turn);
    uint32_t order[MOST_PLAYERS];
    for (uint32_t i = 0; i < now->players; i++) {
        uint32_t place = agon_below(&chance, i + 1);
        order[i] = order[place];
        order[place] = i;
    }
    for (uint32_t i = 0; i < now->players; i++) {
        uint32_t player = order[i], answer = answers[player];
        if (answer > STAY || !agon_is_legal(match, now, player, 0, answer))
            continue;
        uint32_t x = now->x[player] + STEP_X[answer], y = now->y[player] + STEP_Y[answer];
        if (is_taken(now, x, y))
            continue;
        now->x[player] = x;
        now->y[player] = y;
        if (x == now->coin_x && y == now->coin_y) {
            now->coins[player]++;
            drop_coin(match, now, &chance);
        }
    }
}

int64_t agon_score(const agon_match *match, const struct agon_position *now, uint32_t player)
{
    return now->coins[player];
}
int64_t agon_rank(const agon_match *match, const struct agon_position *now, uint32_t player)
{
    return now->coins[player];
}
const char *agon_ending(const agon_match *match, const struct agon_position *now)
{
    return "most coins";
}

void agon_draw(const agon_match *match, const struct agon_position *now, uint32_t player,
               agon_output *out)
{
    agon_board(out, SIDE(match), SIDE(match), false);
    agon_mark(out, now->coin_x, now->coin_y, AGON_DISC, AGON_FOOD, 60);
    for (uint32_t i = 0; i < now->players; i++)
        agon_fill(out, now->x[i], now->y[i], AGON_PLAYER(i));
}
