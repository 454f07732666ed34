(ns amoebas.defs
  "The physics of the world. The host changes these values before it loads any species if a match has other
  settings.")

(def WorldSize "Side of the square torus." 200)
(def SunEnergy "Fuel that every empty cell gains at the end of a round." 1)
(def MaxCellEnergy "Most fuel of a cell." 100)
(def ViewDistance "How far an amoeba sees in each direction." 3)
(def MaxAmoebaEnergy "Most energy of an amoeba." 100)
(def RestEnergy "Price of a rest." 1)
(def MoveEnergy "Price of a move, and the energy it needs." 3)
(def AttackEnergy "Price of a hit, and the energy it needs." 10)
(def HitEnergy "What the manual calls AttackEnergy." AttackEnergy)
(def MaxFuelingEnergy "Most fuel that one rest takes up." 10)
(def MinDivideEnergy "Energy that a division needs." 30)
(def DivideEnergyLoss "Energy that is lost in a division." 20)
(def MaxAmoebaHealth "Most health of an amoeba." 10)
(def HitLoss "Health that a hit takes." 4)
(def RecoveryGain "Health that a rest gives." 1)
