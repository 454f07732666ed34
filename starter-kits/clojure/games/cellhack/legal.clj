(ns legal
  "Tells what is wrong with a reply; nil: nothing."
  (:require [bot] [clojure.string :as string]))

(defn problem [{:keys [rules]} {:keys [env energy]} {:keys [action memory]}]
  (let [[verb way] (string/split action #"_")
        there (some-> (bot/places way) env)
        cell? (not (#{bot/empty-place bot/rock} there))]
    (cond
      (and memory (not (<= 0 memory 18446744073709551615))) "the memory has 64 bits"
      (#{"REST" "NOTHING" "DIE"} action) nil
      (nil? there) "no such direction"
      (#{"EAT" "FEED"} verb) (when-not cell? "there is no cell")
      (not= there bot/empty-place) "the place is taken"
      (= verb "MOVE") nil
      (not= verb "SPLIT") "no such action"
      (<= energy (:energy_min_split rules)) "too little energy to split")))
