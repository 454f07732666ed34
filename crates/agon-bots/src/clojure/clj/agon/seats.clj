(ns agon.seats
  "The seats: species and functions by player, their homes, and which are out."
  (:require [agon.log :as log]
            [agon.objects :as objects])
  (:import (java.util Arrays)))

(def ^:private most-strikes "How often a species may be stopped before it is out." 3)

(def state "Arrays by player; nil before a match." (atom nil))

(defn take!
  "Starts a match. `places` has for each player the number of its file here, -1 if it lives in another JVM, and nil if
  it is no species in Clojure."
  [ids functions places]
  (objects/forget!)
  (let [players (count ids)]
    (doseq [[player place] (map-indexed vector places) :when (and place (not (neg? (long place))))]
      (log/alias! player [:loaded place]))
    (reset! state {:ids (object-array ids)
                   :functions (object-array functions)
                   :alone (= 1 (count (remove #(or (nil? %) (neg? (long %))) places)))
                   :strikes (long-array players)
                   :allocated (long-array players)
                   :evicted (boolean-array players)})))

(defn alone?
  "Returns whether only one species lives here, which then accounts for everything."
  []
  (:alone @state))

(defn- strikes ^longs [] (:strikes @state))

(defn out? [^long player] (< (long most-strikes) (aget (strikes) player)))

(defn strike!
  "Counts a stop, and returns whether the species is out now."
  [^long player]
  (let [strikes (strikes)]
    (when-not (out? player)
      (aset strikes player (inc (aget strikes player))))
    (out? player)))

(defn put-out!
  "Removes a species from play."
  [^long player]
  (aset (strikes) player Long/MAX_VALUE))

(defn id [^long player] (aget ^objects (:ids @state) player))

(defn playing "The players who are not out." []
  (remove out? (range (alength (strikes)))))

(defn note-allocated!
  "Notes the bytes of memory that a species asked for at its last question."
  [^long player ^long bytes]
  (aset ^longs (:allocated @state) player bytes))

(defn hog
  "Returns the player, among some, that asked for the most memory at its last question."
  [players]
  (let [^longs allocated (:allocated @state)]
    (reduce (fn [a b] (if (< (aget allocated a) (aget allocated b)) b a)) players)))

(defn evict! [^long player]
  (aset ^booleans (:evicted @state) player true))

(defn evicted?
  "Returns whether a species has been put out to free memory, and does not know it yet."
  [^long player]
  (aget ^booleans (:evicted @state) player))

(defn told-evicted! [^long player]
  (aset ^booleans (:evicted @state) player false))
