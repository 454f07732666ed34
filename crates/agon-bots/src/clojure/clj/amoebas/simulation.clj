(ns amoebas.simulation
  "The game in plain Clojure: a map of positions to fuel, another of positions to amoebas, and an env that looks
  them up. The arena plays with its own engine; this one is for whoever plays with the state by hand, and what the
  arena is measured against."
  (:require [amoebas.defs :refer :all]
            [amoebas.lib :as lib]))

(def all-positions (vec (for [x (range WorldSize) y (range WorldSize)] [x y])))

(defn full-world "A world with all the fuel it can hold." [] (zipmap all-positions (repeat MaxCellEnergy)))

(defn new-amoeba "The first amoeba of a species." [species function]
  {:function function :species species :energy MaxAmoebaEnergy :health MaxAmoebaHealth :data nil})

(defn- place [[x y] [dx dy]] [(mod (+ x dx) WorldSize) (mod (+ y dy) WorldSize)])

(defn environment
  "What the amoeba at a position sees."
  [world population position]
  (let [look (fn [dx dy]
               (when (<= (max dx (- dx) dy (- dy)) ViewDistance)
                 (let [at (place position [dx dy])]
                   {:fuel (world at) :occupant (population at)})))]
    (fn ([[dx dy]] (look dx dy))
      ([dx dy] (look dx dy)))))

(defn- target [position {:keys [dir]}] (place position (lib/Neighbors dir)))

(defn- rest-here [world population position]
  (let [{:keys [energy health] :as amoeba} (population position)
        gain (min (world position) (- MaxAmoebaEnergy energy) MaxFuelingEnergy)
        left (- (+ energy gain) RestEnergy)]
    (if (neg? left)
      [world (dissoc population position)]
      [(update world position - gain)
       (assoc population position (assoc amoeba :energy left
                                         :health (min MaxAmoebaHealth (+ health RecoveryGain))))])))

(defn- move [world population position action]
  (let [amoeba (population position)]
    [world (-> population
               (dissoc position)
               (assoc (target position action) (update amoeba :energy - MoveEnergy)))]))

(defn- hit [world population position action]
  (let [at (target position action)
        victim (population at)
        health (- (:health victim) HitLoss)
        population (update-in population [position :energy] - AttackEnergy)]
    (if (pos? health)
      [world (assoc-in population [at :health] health)]
      [(update world at #(min MaxCellEnergy (+ % (:energy victim)))) (dissoc population at)])))

(defn- divide [world population position {:keys [function child-data] :as action}]
  (let [amoeba (population position)
        half (quot (- (:energy amoeba) DivideEnergyLoss) 2)
        child (assoc amoeba :energy half :data child-data :function (or function (:function amoeba)))]
    [world (-> population
               (assoc-in [position :energy] half)
               (assoc (target position action) child))]))

(defn- possible? [population position {:keys [cmd] :as action}]
  (let [{:keys [energy]} (population position)
        occupied? #(contains? population (target position action))]
    (case cmd
      :move (and (<= MoveEnergy energy) (not (occupied?)))
      :hit (and (<= AttackEnergy energy) (occupied?))
      :divide (and (<= MinDivideEnergy energy) (not (occupied?)))
      false)))

(defn act
  "World and population after the amoeba at a position has had its turn."
  [world population position]
  (let [{:keys [function energy health species data]} (population position)
        action (function energy health species (environment world population position) data)
        population (assoc-in population [position :data] (:data action))]
    (if (possible? population position action)
      (case (:cmd action)
        :move (move world population position action)
        :hit (hit world population position action)
        :divide (divide world population position action))
      (rest-here world population position))))

(defn- shine [world population]
  (reduce-kv (fn [world at fuel]
               (if (or (contains? population at) (= fuel MaxCellEnergy))
                 world
                 (assoc world at (min MaxCellEnergy (+ fuel SunEnergy)))))
             world world))

(defn step-all
  "World and population after a round: everybody acts who was alive at its start and still is, then the sun
  shines."
  [world population]
  (let [[world population] (reduce (fn [[world population] position]
                                     (if (contains? population position)
                                       (act world population position)
                                       [world population]))
                                   [world population]
                                   (shuffle (keys population)))]
    [(shine world population) population]))
