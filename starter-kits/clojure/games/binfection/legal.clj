(ns legal
  "Tells what is wrong with a reply; nil: nothing."
  (:require [bot]))

(defn- move-problem [{:keys [rules]} own {:keys [x y direction]}]
  (let [[dx dy] (get bot/ways direction)]
    (cond
      (nil? dx) "directions are 0 to 3"
      (not (own [x y])) "that is no own cell"
      (not (bot/on-field? rules (+ x dx) (+ y dy))) "that leads off the field")))

(defn problem [{:keys [player] :as start} {:keys [cells]} {:keys [moves]}]
  (let [own (set (for [{:keys [x y owner]} cells :when (= owner player)] [x y]))]
    (if (and (seq moves) (not (apply distinct? (map (juxt :x :y) moves))))
      "a cell moves twice"
      (some #(move-problem start own %) moves))))
