(ns hermit
  "A simple species: it eats what there is, divides when it is full, and keeps away from others."
  (:require [amoebas.defs :refer [MaxFuelingEnergy MoveEnergy]]
            [amoebas.lib :refer [Here above-division-energy-level empty-neighbors sections-by-fuel
                                 sections-by-hostiles]]))

(defn Evam [energy health species env data]
  (let [free (empty-neighbors env)
        ;; Sorting is stable: of the directions with the fewest hostiles the one with the most fuel comes first.
        best (first (sections-by-hostiles (reverse (sections-by-fuel free env)) env species))
        fuel (:fuel (env Here))]
    (cond
      (nil? best) {:cmd :rest}
      (< (above-division-energy-level 0.6) energy) {:cmd :divide :dir best}
      (<= MaxFuelingEnergy fuel) {:cmd :rest}
      (< MoveEnergy energy) {:cmd :move :dir best}
      :else {:cmd :rest})))
