package main

// problem tells what is wrong with a reply, if anything.
func problem(start *Start, seen *Observation, reply Reply) string {
	own := map[[2]int]bool{}
	for _, cell := range seen.Cells {
		own[[2]int{cell.X, cell.Y}] = cell.Owner == start.Player
	}
	for _, move := range reply.Moves {
		if move.Direction < 0 || move.Direction > 3 {
			return "directions are 0 to 3"
		}
		if !own[[2]int{move.X, move.Y}] {
			return "that is no own cell, or moved twice"
		}
		own[[2]int{move.X, move.Y}] = false
		if way := ways[move.Direction]; !start.Rules.onField(move.X+way[0], move.Y+way[1]) {
			return "that leads off the field"
		}
	}
	if reply.Moves == nil {
		return "null is no list"
	}
	return ""
}
