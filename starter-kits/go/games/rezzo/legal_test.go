package main

import "strings"

// problem tells what is wrong with a reply, if anything.
func problem(start *Start, seen *Observation, reply Reply) string {
	ahead := seen.Rows[11][6]
	possible := false
	switch reply.Action {
	case "NOP", "TURN_LEFT", "TURN_RIGHT":
		possible = true
	case "ADVANCE", "BUILD":
		possible = ahead == ' '
	case "HIT":
		possible = strings.IndexByte(hittable, ahead) >= 0
	}
	if !possible {
		return "not possible here"
	}
	return ""
}
