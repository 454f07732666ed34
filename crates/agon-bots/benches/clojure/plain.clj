;; The match of the benchmark in the plain engine.
(ns plain
  (:require [amoebas.defs :refer [MaxAmoebaEnergy MaxAmoebaHealth MaxCellEnergy WorldSize]]
            [amoebas.simulation :as simulation]
            [species]))

(def genesis {:weakest species/weakest :strongest species/strongest :random species/random :mutating species/mutating})

(defn- first-amoeba [[species function]]
  {:function function :species species :energy MaxAmoebaEnergy :health MaxAmoebaHealth :data nil})

(defn play
  "Prints for each round how many amoebas acted, and how many nanoseconds it took."
  [rounds]
  (loop [round 0
         world (simulation/create-world MaxCellEnergy)
         population (zipmap (distinct (repeatedly 20 #(vector (rand-int WorldSize) (rand-int WorldSize))))
                            (map first-amoeba genesis))]
    (when (< round rounds)
      (let [begun (System/nanoTime)
            acting (count population)
            [world population] (simulation/step-all world population)]
        (println acting (- (System/nanoTime) begun))
        (recur (inc round) world population)))))
