(ns amoebas.lib
  "What amoeba functions are made of: directions, positions, regions, and questions about them.

  Every function takes any env. With the one that the arena makes they look at its words instead of making maps of
  cells; the results are the same."
  (:require [amoebas.defs :refer :all]
            [agon.env :as env])
  (:import (agon.env Env)
           (clojure.lang IFn$LO Util)
           (java.util IdentityHashMap)))

(def dNW 0)
(def dN 1)
(def dNE 2)
(def dE 3)
(def dSE 4)
(def dS 5)
(def dSW 6)
(def dW 7)

(def Neighbors
  "The way to the cell in each direction."
  [[-1 -1] [0 -1] [1 -1] [1 0] [1 1] [0 1] [-1 1] [-1 0]])

(def Here
  "The way to the own cell."
  [0 0])

(defn- positions-in-view []
  (let [range-in-view (range (- ViewDistance) (inc ViewDistance))]
    (doall (for [dx range-in-view dy range-in-view] [dx dy]))))

(def Environment
  "All positions in view, column by column."
  (positions-in-view))

(def Neighbor-To-Dir
  "The direction of a neighbor."
  (zipmap Neighbors (range)))

(def Dirs
  "All directions."
  (range 8))

(defn- add-dir [dir eighths] (mod (+ dir eighths) 8))

(defn CW "The next direction clockwise." [dir] (add-dir dir 1))
(defn CCW "The next direction counter-clockwise." [dir] (add-dir dir -1))
(defn CW90 "A quarter turn clockwise." [dir] (add-dir dir 2))
(defn CCW90 "A quarter turn counter-clockwise." [dir] (add-dir dir -2))
(defn AWAY "The opposite direction." [dir] (add-dir dir 4))

(defn add-coordinates "The sum of two positions." [p1 p2] (mapv + p1 p2))

(defn distance
  "The larger of the differences of two positions."
  [[ax ay] [bx by]]
  (let [dx (- ax bx) dy (- ay by)]
    (max dx (- dx) dy (- dy))))

(defn- section
  "The positions in one direction: a square for the corners, a triangle for the sides."
  [[x y]]
  (doall
   (for [a (range (inc ViewDistance))
         b (range (inc (if (or (zero? x) (zero? y)) (* 2 a) ViewDistance)))]
     (cond
       (zero? x) [(- b a) (* y a)]
       (zero? y) [(* x a) (- b a)]
       :else [(* x a) (* y b)]))))

(def Env-Sections
  "For each direction the region that lies there. All hold the own cell, and they overlap."
  (mapv section Neighbors))

(defn- known-regions
  "For the regions above the places of their cells in a window of this view distance."
  []
  (let [known (IdentityHashMap.)
        side (inc (* 2 ViewDistance))
        place (fn [[dx dy]] (+ (* (+ dy ViewDistance) side) dx ViewDistance))]
    (doseq [region (conj Env-Sections Neighbors Environment [Here])]
      (.put known region (long-array (map place region))))
    known))

(def ^:private ^IdentityHashMap places (known-regions))

