package main

// The messages of rezzo; `agon rules rezzo --schema` explains each field.

const game = "rezzo"

// Rules are the settings of the match.
type Rules struct {
	Width          int      `json:"width"`
	Height         int      `json:"height"`
	MaxTicks       int      `json:"max_ticks"`
	DamageLimit    int      `json:"damage_limit"`
	FlagDissolves  string   `json:"flag_dissolves"`
	BaseOf         string   `json:"base_of"`
	Map            []string `json:"map"`
	GridStep       int      `json:"grid_step"`
	DensityDivisor int      `json:"density_divisor"`
	LoopArea       int      `json:"loop_area"`
	LoopMin        int      `json:"loop_min"`
	LoopMax        int      `json:"loop_max"`
}

// Setup has the characters of what is one's own.
type Setup struct {
	Agent  string `json:"agent"`
	Flag   string `json:"flag"`
	Geyser string `json:"geyser"`
	Base   string `json:"base"`
}

// Observation is what an agent sees.
type Observation struct {
	// Ack tells what became of the previous answer: OK, NO_MESSAGE, INVALID, GARBAGE, SEVERAL.
	Ack string `json:"ack"`
	// Rows are the 13x13 cells ahead, the farthest row first; the agent is Rows[12][6].
	Rows [13]string `json:"rows"`
	// Damage is that of the same cells.
	Damage [13][13]int `json:"damage"`
}

// Reply is the action: NOP, ADVANCE, TURN_LEFT, TURN_RIGHT, BUILD or HIT.
type Reply struct {
	Action string `json:"action"`
}
