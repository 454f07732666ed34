(ns rehearsal
  "A typical species: the classes that a JVM loads for it are kept in an archive."
  (:use amoebas.defs amoebas.lib)
  (:require [clojure.set :as set] [clojure.string :as string]))

(def seen (atom {}))

(defmulti plan (fn [kind & _] kind))
(defmethod plan :grow [_ energy] (< energy 60))
(defmethod plan :default [_ energy] false)

(defmacro unless [test & body] `(if ~test nil (do ~@body)))

(defn best [f coll]
  (loop [[x & more] coll best nil]
    (cond
      (nil? x) best
      (or (nil? best) (> (f x) (f best))) (recur more x)
      :else (recur more best))))

(defn Evam
  [energy health species env {:keys [steps dir] :or {steps 0} :as data}]
  (swap! seen update species (fnil inc 0))
  (let [free (empty-neighbors env)
        foes (hostiles species Neighbors env)
        by-fuel (sections-by-fuel Dirs env)
        fuel (reduce + (map #(:fuel (env %)) Neighbors))
        text (string/join "," (sort (map str (set/union #{1 2} #{fuel}))))]
    (unless (plan :grow energy) (format "%d %s %.2f" energy text (double fuel)))
    (cond
      (and (seq foes) (> energy 10)) {:cmd :hit :dir (Neighbor-To-Dir (best #(:health (:occupant (env %))) foes))}
      (and (seq free) (above-division-energy-level energy)) {:cmd :divide :dir (rand-nth free) :child-data {:steps 0}}
      (zero? (mod steps 5)) {:cmd :move :dir (or (first (shuffle free)) 0) :data {:steps (inc steps) :dir dir}}
      :else {:cmd :rest :data (assoc data :steps (try (inc steps) (catch Exception e 0)))})))
