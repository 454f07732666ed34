;; The functions of amoebas.simulation, amoebas.display, amoebas.util and amoebas.run: against recorded actions, with
;; values and with transients, and one by one. Says how much it has looked at; whatever differs is thrown.
(ns simulation
  (:use amoebas.defs amoebas.simulation amoebas.display amoebas.util amoebas.run amoebas.examples clojure.set)
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.string :as string]
            [clojure.walk :as walk])
  (:import (java.awt.image BufferedImage)))

(defn same [what expected got]
  (when-not (= expected got)
    (throw (ex-info (str what ": expected " (pr-str expected) ", got " (pr-str got)) {}))))

;; Nothing public but what files expect: whatever else they define themselves, they may.

(def names
  '{defs [AttackEnergy DivideEnergyLoss HitEnergy HitLoss MaxAmoebaEnergy MaxAmoebaHealth MaxCellEnergy
          MaxFuelingEnergy MinDivideEnergy MoveEnergy RecoveryGain RestEnergy SunEnergy ViewDistance WorldSize]
    lib [AWAY CCW CCW90 CW CW90 Dirs Env-Sections Environment Here Neighbor-To-Dir Neighbors
         above-division-energy-level add-coordinates at-least-fuel-subregion average-fuel cell-empty? cells-in-section
         contains-friendly? contains-hostile? dE dN dNE dNW dS dSE dSW dW distance empty-neighbors empty-subregion
         energy-level friendlies hostiles region-empty? sections-by-friendlies sections-by-fuel
         sections-by-fuel-density sections-by-hostiles total-fuel]
    simulation [->Amoeba add-pos cell-fuel create-world environment environment-cell free? map->Amoeba occupied? step
                step-all step-divide step-hit step-move step-rest sunshine update-amoeba world-index wrap]
    display [CellSize FuelRGB create-frame draw-world fill-cell render-world scale-rgb]
    util [abs bound create-directory get-png-imagewriter population-stats random-location save-frame sum
          write-csv-stats]
    run [Color Default-RGB-Map step-all-and-set tournament]
    examples [T01 T02 T03 T04 T05 T06 T07 T08 T09 T10 T11 T12 T13 T14 create-mindless-divider
              create-mutating-slightlybrainy create-nasty create-simpleorientingamoeba create-slightlybrainy mindless
              mindless-divider most-energy-and-fuel-target-selector most-energy-target-selector
              random-target-selector strongest-target-selector weakest-target-selector]})

(doseq [[namespace publics] names]
  (same namespace publics (sort (keys (ns-publics (symbol (str "amoebas." namespace)))))))

;; Cells.

