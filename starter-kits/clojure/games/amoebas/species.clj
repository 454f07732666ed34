(ns species
  "A random species: each amoeba rests half of the time, and else does something that is possible."
  (:require [amoebas.defs :refer [AttackEnergy MinDivideEnergy MoveEnergy]]
            [amoebas.lib :refer [Dirs Neighbors cell-empty? contains-hostile?]]))

(defn- possible
  "All commands in a direction that have an effect."
  [energy species env dir]
  (let [there (Neighbors dir)]
    (cond
      (cell-empty? env there) (concat (when (>= energy MoveEnergy) [{:cmd :move :dir dir}])
                                      (when (>= energy MinDivideEnergy) [{:cmd :divide :dir dir}]))
      (contains-hostile? species there env) (when (>= energy AttackEnergy) [{:cmd :hit :dir dir}]))))

(defn decide
  "What an amoeba does; `(env [dx dy])` gives what is around it, as {:fuel 100 :occupant nil}.

  Random choices of clojure.core follow from the seed of the match."
  [energy health species env data]
  (let [commands (mapcat #(possible energy species env %) Dirs)]
    (if (or (empty? commands) (< (rand) 0.5))
      {:cmd :rest}
      (rand-nth commands))))
