(ns bot
  "A random army: half of every stack goes somewhere on the field.")

(set! *warn-on-reflection* true)

(def game "binfection")

;; The way of each direction: up, right, down, left.
(def ways [[0 -1] [1 0] [0 1] [-1 0]])

(defn on-field?
  "Who leaves the field is lost."
  [{:keys [field_width field_height]} x y]
  (and (< -1 x field_width) (< -1 y field_height)))

(defn- pick [^java.util.Random random items]
  (nth items (.nextInt random (count items))))

(defn- directions [rules {:keys [x y]}]
  (filterv (fn [direction]
             (let [[dx dy] (ways direction)]
               (on-field? rules (+ x dx) (+ y dy))))
           (range 4)))

(defn player [{:keys [rules player seed]}]
  (let [random (java.util.Random. seed)]
    {:decide (fn [{:keys [cells]} turn]
               {:moves (vec (for [{:keys [x y owner units] :as cell} cells
                                  :when (and (= owner player) (>= units 2))
                                  :let [possible (directions rules cell)]
                                  :when (seq possible)]
                              {:x x :y y :direction (pick random possible)}))})}))
