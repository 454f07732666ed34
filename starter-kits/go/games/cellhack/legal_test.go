package main

import "strings"

// problem tells what is wrong with a reply, if anything.
func problem(start *Start, seen *Observation, reply Reply) string {
	verb, name, _ := strings.Cut(string(reply.Action), "_")
	if verb == "REST" || verb == "NOTHING" || verb == "DIE" {
		return ""
	}
	for _, way := range ways {
		if way.name != Action(name) {
			continue
		}
		free := seen.Env[way.place] == empty
		switch {
		case !strings.Contains("EAT MOVE SPLIT FEED", verb):
			return "no such action"
		case free != (verb == "MOVE" || verb == "SPLIT") || seen.Env[way.place] == rock:
			return "not at that place"
		case verb == "SPLIT" && seen.Energy <= start.Rules.EnergyMinSplit:
			return "too little energy to split"
		}
		return ""
	}
	return "no such action"
}
