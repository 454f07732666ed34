(ns bot
  "A random colony: every cell does something that is possible where it is.")

(set! *warn-on-reflection* true)

(def game "cellhack")

;; Where a cell's neighbors are in its :env.
(def places {"UP" 1, "LEFT" 3, "RIGHT" 5, "DOWN" 7})
(def center 4)
(def empty-place 0)
(def rock 255)

(defn- pick [^java.util.Random random items]
  (nth items (.nextInt random (count items))))

(defn actions
  "All that a cell can do with effect, but resting."
  [{:keys [env energy]} {:keys [energy_min_split]}]
  (for [[way place] places
        :let [there (env place)]
        action (cond
                 (= there empty-place) (if (> energy energy_min_split) ["MOVE_" "SPLIT_"] ["MOVE_"])
                 (#{rock (env center)} there) []
                 :else ["EAT_"])]
    (str action way)))

(defn player [{:keys [rules seed]}]
  (let [random (java.util.Random. seed)]
    {:decide (fn [seen turn]
               {:action (pick random (vec (cons "REST" (actions seen rules))))
                ;; The memory counts the turns that the cell and its ancestors have seen; nothing else lasts.
                :memory (inc (:memory seen))})}))
