package main

// The messages of amoebas; `agon rules amoebas --schema` explains each field.

const game = "amoebas"

// Rules are the settings of the match.
type Rules struct {
	WorldSize        int `json:"world_size"`
	SunEnergy        int `json:"sun_energy"`
	MaxCellEnergy    int `json:"max_cell_energy"`
	ViewDistance     int `json:"view_distance"`
	MaxAmoebaEnergy  int `json:"max_amoeba_energy"`
	RestEnergy       int `json:"rest_energy"`
	MoveEnergy       int `json:"move_energy"`
	HitEnergy        int `json:"hit_energy"`
	MaxFuelingEnergy int `json:"max_fueling_energy"`
	MinDivideEnergy  int `json:"min_divide_energy"`
	DivideEnergyLoss int `json:"divide_energy_loss"`
	MaxAmoebaHealth  int `json:"max_amoeba_health"`
	HitLoss          int `json:"hit_loss"`
	RecoveryGain     int `json:"recovery_gain"`
	Rounds           int `json:"rounds"`
	DataLimit        int `json:"data_limit"`
}

// Setup tells how places relate to an amoeba.
type Setup struct {
	// Directions have the way (dx, dy) of each direction.
	Directions [8][2]int `json:"directions"`
	// Window has the way to each cell of the window.
	Window [][2]int `json:"window"`
}

// Observation is what an amoeba sees.
type Observation struct {
	Energy int     `json:"energy"`
	Health int     `json:"health"`
	Data   *string `json:"data"`
	// Function is nil for the original one of the species.
	Function *string `json:"function"`
	// Fuel of each cell of the window.
	Fuel   []int   `json:"fuel"`
	Others []Other `json:"others"`
}

// Other is another amoeba in the window; its species is a player's number.
type Other struct {
	Dx      int     `json:"dx"`
	Dy      int     `json:"dy"`
	Species int     `json:"species"`
	Energy  int     `json:"energy"`
	Health  int     `json:"health"`
	Data    *string `json:"data"`
}

// Reply is what an amoeba does: Rest, Move, Hit or Divide makes one. Without Data its old data are forgotten.
type Reply struct {
	Cmd       string  `json:"cmd"`
	Dir       *int    `json:"dir,omitempty"`
	Data      *string `json:"data,omitempty"`
	Function  *string `json:"function,omitempty"`
	ChildData *string `json:"child_data,omitempty"`
}

// Rest eats and recovers.
func Rest() Reply { return Reply{Cmd: "rest"} }

// Move goes to an empty neighboring cell.
func Move(dir int) Reply { return Reply{Cmd: "move", Dir: &dir} }

// Hit hurts the amoeba on a neighboring cell.
func Hit(dir int) Reply { return Reply{Cmd: "hit", Dir: &dir} }

// Divide puts a child on an empty neighboring cell; Function and ChildData are for the child.
func Divide(dir int) Reply { return Reply{Cmd: "divide", Dir: &dir} }
