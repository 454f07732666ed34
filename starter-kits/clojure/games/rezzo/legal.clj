(ns legal
  "Tells what is wrong with a reply; nil: nothing."
  (:require [bot]))

(defn problem [_start {:keys [rows]} {:keys [action]}]
  (let [ahead (get-in rows [11 6])]
    (when-not (case action
                ("NOP" "TURN_LEFT" "TURN_RIGHT") true
                ("ADVANCE" "BUILD") (= ahead \space)
                "HIT" (bot/hittable? ahead)
                false)
      "not possible here")))
