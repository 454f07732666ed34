package main

// The messages of cellhack; `agon rules cellhack --schema` explains each field.

const game = "cellhack"

// Rules are the settings of the match.
type Rules struct {
	Width            int `json:"width"`
	Height           int `json:"height"`
	Turns            int `json:"turns"`
	EnergyStart      int `json:"energy_start"`
	EnergyMax        int `json:"energy_max"`
	EnergyMin        int `json:"energy_min"`
	EnergyMinSplit   int `json:"energy_min_split"`
	EatAmount        int `json:"eat_amount"`
	RestBase         int `json:"rest_base"`
	RestPerNeighbour int `json:"rest_per_neighbour"`
	RestMin          int `json:"rest_min"`
}

// Setup has nothing to tell.
type Setup struct{}

// Observation is what a cell sees.
type Observation struct {
	// Env has the nine places around it, row by row: 0 empty, 255 rock, else a player's number plus one.
	Env [9]int `json:"env"`
	// Energy 255 stands for 255 and more.
	Energy int    `json:"energy"`
	Memory uint64 `json:"memory"`
}

// Reply is what a cell does: REST, NOTHING, DIE, or EAT_, MOVE_, SPLIT_, FEED_ with UP, LEFT, RIGHT or DOWN.
type Reply struct {
	Action string `json:"action"`
	// Memory stays as it is where this is nil.
	Memory *uint64 `json:"memory,omitempty"`
}
