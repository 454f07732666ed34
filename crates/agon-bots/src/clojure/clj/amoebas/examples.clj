(ns amoebas.examples
  "Simple amoeba functions, ways to choose whom to hit, and tournaments of them."
  (:require [amoebas.defs :refer :all]
            [amoebas.lib :refer :all]
            [amoebas.run :refer [tournament]]
            [amoebas.util :refer [bound]]))

;; Amoebas without a mind.

(defn mindless
  "Wanders in random directions."
  [energy health species env data]
  {:cmd :move :dir (rand-int 8)})

(defn create-mindless-divider
  "Eats until it has energy, then divides with a probability, or moves; in a random direction."
  [division-prob]
  (fn [energy health species env data]
    (if (< energy (above-division-energy-level 0.5))
      {:cmd :rest}
      {:cmd (if (< (rand) division-prob) :divide :move) :dir (rand-int 8)})))

(def mindless-divider "Divides with a probability of 0.3." (create-mindless-divider 0.3))

(defn create-nasty
  "Hits whatever hostile stands beside it, and otherwise lives like a mindless divider."
  [division-prob select-target]
  (let [divider (create-mindless-divider division-prob)]
    (fn [energy health species env data]
      (let [hs (hostiles species Neighbors env)]
        (if (empty? hs)
          (divider energy health species env data)
          {:cmd :hit :dir (Neighbor-To-Dir (select-target hs species env))})))))

;; Whom to hit, of some positions.

(defn- occupant-at [env pos] (:occupant (env pos)))

(defn random-target-selector "Anyone." [hs species env] (rand-nth hs))

(defn weakest-target-selector
  "The one with the least health, the first of equal ones."
  [hs species env]
  (first (sort-by #(:health (occupant-at env %)) hs)))

(defn strongest-target-selector
  "The one with the most health, the last of equal ones."
  [hs species env]
  (last (sort-by #(:health (occupant-at env %)) hs)))

(defn most-energy-target-selector
  "The one with the most energy, the last of equal ones."
  [hs species env]
  (last (sort-by #(:energy (occupant-at env %)) hs)))

(defn most-energy-and-fuel-target-selector
  "The one with the most energy together with the fuel of its cell, the last of equal ones."
  [hs species env]
  (last (sort-by #(+ (:energy (occupant-at env %)) (:fuel (env %))) hs)))

;; Amoebas with two thresholds.

(defn- feed
  "Eats here while there is more than a full meal, else goes where the richest section begins."
  [env]
  (if (< MaxFuelingEnergy (:fuel (env Here)))
    {:cmd :rest}
    (if-let [dir (last (sections-by-fuel (empty-neighbors env) env))]
      {:cmd :move :dir dir}
      {:cmd :rest})))

(defn- hit-or-feed [species env select-target]
  (let [hs (hostiles species Neighbors env)]
    (if (empty? hs)
      (feed env)
      {:cmd :hit :dir (Neighbor-To-Dir (select-target hs species env))})))

(defn- slightly-brainy
  "What to do, with `child` merged into a division."
  [low-energy divide-energy select-target energy species env child]
  (cond
    (< energy low-energy) (feed env)
    (< divide-energy energy) (let [dirs (empty-neighbors env)]
                               (if (empty? dirs)
                                 (hit-or-feed species env select-target)
                                 (merge {:cmd :divide :dir (rand-nth dirs)} (child))))
    :else (hit-or-feed species env select-target)))

(defn create-slightlybrainy
  "Feeds when hungry, divides when full, hits its neighbors in between."
  [low-energy divide-energy select-target]
  (fn [energy health species env data]
    (slightly-brainy low-energy divide-energy select-target energy species env (constantly nil))))

(defn create-mutating-slightlybrainy
  "The same; its children get other thresholds with a probability, up to a range away from its own."
  [low-energy divide-energy select-target mutation-rate mutation-range]
  (let [shifted (fn [threshold least]
                  (let [shift (- (rand-int (inc (* 2 mutation-range))) mutation-range)]
                    (bound least (+ threshold shift) MaxAmoebaEnergy)))
        child (fn []
                (when (<= (rand) mutation-rate)
                  {:function (create-mutating-slightlybrainy (shifted low-energy MoveEnergy)
                                                             (shifted divide-energy MinDivideEnergy)
                                                             select-target mutation-rate mutation-range)}))]
    (fn [energy health species env data]
      (slightly-brainy low-energy divide-energy select-target energy species env child))))

(defn create-simpleorientingamoeba
  "Lives like a slightly brainy amoeba; the limit is not used."
  [low-energy divide-energy edge-limit select-target]
  (create-slightlybrainy low-energy divide-energy select-target))

;; Tournaments.

(defn- mindless-dividers [probabilities]
  (map create-mindless-divider probabilities))

(defn- nasties [select-target probabilities]
  (map #(create-nasty % select-target) probabilities))

(defn- of-colors
  "A tournament of these functions, each in a color of its own."
  [& functions]
  (tournament (zipmap [:red :blue :yellow :white :gray :orange :magenta :cyan] functions)))

(def T01 (of-colors (create-mindless-divider 0.01)))
(def T02 (of-colors (create-mindless-divider 0.1)))
(def T03 (of-colors (create-mindless-divider 0.3)))
(def T04 (of-colors (create-mindless-divider 0.99)))
(def T05 (apply of-colors (mindless-dividers [0.1 0.9])))
(def T06 (apply of-colors (mindless-dividers [0.28 0.32])))
(def T07 (apply of-colors (mindless-dividers [0.01 0.1 0.3 0.5 0.7 0.99])))
(def T08 (apply of-colors (nasties random-target-selector [0.01 0.1 0.2 0.3 0.5 0.7 0.9 0.99])))
(def T09 (apply of-colors (create-slightlybrainy 15 50 random-target-selector)
                (nasties random-target-selector [0.01 0.1 0.3 0.5 0.7 0.9 0.99])))
(def T10 (apply of-colors (for [[low divide] [[10 40] [10 55] [10 70] [10 85] [20 50] [20 70] [35 70]]]
                            (create-slightlybrainy low divide random-target-selector))))
(def T11 (apply of-colors (for [select-target [random-target-selector weakest-target-selector
                                               strongest-target-selector most-energy-target-selector
                                               most-energy-and-fuel-target-selector]]
                            (create-slightlybrainy 10 70 select-target))))
(def T12 (apply of-colors (for [rate [0.01 0.05 0.1 0.3 0.9]]
                            (create-mutating-slightlybrainy 10 70 weakest-target-selector rate 5))))
(def T13 (of-colors (create-mutating-slightlybrainy 10 70 weakest-target-selector 0.1 5)
                    (create-slightlybrainy 10 70 weakest-target-selector)))
(def T14 (apply of-colors (for [mutation-range [1 3 5 10 20]]
                            (create-mutating-slightlybrainy 10 70 weakest-target-selector 0.1 mutation-range))))
