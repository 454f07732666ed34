package main

import "math/rand"

// Bot is a random player: any pellet in hand into any column that takes one.
type Bot struct {
	start  *Start
	random *rand.Rand
}

// NewBot begins a match.
func NewBot(start *Start) Player {
	return &Bot{start, rand.New(rand.NewSource(start.Seed))}
}

// Decide gives the move of this turn.
func (bot *Bot) Decide(seen *Observation, turn int) Reply {
	if len(seen.Columns) == 0 {
		// The board is full where pellets enter: turn it.
		return Rotate(1 + bot.random.Intn(5))
	}
	column := seen.Columns[bot.random.Intn(len(seen.Columns))]
	color := seen.Hand[bot.random.Intn(len(seen.Hand))]
	return Place(column.Column, color)
}
