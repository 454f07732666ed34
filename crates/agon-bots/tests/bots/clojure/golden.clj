;; The functions of amoebas.lib and others against recorded values: with an env that is a plain function, and with one
;; as the arena makes it. Says how many environments it has looked at; whatever differs is thrown.
(ns golden
  (:require [agon.env]
            [amoebas.defs]
            [amoebas.examples :as examples]
            [amoebas.lib :refer :all]
            [amoebas.util :as util]
            [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.string :as string]
            [clojure.walk :as walk])
  (:import (agon.env Env Message)))

(defn read-json
  "JSON as EDN: colons become blank, and null nil."
  [file]
  (->> (edn/read-string (string/replace (slurp file) "\":" "\" "))
       (walk/postwalk #(if (= 'null %) nil %))))

(def recorded
  (read-json (io/file (.getParentFile (.getCanonicalFile (io/file *file*)))
                      "../../../../agon-games/tests/data/amoebas_lib.json")))

(defn same [what expected got]
  (when-not (= expected got)
    (throw (ex-info (str what ": expected " (pr-str expected) ", got " (pr-str got)) {}))))

(defn number [x] (if (string? x) (edn/read-string x) x))

(defn tables []
  (doseq [[name value] (recorded "constants")]
    (same name value @(ns-resolve 'amoebas.defs (symbol name))))
  (same "Neighbors" (recorded "Neighbors") Neighbors)
  (same "Neighbor-To-Dir" (into {} (recorded "Neighbor_To_Dir")) Neighbor-To-Dir)
  (same "Environment" (recorded "Environment") Environment)
  (same "Env-Sections" (recorded "Env_Sections") Env-Sections)
  (same "Dirs" (range 8) Dirs)
  (doseq [[name value] (recorded "dirs")]
    (same name value @(ns-resolve 'amoebas.lib (symbol name))))
  (doseq [[name values] (recorded "turns")]
    (same name values (map @(ns-resolve 'amoebas.lib (symbol name)) (recorded "turns_args"))))
  (doseq [[r level] (recorded "energy_level")]
    (same ["energy-level" r] level (energy-level (number r))))
  (doseq [[r level] (recorded "above_division_energy_level")]
    (same ["above-division-energy-level" r] level (above-division-energy-level (number r))))
  (doseq [[a b far sum] (recorded "distance")]
    (same ["distance" a b] far (distance a b))
    (same ["add-coordinates" a b] sum (add-coordinates a b)))
  (doseq [[a x b bounded] (recorded "bound")]
    (same ["bound" a x b] bounded (util/bound a x b)))
  (same "sum" (recorded "sum_empty") (util/sum []))
  (same "abs" (recorded "abs") (map util/abs [-3 0 2.5])))

(defn cells-of
  "The cells of a recorded environment by position."
  [{fuel "fuel_rowmajor_dy_dx" occupants "occupants"}]
  (let [amoebas (into {} (for [[dx dy species energy health] occupants]
                           [[dx dy] {:function nil :species (keyword species) :energy energy :health health :data nil}]))]
    (into {} (for [[[dy dx] fuel] (map vector (for [dy (range -3 4) dx (range -3 4)] [dy dx]) fuel)]
               [[dx dy] {:fuel fuel :occupant (amoebas [dx dy])}]))))

(defn plain-env [cells]
  (fn ([position] (cells position)) ([dx dy] (cells [dx dy]))))

(defn arena-env [cells]
  (let [all (vec (distinct (keep (comp :species :occupant) (vals cells))))
        words (map (fn [position]
                     (let [{:keys [fuel occupant]} (cells position)
                           {:keys [species energy health]} occupant
                           number (inc (.indexOf ^java.util.List all species))]
                       (if occupant
                         (bit-or fuel (bit-shift-left energy 16) (bit-shift-left health 32)
                                 (bit-shift-left number 48))
                         (or fuel 0))))
                   (for [dy (range -3 4) dx (range -3 4)] [dx dy]))
        words (long-array words)]
    (Env. words 0 0 3 (Message. words (object-array all) (object-array (count all)) (object-array 0)))))

(defn regions [env recorded species]
  (doseq [[name region] {"Neighbors" Neighbors "Environment" Environment}]
    (same ["hostiles" name] (recorded (str "hostiles_" name)) (hostiles species region env))
    (same ["friendlies" name] (recorded (str "friendlies_" name)) (friendlies species region env)))
  (same "empty-neighbors" (recorded "empty_neighbors") (empty-neighbors env))
  (same "cell-empty?" (recorded "cell_empty_rowmajor")
        (for [dy (range -3 4) dx (range -3 4)] (cell-empty? env [dx dy])))
  (same "total-fuel" (recorded "total_fuel_Environment") (total-fuel Environment env))
  (same "average-fuel" (number (recorded "average_fuel_Neighbors")) (average-fuel Neighbors env))
  (same "at-least" (recorded "at_least_50_Environment") (at-least-fuel-subregion 50 Environment env))
  (same "empty-subregion" (recorded "empty_subregion_Neighbors") (empty-subregion Neighbors env))
  (same "total-fuel of others" (recorded "total_fuel_Environment") (total-fuel (vec Environment) env)))

(defn sections [env recorded species]
  (let [check (fn [name f] (same name (recorded name) (map f Env-Sections)))]
    (check "hostiles_per_section" #(hostiles species % env))
    (check "friendlies_count_per_section" #(count (friendlies species % env)))
    (check "total_fuel_sections" #(total-fuel % env))
    (same "average-fuel" (map number (recorded "average_fuel_sections")) (map #(average-fuel % env) Env-Sections))
    (check "region_empty_sections" #(region-empty? % env))
    (check "region_empty_sections_without_here" #(region-empty? (remove #{[0 0]} %) env))
    (same "cells-in-section" (recorded "cells_in_section_fuel")
          (map (fn [dir] (map :fuel (cells-in-section dir env))) Dirs)))
  (doseq [[suffix dirs] {"" (recorded "dirs_arg") "_all" Dirs}]
    (let [check (fn [name got] (same (str name suffix) (recorded (str name suffix)) got))]
      (check "sections_by_hostiles" (sections-by-hostiles dirs env species))
      (check "sections_by_friendlies" (sections-by-friendlies dirs env species))
      (check "sections_by_fuel" (sections-by-fuel dirs env))
      (check "sections_by_fuel_density" (sections-by-fuel-density dirs env)))))

(defn targets [env recorded species]
  (let [hs (hostiles species Neighbors env)
        check (fn [name select]
                (same name (get-in recorded ["targets" name]) (when (seq hs) (select hs species env))))]
    (check "weakest" examples/weakest-target-selector)
    (check "strongest" examples/strongest-target-selector)
    (check "most-energy" examples/most-energy-target-selector)
    (check "most-energy-and-fuel" examples/most-energy-and-fuel-target-selector)))

(defn same-envs
  "Both envs show the same cells, which are plain maps, and nothing beyond the view."
  [plain arena]
  (doseq [[dx dy] Environment]
    (same [dx dy] (plain [dx dy]) (arena [dx dy]))
    (same [dx dy] (plain [dx dy]) (arena dx dy))
    (same [dx dy] (plain [dx dy]) (apply arena [dx dy])))
  (same "beyond" [nil nil nil nil nil] [(arena [4 0]) (arena 0 -4) (arena [1000000000000 0]) (arena [1.5 0]) (arena nil)])
  (same "order" [:function :species :energy :health :data] (keys (:occupant (arena Here)))))

(tables)
(doseq [environment (recorded "environments")]
  (let [cells (cells-of environment)
        species (keyword (environment "species"))
        arena (arena-env cells)]
    (same-envs (plain-env cells) arena)
    (doseq [env [(plain-env cells) arena]]
      (regions env environment species)
      (sections env environment species)
      (targets env environment species))))
(same "contains" [nil false true nil] (let [env (arena-env {[0 0] {:fuel 1 :occupant {:species :red :energy 1 :health 1}}
                                                            [1 0] {:fuel 1 :occupant {:species :blue :energy 1 :health 1}}})]
                                        [(contains-hostile? :red [0 1] env) (contains-hostile? :red [0 0] env)
                                         (contains-hostile? :red [1 0] env) (contains-friendly? :red [0 1] env)]))
(println "environments:" (count (recorded "environments")))
