package main

import (
	"math/rand"
	"strings"
)

// Bot is a random agent: it does anything that is possible in front of it.
type Bot struct {
	start  *Start
	random *rand.Rand
}

// NewBot begins a match.
func NewBot(start *Start) Player {
	return &Bot{start, rand.New(rand.NewSource(start.Seed))}
}

// hittable are wires, signals and flags; they vanish after some hits.
const hittable = ".*,~ABCDEFGHIJ"

// Decide gives the action of this tick.
func (bot *Bot) Decide(seen *Observation, turn int) Reply {
	ahead := seen.Rows[11][6]
	actions := []Action{ActionNop, ActionTurnLeft, ActionTurnRight}
	if ahead == ' ' {
		actions = append(actions, ActionAdvance, ActionBuild)
	} else if strings.IndexByte(hittable, ahead) >= 0 {
		actions = append(actions, ActionHit)
	}
	return Reply{actions[bot.random.Intn(len(actions))]}
}
