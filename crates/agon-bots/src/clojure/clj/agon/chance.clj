(ns agon.chance
  "Random choices that depend only on the seed of the match.

  It replaces the functions of clojure.core that draw random numbers. In decisions they draw from a stream that starts
  anew for each decision. Each thread has its own stream. While files are loaded, and on threads that a species starts,
  the stream starts with the thread.

  The numbers are those of SplitMix64."
  (:import (java.util ArrayList Collection Collections Random UUID)))

(def ^:private ^ThreadLocal streams
  "The stream of each thread."
  (proxy [ThreadLocal] [] (initialValue [] (long-array 1))))

(defn seed!
  "Starts the stream of a decision on this thread."
  [^long seed]
  (aset ^longs (.get streams) 0 seed))

(defn- bits ^long []
  (let [^longs state (.get streams)
        z (unchecked-add (aget state 0) -7046029254386353131)]
    (aset state 0 z)
    (let [z (unchecked-multiply (bit-xor z (unsigned-bit-shift-right z 30)) -4658895280553007687)
          z (unchecked-multiply (bit-xor z (unsigned-bit-shift-right z 27)) -7723592293110705685)]
      (bit-xor z (unsigned-bit-shift-right z 31)))))

(defn- unit
  "Returns a number from 0 to 1, without 1."
  ^double []
  (* (double (unsigned-bit-shift-right (bits) 11)) (/ 1.0 9007199254740992.0)))

(defn- source
  "Returns the stream in Java's form."
  ^Random []
  (proxy [Random] []
    (next [n] (unchecked-int (unsigned-bit-shift-right (bits) (- 64 (int n)))))))

(defn seeded-rand
  ([] (unit))
  ([n] (* n (unit))))

(defn seeded-rand-int [n] (int (* (unit) n)))

(defn seeded-rand-nth [coll] (nth coll (seeded-rand-int (count coll))))

(defn seeded-shuffle [^Collection coll]
  (let [items (ArrayList. coll)]
    (Collections/shuffle items (source))
    (vec (.toArray items))))

(defn seeded-random-sample
  ([prob] (filter (fn [_] (< (unit) prob))))
  ([prob coll] (filter (fn [_] (< (unit) prob)) coll)))

(defn seeded-random-uuid []
  (UUID. (bit-or (bit-and-not (bits) 0xF000) 0x4000)
         (bit-or (bit-and (bits) 0x3FFFFFFFFFFFFFFF) Long/MIN_VALUE)))

(defn install!
  "Replaces the functions one by one: clojure.core's own calls are linked directly to each other."
  []
  (doseq [[old new] {#'rand seeded-rand
                     #'rand-int seeded-rand-int
                     #'rand-nth seeded-rand-nth
                     #'shuffle seeded-shuffle
                     #'random-sample seeded-random-sample}]
    (alter-var-root old (constantly new)))
  ;; From Clojure 1.11 on.
  (when-let [old (resolve 'clojure.core/random-uuid)]
    (alter-var-root old (constantly seeded-random-uuid))))
