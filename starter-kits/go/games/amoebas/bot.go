package main

import "math/rand"

// Bot is a random species: each amoeba rests half of the time, and else does something that is possible.
type Bot struct {
	start  *Start
	random *rand.Rand
}

// NewBot begins a match.
func NewBot(start *Start) Player {
	return &Bot{start, rand.New(rand.NewSource(start.Seed))}
}

// Decide tells what one amoeba does.
func (bot *Bot) Decide(seen *Observation, turn int) Reply {
	rules := &bot.start.Rules
	var replies []Reply
	// Directions are numbers from 0, north-west, clockwise; Directions has the way that each goes.
	for dir, way := range bot.start.Setup.Directions {
		other := seen.at(way)
		if other == nil {
			if seen.Energy >= rules.MoveEnergy {
				replies = append(replies, Move(dir))
			}
			if seen.Energy >= rules.MinDivideEnergy {
				replies = append(replies, Divide(dir))
			}
		} else if other.Species != bot.start.Player && seen.Energy >= rules.HitEnergy {
			replies = append(replies, Hit(dir))
		}
	}
	if len(replies) == 0 || bot.random.Intn(2) == 0 {
		return Rest()
	}
	return replies[bot.random.Intn(len(replies))]
}

// at gives the other amoeba on a cell, or nil.
func (seen *Observation) at(way [2]int) *Other {
	for index := range seen.Others {
		other := &seen.Others[index]
		if other.Dx == way[0] && other.Dy == way[1] {
			return other
		}
	}
	return nil
}
