package main

// The messages of binfection; `agon rules binfection --schema` explains each field.

const game = "binfection"

// Rules are the settings of the match.
type Rules struct {
	TurnsLimit         int `json:"turns_limit"`
	FieldWidth         int `json:"field_width"`
	FieldHeight        int `json:"field_height"`
	SpawnBorderGap     int `json:"spawn_border_gap"`
	SpawnsDistance     int `json:"spawns_distance"`
	SpawnsNumber       int `json:"spawns_number"`
	WarriorsInitNumber int `json:"warriors_init_number"`
	WarriorsLimit      int `json:"warriors_limit"`
	GrowCoefficient    int `json:"grow_coefficient"`
}

// Setup has nothing to tell.
type Setup struct{}

// Observation has all own cells and their neighbors, row by row.
type Observation struct {
	Cells []Cell `json:"cells"`
}

// Cell is a cell and what is on it; its owner is a player's number, or -1.
type Cell struct {
	X     int `json:"x"`
	Y     int `json:"y"`
	Owner int `json:"owner"`
	Units int `json:"units"`
}

// Reply has at most one move for each own cell; without a move it must be empty, not nil.
type Reply struct {
	Moves []Move `json:"moves"`
}

// Move sends half of a cell's units 0 up, 1 right, 2 down, or 3 left.
type Move struct {
	X         int `json:"x"`
	Y         int `json:"y"`
	Direction int `json:"direction"`
}
