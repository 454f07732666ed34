package main

// The messages of cluster; `agon rules cluster --schema` explains each field.

const game = "cluster"

// Rules are the settings of the match.
type Rules struct {
	Side      int  `json:"side"`
	RunLength int  `json:"run_length"`
	HandSize  int  `json:"hand_size"`
	Bag       *int `json:"bag"`
	MaxRounds int  `json:"max_rounds"`
}

// Setup is what never changes.
type Setup struct {
	// Neighbors of each cell in the six directions, -1 beyond the edge.
	Neighbors [][6]int `json:"neighbors"`
	// Tops of each column under each gravity: the cell where a pellet enters.
	Tops [][6]int `json:"tops"`
	// Colors of each player.
	Colors [2][2]int `json:"colors"`
	// Bag is the number of pellets of each color in a full bag.
	Bag int `json:"bag"`
}

// Observation is what the player to move sees.
type Observation struct {
	Gravity int `json:"gravity"`
	// Cells have a color each, -1: empty.
	Cells []int `json:"cells"`
	// Hand has the colors in hand.
	Hand []int `json:"hand"`
	// Columns are those that take a pellet.
	Columns []Column `json:"columns"`
	// Bags are what is left, without the hand.
	Bags [2]Bag `json:"bags"`
	// Burnt are own pellets burnt by rotations so far.
	Burnt int `json:"burnt"`
}

// Column takes a pellet, which enters at the cell Top and comes to rest on the cell Landing.
type Column struct {
	Column  int `json:"column"`
	Top     int `json:"top"`
	Landing int `json:"landing"`
}

// Bag has pellets of an own color.
type Bag struct {
	Color   int `json:"color"`
	Pellets int `json:"pellets"`
}

// Reply is a move: Place, Rotate or Forfeit makes one.
type Reply struct {
	Action string `json:"action"`
	Column *int   `json:"column,omitempty"`
	Color  *int   `json:"color,omitempty"`
	Cycles *int   `json:"cycles,omitempty"`
}

// Place lets a pellet fall into a column.
func Place(column, color int) Reply { return Reply{Action: "PLACE", Column: &column, Color: &color} }

// Rotate turns the gravity by 1 to 5 sixths of a full turn.
func Rotate(cycles int) Reply { return Reply{Action: "ROTATE", Cycles: &cycles} }

// Forfeit gives the game up.
func Forfeit() Reply { return Reply{Action: "FORFEIT"} }
