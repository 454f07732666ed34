package main

// problem tells what is wrong with a reply, if anything.
func problem(start *Start, seen *Observation, reply Reply) string {
	needs := map[string]int{
		"move":   start.Rules.MoveEnergy,
		"hit":    start.Rules.HitEnergy,
		"divide": start.Rules.MinDivideEnergy,
	}
	energy, known := needs[reply.Cmd]
	switch {
	case reply.Cmd == "rest":
		return ""
	case !known:
		return "no such command"
	case *reply.Dir < 0 || *reply.Dir > 7:
		return "directions are 0 to 7"
	case seen.Energy < energy:
		return "too little energy"
	case (seen.at(start.Setup.Directions[*reply.Dir]) != nil) != (reply.Cmd == "hit"):
		return "not at that place"
	}
	return ""
}
