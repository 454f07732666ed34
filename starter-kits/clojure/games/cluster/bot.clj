(ns bot
  "A random player: any pellet in hand into any column that takes one.")

(set! *warn-on-reflection* true)

(def game "cluster")

(defn- pick [^java.util.Random random items]
  (nth items (.nextInt random (count items))))

(defn player [{:keys [seed]}]
  (let [random (java.util.Random. seed)]
    {:decide (fn [{:keys [columns hand]} turn]
               (if (empty? columns)
                 ;; The board is full where pellets enter: turn it.
                 {:action "ROTATE" :cycles (inc (.nextInt random 5))}
                 {:action "PLACE" :column (:column (pick random columns)) :color (pick random hand)}))}))
