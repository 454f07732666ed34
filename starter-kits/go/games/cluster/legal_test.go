package main

// problem tells what is wrong with a reply, if anything.
func problem(start *Start, seen *Observation, reply Reply) string {
	switch reply.Action {
	case "ROTATE":
		if *reply.Cycles < 1 || *reply.Cycles > 5 {
			return "1 to 5 cycles"
		}
		return ""
	case "PLACE":
		held, free := false, false
		for _, color := range seen.Hand {
			held = held || color == *reply.Color
		}
		for _, column := range seen.Columns {
			free = free || column.Column == *reply.Column
		}
		if !held || !free {
			return "not that color into that column"
		}
		return ""
	}
	return "no such action"
}
