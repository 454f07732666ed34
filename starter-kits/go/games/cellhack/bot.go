package main

import "math/rand"

// Bot is a random colony: every cell does something that is possible where it is.
type Bot struct {
	start  *Start
	random *rand.Rand
}

// NewBot begins a match.
func NewBot(start *Start) Player {
	return &Bot{start, rand.New(rand.NewSource(start.Seed))}
}

const (
	center = 4
	empty  = 0
	rock   = 255
)

// ways says where a cell's neighbors are in its Env, and how actions there end.
var ways = []struct {
	name  Action
	place int
}{{"UP", 1}, {"LEFT", 3}, {"RIGHT", 5}, {"DOWN", 7}}

// Decide tells what one cell does.
func (bot *Bot) Decide(seen *Observation, turn int) Reply {
	actions := []Action{ActionRest}
	for _, way := range ways {
		there := seen.Env[way.place]
		if there == empty {
			actions = append(actions, "MOVE_"+way.name)
			if seen.Energy > bot.start.Rules.EnergyMinSplit {
				actions = append(actions, "SPLIT_"+way.name)
			}
		} else if there != seen.Env[center] && there != rock {
			actions = append(actions, "EAT_"+way.name)
		}
	}
	// The memory counts the turns that the cell and its ancestors have seen; nothing else lasts.
	memory := seen.Memory + 1
	return Reply{Action: actions[bot.random.Intn(len(actions))], Memory: &memory}
}
