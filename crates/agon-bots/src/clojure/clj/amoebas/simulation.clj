(ns amoebas.simulation
  "The game in plain Clojure. The arena plays with its own engine; this one is for files that play with the state by
  hand, and what the arena is measured against.

  A world is a vector of fuel by cell, a population a map of positions to amoebas. The functions named step take both,
  and return both as `[world population]`. Given transients they change these in place, as `step-all` has them do."
  (:require [amoebas.defs :refer :all]
            [amoebas.lib :as lib]
            [amoebas.util :refer [bound]])
  (:import (clojure.lang ITransientCollection)
           (java.util HashSet)))

;; Cells.

(defn create-world "A world with so much fuel in each cell." [fuel]
  (vec (repeat (* WorldSize WorldSize) fuel)))

(defn wrap "A coordinate on the torus." [a] (mod a WorldSize))

(defn add-pos "The position some way off." [[x y] [dx dy]] [(wrap (+ x dx)) (wrap (+ y dy))])

(defn world-index "Where the fuel of a position is in a world." [[x y]] (+ x (* y WorldSize)))

(defn cell-fuel "The fuel at a position." [world pos] (nth world (world-index pos)))

(defn occupied? "The amoeba at a position, if there is one." [pop pos] (get pop pos))

(defn free? "Whether nobody is at a position." [pop pos] (nil? (get pop pos)))

(defn- with
  "A vector or map, perhaps transient, with another value."
  [coll k v]
  (if (instance? ITransientCollection coll) (assoc! coll k v) (assoc coll k v)))

(defn- without [pop pos]
  (if (instance? ITransientCollection pop) (dissoc! pop pos) (dissoc pop pos)))

(defn- add-fuel [world pos amount]
  (with world (world-index pos) (bound 0 (+ amount (cell-fuel world pos)) MaxCellEnergy)))

(defn sunshine
  "The world after the sun has shone on every cell where nobody is."
  [world pop]
  (let [sunny (mapv #(bound 0 (+ SunEnergy %) MaxCellEnergy) world)]
    (reduce (fn [sunny pos] (assoc sunny (world-index pos) (cell-fuel world pos))) sunny (keys pop))))

;; What amoebas see.

(defn environment-cell
  "What there is to see at a position."
  [world pop pos]
  {:fuel (cell-fuel world pos) :occupant (get pop pos)})

(defn environment
  "What the amoeba at a position sees: a function of relative positions."
  [pos world pop]
  (letfn [(look [dx dy]
            (when (<= (max dx (- dx) dy (- dy)) ViewDistance)
              (environment-cell world pop (add-pos pos [dx dy]))))]
    (fn
      ([[dx dy]] (look dx dy))
      ([dx dy] (look dx dy)))))

;; What amoebas are, and what they do.

(defrecord Amoeba [function species energy health data])

(defn update-amoeba
  "An amoeba with another health; with other energy and data; or with all three."
  ([a health] (assoc a :health health))
  ([a energy data] (assoc a :energy energy :data data))
  ([a energy health data] (assoc a :energy energy :health health :data data)))

(defn step-rest
  "Eats and recovers, or starves."
  [world pop pos a data]
  (let [{:keys [energy health]} a
        meal (min MaxFuelingEnergy (- MaxAmoebaEnergy energy) (cell-fuel world pos))
        left (- (+ energy meal) RestEnergy)]
    (if (neg? left)
      [world (without pop pos)]
      [(add-fuel world pos (- meal))
       (with pop pos (update-amoeba a left (min MaxAmoebaHealth (+ health RecoveryGain)) data))])))

(defn step-move
  "Moves, or rests if that cannot be."
  [world pop pos a dir data]
  (let [target (add-pos pos (lib/Neighbors dir))]
    (if (and (free? pop target) (<= MoveEnergy (:energy a)))
      [world (-> pop
                 (without pos)
                 (with target (update-amoeba a (- (:energy a) MoveEnergy) data)))]
      (step-rest world pop pos a data))))

(defn step-hit
  "Hits whoever is there, or rests if that cannot be."
  [world pop pos a dir data]
  (let [target (add-pos pos (lib/Neighbors dir))
        victim (occupied? pop target)]
    (if (and victim (<= AttackEnergy (:energy a)))
      (let [pop (with pop pos (update-amoeba a (- (:energy a) AttackEnergy) data))
            health (- (:health victim) HitLoss)]
        (if (pos? health)
          [world (with pop target (update-amoeba victim health))]
          [(add-fuel world target (:energy victim)) (without pop target)]))
      (step-rest world pop pos a data))))

(defn step-divide
  "Divides, with this function and these data for the child, or rests if that cannot be."
  [world pop pos a dir f data child-data]
  (let [target (add-pos pos (lib/Neighbors dir))]
    (if (and (free? pop target) (<= MinDivideEnergy (:energy a)))
      (let [half (quot (- (:energy a) DivideEnergyLoss) 2)]
        [world (-> pop
                   (with target (assoc a :function f :energy half :data child-data))
                   (with pos (update-amoeba a half data)))])
      (step-rest world pop pos a data))))

(defn step
  "Asks an amoeba, and does what it wants. One that answers nothing sensible rests and keeps its data; the reason is
  printed."
  [world pop pos a]
  (let [{:keys [function energy health species data]} a]
    (try
      (let [action (function energy health species (environment pos world pop) data)
            {:keys [dir data child-data]} action]
        (case (:cmd action)
          :rest (step-rest world pop pos a data)
          :move (step-move world pop pos a dir data)
          :hit (step-hit world pop pos a dir data)
          :divide (step-divide world pop pos a dir (or (:function action) function) data child-data)))
      (catch Exception e
        (println "ERROR:" (str e))
        (step-rest world pop pos a data)))))

(defn- free-neighbors [pop pos]
  (filterv #(free? pop %) (map #(add-pos pos %) lib/Neighbors)))

(defn step-all
  "World and population after a round: everybody acts who was there at its start and still lives, then the sun
  shines."
  [world population]
  (let [newcomers (HashSet.)]
    (loop [world (transient world) pop (transient population) positions (shuffle (or (keys population) ()))]
      (if-let [[pos & others] (seq positions)]
        (let [a (occupied? pop pos)]
          (if (or (nil? a) (.contains newcomers pos))
            (recur world pop others)
            (let [free (free-neighbors pop pos)
                  [world pop] (step world pop pos a)]
              (doseq [at free :when (occupied? pop at)] (.add newcomers at))
              (recur world pop others))))
        (let [pop (persistent! pop)]
          [(sunshine (persistent! world) pop) pop])))))
