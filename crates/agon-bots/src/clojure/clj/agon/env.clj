(ns agon.env
  "The view of an amoeba: a function from positions to cells, made of words from the arena.

  A cell is a word: fuel, energy and health, 16 bits each from the lowest, then 8 bits of occupant (0 for none, else
  the player's number plus one). The cells of a window come row by row from the north-west. If an amoeba carries
  something, there is a second window. Its words have the numbers of the occupant's data and function among the blobs
  of the message, 32 bits each, 0 for none. Maps are only made of cells that a species looks at."
  (:require [agon.objects])
  (:import (agon.objects Load)
           (clojure.lang ArityException Fn IFn Numbers PersistentArrayMap)))

(deftype Message [^longs words ^objects species ^objects functions ^objects loads])

(defn blob
  "Returns the object with a number from 1 in a message: data or a function."
  [^Message message ^long number]
  (.value ^Load (aget ^objects (.loads message) (unchecked-dec-int number))))

(definterface Window
  (^long index [x y] "Where a position is in the window; -1 beyond it.")
  (^long number [^long dx ^long dy] "The same for small numbers that are in it.")
  (^long fuel [^long index])
  (^long occupant [^long index])
  (^long energy [^long index])
  (^long health [^long index])
  (^Object species [^long index])
  (^long carried [^long index] "The numbers of what the occupant carries.")
  (^Object cell [^long index]))

(def ^:private ^:const beyond 1000000)

(defn- coordinate
  "Returns a coordinate as a number. Anything but a whole number is beyond every window."
  ^long [x]
  (cond
    (instance? Long x) (let [n (.longValue ^Long x)] (if (< -1000000 n 1000000) n beyond))
    (integer? x) (let [n (long (min (max x -1000000) 1000000))] n)
    (number? x) beyond
    :else (throw (IllegalArgumentException. (str "a position is [dx dy], two numbers; not " (pr-str x))))))

(def ^:private empty-cells
  "Empty cells, by fuel."
  (object-array (map (fn [fuel] {:fuel fuel :occupant nil}) (range 256))))

;; The start of its windows among the words. That of the amoebas' loads is 0 if there is none.
(deftype Env [^longs words ^long base ^long carry-base ^long reach ^Message message]
  Window
  (index [_ x y]
    (let [dx (coordinate x) dy (coordinate y)]
      (if (and (<= (- reach) dx) (<= dx reach) (<= (- reach) dy) (<= dy reach))
        (+ (* (+ dy reach) (inc (* 2 reach))) (+ dx reach))
        -1)))
  (number [_ dx dy]
    (+ (* (+ dy reach) (inc (* 2 reach))) (+ dx reach)))
  (fuel [_ index]
    (bit-and (aget words (unchecked-add base index)) 0xFFFF))
  (energy [_ index]
    (bit-and (unsigned-bit-shift-right (aget words (unchecked-add base index)) 16) 0xFFFF))
  (health [_ index]
    (bit-and (unsigned-bit-shift-right (aget words (unchecked-add base index)) 32) 0xFFFF))
  (occupant [_ index]
    (bit-and (unsigned-bit-shift-right (aget words (unchecked-add base index)) 48) 0xFF))
  (carried [_ index]
    (if (zero? carry-base) 0 (aget words (unchecked-add carry-base index))))
  (species [this index]
    (aget ^objects (.species message) (unchecked-dec-int (.occupant this index))))
  (cell [this index]
    (let [player (.occupant this index)
          fuel (.fuel this index)]
      (if (zero? player)
        (if (< fuel 256)
          (aget ^objects empty-cells fuel)
          (PersistentArrayMap. (object-array [:fuel fuel :occupant nil])))
        (let [second-word (.carried this index)
              data (bit-and second-word 0xFFFFFFFF)
              function (unsigned-bit-shift-right second-word 32)
              fields (object-array 10)]
          (aset fields 0 :function)
          (aset fields 1 (if (zero? function)
                           (aget ^objects (.functions message) (dec player))
                           (blob message function)))
          (aset fields 2 :species)
          (aset fields 3 (aget ^objects (.species message) (dec player)))
          (aset fields 4 :energy)
          (aset fields 5 (Numbers/num (.energy this index)))
          (aset fields 6 :health)
          (aset fields 7 (Numbers/num (.health this index)))
          (aset fields 8 :data)
          (aset fields 9 (when-not (zero? data) (blob message data)))
          (PersistentArrayMap.
           (doto (object-array 4)
             (aset 0 :fuel)
             (aset 1 (Numbers/num fuel))
             (aset 2 :occupant)
             (aset 3 (PersistentArrayMap. fields))))))))
  Fn
  IFn
  (invoke [this position]
    (when-not (nil? position)
      (let [i (.index this (nth position 0 nil) (nth position 1 nil))]
        (when-not (neg? i) (.cell this i)))))
  (invoke [this x y]
    (let [i (.index this x y)]
      (when-not (neg? i) (.cell this i))))
  (applyTo [this arguments]
    (case (int (bounded-count 3 arguments))
      1 (.invoke this (first arguments))
      2 (.invoke this (first arguments) (second arguments))
      (throw (ArityException. (count arguments) "env")))))

(defn position-index
  "Returns the index of a position in the window of an env; -1 beyond it."
  ^long [^Env env position]
  (.index env (nth position 0 nil) (nth position 1 nil)))
