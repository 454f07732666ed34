(ns bot
  "A random agent: anything that is possible in front of it.")

(set! *warn-on-reflection* true)

(def game "rezzo")

;; Wires, signals and flags: they vanish after some hits.
(def hittable? (set ".*,~ABCDEFGHIJ"))

(defn- pick [^java.util.Random random items]
  (nth items (.nextInt random (count items))))

(defn player [{:keys [seed]}]
  (let [random (java.util.Random. seed)]
    {:decide (fn [{:keys [rows]} turn]
               ;; The agent is in the middle of the last row.
               (let [ahead (get-in rows [11 6])]
                 {:action (pick random (cond-> ["NOP" "TURN_LEFT" "TURN_RIGHT"]
                                         (= ahead \space) (into ["ADVANCE" "BUILD"])
                                         (hittable? ahead) (conj "HIT")))}))}))
