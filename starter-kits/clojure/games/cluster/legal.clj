(ns legal
  "Tells what is wrong with a reply; nil: nothing.")

(defn problem [_start {:keys [hand columns]} {:keys [action column color cycles]}]
  (case action
    "ROTATE" (when-not (<= 1 cycles 5) "1 to 5 cycles")
    "PLACE" (cond
              (not-any? #{color} hand) "the color is not in hand"
              (not-any? #{column} (map :column columns)) "the column takes no pellet")
    "no such action"))
