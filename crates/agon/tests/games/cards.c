/* cards: two teams, hidden hands. In each round every player that is left gets a secret card, and
 * keeps it or changes it for another one. The players with the lowest card are out. The team with
 * the last player left wins, so a match ends as soon as only one team is left. */
#include <stdint.h>

#define MOST 6

struct agon_position {
    uint32_t round, players;
    uint8_t card[MOST], is_out[MOST];
};

struct agon_view {
    uint32_t you, card, players;
    uint8_t is_out[MOST];
};

#include "agon/game.h"

const agon_field agon_position_fields[] = {
    AGON_NUMBER(struct agon_position, round, "Rounds that are over."),
    AGON_NUMBER(struct agon_position, players, "Number of players."),
    AGON_LIST(struct agon_position, card, "players", "The card of each player."),
    AGON_LIST(struct agon_position, is_out, "players", "1 for players that are out."),
    { 0 },
};

const agon_field agon_view_fields[] = {
    AGON_NUMBER(struct agon_view, you, "Your number, from 0."),
    AGON_NUMBER(struct agon_view, card, "Your card, from 1 to 9."),
    AGON_NUMBER(struct agon_view, players, "Number of players."),
    AGON_LIST(struct agon_view, is_out, "players", "1 for players that are out."),
    { 0 },
};

const char *agon_answer(const agon_match *match, uint32_t number, char room[64])
{
    return number == 0 ? "KEEP" : number == 1 ? "CHANGE" : 0;
}

static void deal(const agon_match *match, struct agon_position *now)
{
    agon_chance chance = agon_chance_of(match, 2 * now->round);
    for (uint32_t i = 0; i < now->players; i++)
        now->card[i] = now->is_out[i] ? 0 : 1 + agon_below(&chance, 9);
}

static uint32_t left_of_team(const struct agon_position *now, uint32_t team)
{
    uint32_t left = 0;
    for (uint32_t i = team; i < now->players; i += 2)
        left += !now->is_out[i];
    return left;
}

const char *agon_start_match(const agon_match *match, struct agon_position *now)
{
    now->players = match->players;
    deal(match, now);
    return 0;
}

const char *agon_check(const agon_match *match, const struct agon_position *now)
{
    if (now->players < 2 || now->players > MOST || now->round > 100)
        return "players or round: out of range";
    for (uint32_t i = 0; i < MOST; i++) {
        bool is_in = i < now->players && !now->is_out[i];
        if (now->is_out[i] > (i < now->players))
            return "is_out: 0 or 1";
        if (now->card[i] > 9 || (now->card[i] != 0) != is_in)
            return "card: 1 to 9 for players that are left";
    }
    return left_of_team(now, 0) + left_of_team(now, 1) ? 0 : "is_out: nobody is left";
}

uint32_t agon_players(const struct agon_position *now) { return now->players; }
uint64_t agon_turn(const struct agon_position *now) { return now->round; }
uint64_t agon_limit(const agon_match *match, const struct agon_position *now) { return 100; }
bool agon_is_out(const struct agon_position *now, uint32_t player) { return now->is_out[player]; }

void agon_decisions(const agon_match *match, const struct agon_position *now, agon_output *out)
{
    bool is_over = !left_of_team(now, 0) || !left_of_team(now, 1) || now->round >= 100;
    for (uint32_t i = 0; i < now->players && !is_over; i++)
        if (!now->is_out[i])
            agon_want(out, i, 0);
}

bool agon_is_legal(const agon_match *match, const struct agon_position *now, uint32_t player,
                   uint32_t unit, uint32_t answer)
{
    return true;
}

void agon_see(const agon_match *match, const struct agon_position *now, uint32_t player,
              uint32_t unit, struct agon_view *view)
{
    view->you = player;
    view->card = now->card[player];
    view->players = now->players;
    for (uint32_t i = 0; i < now->players; i++)
        view->is_out[i] = now->is_out[i];
}

void agon_step(const agon_match *match, struct agon_position *now, const uint32_t *answers)
{
    agon_chance chance = agon_chance_of(match, 2 * now->round + 1);
    uint32_t lowest = 10, highest = 0;
    for (uint32_t i = 0; i < now->players; i++) {
        if (now->is_out[i])
            continue;
        if (*answers++ == 1)
            now->card[i] = 1 + agon_below(&chance, 9);
        lowest = now->card[i] < lowest ? now->card[i] : lowest;
        highest = now->card[i] > highest ? now->card[i] : highest;
    }
    for (uint32_t i = 0; i < now->players; i++)
        if (!now->is_out[i] && now->card[i] == lowest && lowest < highest)
            now->is_out[i] = 1;
    now->round++;
    deal(match, now);
}

int64_t agon_score(const agon_match *match, const struct agon_position *now, uint32_t player)
{
    return left_of_team(now, player % 2);
}
int64_t agon_rank(const agon_match *match, const struct agon_position *now, uint32_t player)
{
    return left_of_team(now, player % 2);
}
const char *agon_ending(const agon_match *match, const struct agon_position *now)
{
    return now->round < 100 ? "the other team is out" : "most players left after 100 rounds";
}

/* Everybody sees the own card only. */
void agon_draw(const agon_match *match, const struct agon_position *now, uint32_t player,
               agon_output *out)
{
    agon_board(out, now->players, 1, false);
    for (uint32_t i = 0; i < now->players; i++) {
        agon_fill(out, i, 0, now->is_out[i] ? AGON_GROUND : AGON_PLAYER(i));
        if (!now->is_out[i] && (player == AGON_ALL || player == i))
            agon_mark(out, i, 0, AGON_DIGITS, AGON_GROUND, now->card[i]);
    }
}
