;; Data as text: equal texts stand for equal values, and are read as these, whatever names and strings are made of.
(ns fuzz
  (:require [agon.edn :as edn])
  (:import (java.util HashMap Random)))

(def ^Random random (Random. 1))
(defn below [n] (.nextInt random (int n)))

(def bits
  ["a" "b" ":" " " "/" "1" "-" "+" "\"" "\\" "#" "{" "}" "[" "]" "(" ")" ";" "," "^" "'" "@" "~" "`" "nil" "true" "."
   "\n" "\ud800" "\udc00" "\ud83d\ude00" "\u00e9" "\u0000" "N" "e" "E" "x" "_" "%" "&" "\u00a0" "\u2028" "object" "agon"])

(defn word [] (apply str (repeatedly (below 5) #(bits (below (count bits))))))

(defn value [depth]
  (let [some-of (fn [f] (repeatedly (below 4) f))
        inner #(value (dec depth))]
    (case (below (if (pos? depth) 15 10))
      0 nil
      1 (- (below 200) 100)
      2 (.nextLong random)
      3 (keyword (word))
      4 (keyword (word) (word))
      5 (symbol (word))
      6 (word)
      7 (.nextBoolean random)
      8 (Double/longBitsToDouble (.nextLong random))
      9 (symbol (word) (word))
      10 (vec (some-of inner))
      11 (into {} (some-of #(vector (inner) (inner))))
      12 (set (some-of inner))
      13 (apply list (some-of inner))
      14 {(keyword (word)) (value 0)})))

(let [known (HashMap.)
      plain (atom 0)]
  (dotimes [_ 40000]
    (let [x (value 3)]
      (when-let [text (edn/text x)]
        (swap! plain inc)
        (let [crossed (String. (.getBytes text "UTF-8") "UTF-8")]
          (assert (= [x] (edn/value crossed)) (pr-str text))
          (assert (= x (.getOrDefault known text x)) (pr-str text))
          (.put known text x)))))
  (println (if (< 10000 @plain 35000) "as many as there have to be" @plain)))