(same "create-world" [40000 7 7] ((juxt count first last) (create-world 7)))
(same "wrap" [199 0 1 199] (map wrap [-1 0 201 399]))
(same "add-pos" [199 1] (add-pos [1 199] [-2 2]))
(same "world-index" [0 199 200 39999] (map world-index [[0 0] [199 0] [0 1] [199 199]]))
(same "cell-fuel" 6 (cell-fuel (assoc (create-world 0) 403 6) [3 2]))
(let [pop {[1 1] {:species :red}}]
  (same "free?" [false true] (map #(free? pop %) [[1 1] [1 2]]))
  (same "occupied?" [{:species :red} nil] (map #(occupied? pop %) [[1 1] [1 2]]))
  (same "free? of transients" [false true] (map #(free? (transient pop) %) [[1 1] [1 2]]))
  (let [world (assoc (create-world 3) 201 9)
        env (environment [0 0] world pop)]
    (same "environment-cell" {:fuel 9 :occupant {:species :red}} (environment-cell world pop [1 1]))
    (same "environment" [{:fuel 9 :occupant {:species :red}} {:fuel 3 :occupant nil} nil nil]
          [(env [1 1]) (env -3 3) (env [4 0]) (env 0 -4)])))
(let [a {:function 1 :species 2 :energy 3 :health 4 :data 5}]
  (same "update-amoeba" [(assoc a :health 9) (assoc a :energy 8 :data 7) (assoc a :energy 8 :health 9 :data 7)]
        [(update-amoeba a 9) (update-amoeba a 8 7) (update-amoeba a 8 9 7)]))

;; Records act like maps, and stay records.

(let [a (->Amoeba (fn [& _] {:cmd :rest}) :red 30 4 nil)
      [_ population] (step-all (create-world 0) {[0 0] a})]
  (same "Amoeba" [(assoc a :energy 29 :health 5) amoebas.simulation.Amoeba]
        ((juxt identity class) (population [0 0]))))

;; Recorded actions.

(defn read-lines
  "Lines of JSON as EDN: colons become blank, and null nil."
  [name]
  (with-open [reader (io/reader (io/file (.getParentFile (.getCanonicalFile (io/file *file*)))
                                         "../../../../agon-games/tests/data" name))]
    (doall (for [line (line-seq reader)]
             (walk/postwalk #(if (= 'null %) nil %) (edn/read-string (string/replace line "\":" "\" ")))))))

(def world-of (memoize create-world))

(defn world-with [base cells]
  (reduce (fn [world [x y fuel]] (assoc world (world-index [x y]) fuel)) (world-of base) cells))

(defn value-of
  "Commands and directions that are no keywords and numbers are {\"str\": ...} and the like."
  [x]
  (if (map? x) (val (first x)) x))

(defn action-of [action]
  (let [cmd (action "cmd")]
    (cond-> (into {} (for [name ["data" "child-data" "function"] :when (contains? action name)]
                       [(keyword name) (action name)]))
      (contains? action "cmd") (assoc :cmd (if (string? cmd) (keyword cmd) (value-of cmd)))
      (contains? action "dir") (assoc :dir (value-of (action "dir"))))))

(defn function-of [action]
  (fn [energy health species env data]
    (cond
      (contains? action "throw") (throw (RuntimeException. "bot error"))
      (contains? action "value") (action "value")
      :else (action-of action))))

(defn population-of [amoebas function]
  (into {} (for [[x y species energy health data name] amoebas]
             [[x y] {:function (if (= "A" name) function name) :species species :energy energy :health health
                     :data data}])))

(def cases (read-lines "amoebas_actions.jsonl"))

(doseq [{id "id" pos "pos" action "action" amoebas "amoebas" base "base" fuel "fuel" changed "fuel_changed"
         after "after"} cases]
  (let [function (function-of action)
        world (world-with base fuel)
        pop (population-of amoebas function)
        expected [(world-with base (concat fuel changed)) (population-of after function)]]
    (same ["values" id] expected (binding [*out* (java.io.StringWriter.)] (step world pop pos (pop pos))))
    (let [[world pop] (binding [*out* (java.io.StringWriter.)]
                        (let [pop (transient pop)] (step (transient world) pop pos (pop pos))))]
      (same ["transients" id] expected [(persistent! world) (persistent! pop)]))))

(def suns (read-lines "amoebas_sunshine.jsonl"))

(doseq [{id "id" {base "base" cells "cells"} "before" occupied "occupied" {base-after "base" cells-after "cells"} "after"}
        suns]
  (same ["sunshine" id] (world-with base-after cells-after)
        (sunshine (world-with base cells) (zipmap occupied (repeat {})))))

;; Single steps have arguments of their own.

(let [red {:function 'f :species :red :energy 60 :health 4 :data 1}
      blue (assoc red :species :blue)
      world (create-world 8)
      pop {[0 0] red [1 0] blue}]
  (same "step-rest" [(assoc world 0 0) (assoc pop [0 0] (assoc red :energy 67 :health 5 :data 2))]
        (step-rest world pop [0 0] red 2))
  (same "step-move" [world {[1 0] blue [0 199] (assoc red :energy 57 :data 2)}] (step-move world pop [0 0] red 1 2))
  (same "step-hit" [(assoc world 1 68) {[0 0] (assoc red :energy 50 :data 2)}] (step-hit world pop [0 0] red 3 2))
  (same "step-divide" [world {[0 0] (assoc red :energy 20 :data 2) [1 0] blue
                              [199 0] (assoc red :function 'g :energy 20 :data 3)}]
        (step-divide world pop [0 0] red 7 'g 2 3)))

;; A child and whoever comes to another cell do not act in the same round.
(let [rounds (atom 0)
      divides (fn [energy health species env data] (swap! rounds inc) {:cmd :divide :dir 3 :child-data :child})
      amoeba {:function divides :species :red :energy 100 :health 10 :data nil}
      [world pop] (step-all (create-world 50) {[0 0] amoeba})]
  (same "step-all" [1 {[0 0] nil [1 0] :child} [50 50 51]]
        [@rounds (into {} (for [[at a] pop] [at (:data a)])) (take 3 world)]))
(let [world (ref (create-world 50)) population (ref {})]
  (same "step-all-and-set" [{:size {} :energy {} :live-species nil} 51] [(step-all-and-set world population)
                                                                         (first @world)]))

;; Pictures.

(same "scale-rgb" [[0 127 0] [255 150 0] [0 0 0]] [(scale-rgb 1/2 FuelRGB) (scale-rgb 1.5 [200 100 -3]) (scale-rgb 0 [9 9 9])])
(let [world (assoc (create-world 50) 0 100)
      pop {[1 2] {:species :red}}
      pixels (fn [^BufferedImage image]
               (map (fn [[x y]] (bit-and 0xFFFFFF (.getRGB image x y))) [[3 3] [4 0] [7 11] [799 799] [8 8]]))
      painted (fn [paint]
                (let [image (BufferedImage. 800 800 BufferedImage/TYPE_INT_RGB)]
                  (paint (.createGraphics image))
                  (pixels image)))
      expected [0x00FF00 0x007F00 0xFF8000 0x007F00 0x007F00]]
  (same "CellSize" 4 CellSize)
  (same "fill-cell" [0 0 0 0 0x010203] (painted #(fill-cell % 2 2 [1 2 3])))
  (same "draw-world" expected (painted #(draw-world % world pop {:red (Color :orange)})))
  (same "render-world" expected (painted #(render-world % world pop {:red (Color :orange)}))))
(same "create-frame" nil (create-frame "amoebas" nil nil {}))
(same "save-frame" nil (save-frame nil "." 0))

;; Whatever fits nowhere else.

(same "population-stats" {:size {:red 2 :blue 1} :energy {:red 7 :blue 5} :live-species '(:red :blue)}
      (population-stats (array-map 1 {:species :red :energy 3} 2 {:species :blue :energy 5} 3 {:species :red :energy 4})))
(same "random-location" true (every? #(<= 0 % 199) (random-location)))
(same "png" true (instance? javax.imageio.ImageWriter (get-png-imagewriter)))
(let [dir (str (java.nio.file.Files/createTempDirectory "stats" (make-array java.nio.file.attribute.FileAttribute 0)) "/new")]
  (create-directory dir)
  (create-directory dir)
  (write-csv-stats dir [:red "blue" 'green 3] [{:size {:red 1 3 4} :energy {:red 5 3 6}} {:size {"blue" 2} :energy {"blue" 7}}])
  (same "write-csv-stats" [":red,blue,green,3\n1,,,4\n,2,,\n" ":red,blue,green,3\n5,,,6\n,7,,\n"]
        [(slurp (str dir "/popsize.csv")) (slurp (str dir "/energy.csv"))]))

(println "actions:" (count cases) "suns:" (count suns))