(defn- refresh!
  "Makes anew what depends on the constants of amoebas.defs."
  []
  (alter-var-root #'Environment (constantly (positions-in-view)))
  (alter-var-root #'Env-Sections (constantly (mapv section Neighbors)))
  (alter-var-root #'places (constantly (known-regions))))

(defn cells-in-section "The cells that lie in a direction." [dir env] (map env (Env-Sections dir)))

(defn energy-level "A part of the most energy of an amoeba." [r] (int (* r MaxAmoebaEnergy)))

(defn above-division-energy-level
  "A level between the energy that a division needs (0) and the most (1)."
  [r]
  (int (+ MinDivideEnergy (* r (- MaxAmoebaEnergy MinDivideEnergy)))))

(defn cell-empty?
  "Whether no amoeba is at a position."
  [env pos]
  (if (instance? Env env)
    (let [i (env/position-index env pos)]
      (or (neg? i) (zero? (.occupant ^Env env i))))
    (nil? (:occupant (env pos)))))

(defn- places-of
  "The places of a region's cells in the window of an arena's env; nil if that is not known."
  ^longs [region env]
  (when (and (instance? Env env) (= (.reach ^Env env) (long ViewDistance)))
    (.get places region)))

(defn- chosen
  "The members of a sequence that pass a test; `place-test` if they belong to these places in a window, in order."
  [members cells ^IFn$LO place-test test]
  (if cells
    (let [^longs cells cells n (alength cells)]
      (lazy-seq
       (loop [i 0 members (seq members) passed (transient [])]
         (if (< i n)
           (recur (inc i)
                  (next members)
                  (if (.invokePrim place-test (aget cells i)) (conj! passed (first members)) passed))
           (seq (persistent! passed))))))
    (filter test members)))

(defn empty-neighbors
  "The directions in which nobody stands."
  [env]
  (chosen Dirs (places-of Neighbors env)
          (fn [^long i] (zero? (.occupant ^Env env i)))
          #(cell-empty? env (Neighbors %))))

(defn contains-hostile?
  "Whether an amoeba of another species is at a position; nil if nobody is."
  [species pos env]
  (if (instance? Env env)
    (let [i (env/position-index env pos)]
      (when-not (or (neg? i) (zero? (.occupant ^Env env i)))
        (not (Util/equiv species (.species ^Env env i)))))
    (when-let [occupant (:occupant (env pos))]
      (not= species (:species occupant)))))

(defn contains-friendly?
  "Whether an amoeba of the same species is at a position; nil if nobody is."
  [species pos env]
  (if (instance? Env env)
    (let [i (env/position-index env pos)]
      (when-not (or (neg? i) (zero? (.occupant ^Env env i)))
        (Util/equiv species (.species ^Env env i))))
    (when-let [occupant (:occupant (env pos))]
      (= species (:species occupant)))))

(defn hostiles
  "The positions of a region with amoebas of other species. A sequence, never nil."
  [species region env]
  (chosen region (places-of region env)
          (fn [^long i]
            (let [^Env env env]
              (and (pos? (.occupant env i)) (not (Util/equiv species (.species env i))))))
          #(contains-hostile? species % env)))

(defn friendlies
  "The positions of a region with amoebas of the same species, the own one included. A sequence, never nil."
  [species region env]
  (chosen region (places-of region env)
          (fn [^long i]
            (let [^Env env env]
              (and (pos? (.occupant env i)) (Util/equiv species (.species env i)))))
          #(contains-friendly? species % env)))

(defn at-least-fuel-subregion
  "The positions of a region with so much fuel or more."
  [min-fuel region env]
  (chosen region (places-of region env)
          (fn [^long i] (<= min-fuel (.fuel ^Env env i)))
          #(<= min-fuel (:fuel (env %)))))

(defn total-fuel
  "The fuel of a region together."
  [region env]
  (if-let [cells (places-of region env)]
    (let [^longs cells cells ^Env env env n (alength cells)]
      (loop [i 0 sum 0]
        (if (< i n)
          (recur (inc i) (+ sum (.fuel env (aget cells i))))
          sum)))
    (reduce + 0 (map #(:fuel (env %)) region))))

(defn average-fuel
  "The mean fuel of a region's cells, exactly."
  [region env]
  (/ (total-fuel region env) (count region)))

(defn empty-subregion
  "The positions of a region where nobody is."
  [region env]
  (chosen region (places-of region env)
          (fn [^long i] (zero? (.occupant ^Env env i)))
          #(cell-empty? env %)))

(defn region-empty?
  "Whether nobody is anywhere in a region."
  [region env]
  (every? #(cell-empty? env %) region))

(defn- sections-by
  "Directions sorted by a number that each section gets, once; equal ones stay in order."
  [number dirs]
  (let [^objects sorted (to-array dirs)
        n (alength sorted)
        keys (long-array n)]
    (loop [i 0]
      (when (< i n)
        (let [dir (aget sorted i)
              key (long (number (Env-Sections dir)))
              place (loop [j i]
                      (if (and (pos? j) (< key (aget keys (dec j))))
                        (do (aset keys j (aget keys (dec j)))
                            (aset sorted j (aget sorted (dec j)))
                            (recur (dec j)))
                        j))]
          (aset keys place key)
          (aset sorted place dir)
          (recur (inc i)))))
    (or (seq sorted) ())))

(defn sections-by-hostiles
  "Directions, the one with the fewest hostiles in its section first."
  [dirs env species]
  (sections-by #(count (hostiles species % env)) dirs))

(defn sections-by-friendlies
  "Directions, the one with the fewest friendlies in its section first."
  [dirs env species]
  (sections-by #(count (friendlies species % env)) dirs))

(defn sections-by-fuel
  "Directions, the one with the least fuel in its section first."
  [dirs env]
  (sections-by #(total-fuel % env) dirs))

(defn sections-by-fuel-density
  "Directions, the one with the least fuel per cell in its section first. All sections have the same number of cells."
  [dirs env]
  (sections-by-fuel dirs env))
