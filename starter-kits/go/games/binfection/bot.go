package main

import "math/rand"

// Bot is a random army: half of every stack goes somewhere on the field.
type Bot struct {
	start  *Start
	random *rand.Rand
}

// NewBot begins a match.
func NewBot(start *Start) Player {
	return &Bot{start, rand.New(rand.NewSource(start.Seed))}
}

// ways has the way of each direction: up, right, down, left.
var ways = [4][2]int{{0, -1}, {1, 0}, {0, 1}, {-1, 0}}

// Decide gives the moves of this turn.
func (bot *Bot) Decide(seen *Observation, turn int) Reply {
	// Without a move this is an empty list. nil would become null, which is no list.
	moves := []Move{}
	for _, cell := range seen.Cells {
		if cell.Owner != bot.start.Player || cell.Units < 2 {
			continue
		}
		var directions []int
		for direction, way := range ways {
			if bot.start.Rules.onField(cell.X+way[0], cell.Y+way[1]) {
				directions = append(directions, direction)
			}
		}
		if len(directions) > 0 {
			moves = append(moves, Move{cell.X, cell.Y, directions[bot.random.Intn(len(directions))]})
		}
	}
	return Reply{moves}
}

// onField tells whether a place is on the field: who leaves it is lost.
func (rules *Rules) onField(x, y int) bool {
	return 0 <= x && x < rules.FieldWidth && 0 <= y && y < rules.FieldHeight
}
