(ns json
  "JSON to Clojure data and back, so that the kit needs no library: objects are maps with keywords, arrays are vectors."
  (:import (java.util HashMap)))

(set! *warn-on-reflection* true)

(declare value)

;; Where the reader is, is in an array of one number: `at`.

(defn- fail [what text at]
  (throw (IllegalArgumentException. (str what " at character " (aget ^ints at 0) " of " (count text)))))

(defn- peek-char
  "The next character behind blanks, which is not taken; 0 at the end."
  ^long [^String text ^ints at]
  (let [end (.length text)]
    (loop [i (aget at 0)]
      (if (and (< i end) (<= (int (.charAt text i)) 32))
        (recur (inc i))
        (do (aset at 0 i)
            (if (< i end) (long (int (.charAt text i))) 0))))))

(defn- skip
  "Takes a character if it is the next one."
  [^String text ^ints at ^long wanted]
  (when (= wanted (peek-char text at))
    (aset at 0 (inc (aget at 0)))
    true))

(defn- expect [^String text ^ints at wanted]
  (when-not (skip text at (long (int wanted)))
    (fail (str "no " wanted) text at)))

(defn- word [^String text ^ints at ^String word meaning]
  (when-not (.startsWith text word (aget at 0))
    (fail (str "no " word) text at))
  (aset at 0 (+ (aget at 0) (.length word)))
  meaning)

(defn- escaped [^String text ^ints at ^StringBuilder out]
  (let [i (aget at 0)
        escape (.charAt text i)
        index (.indexOf "\"\\/bfnrt" (int escape))]
    (cond
      (>= index 0) (do (.append out (.charAt "\"\\/\b\f\n\r\t" index))
                       (aset at 0 (inc i)))
      (= escape \u) (do (.append out (char (Integer/parseInt (.substring text (inc i) (+ i 5)) 16)))
                        (aset at 0 (+ i 5)))
      :else (fail "no escape" text at))))

(defn- text-with-escapes [^String text ^ints at begin]
  (let [out (StringBuilder. (.substring text begin (aget at 0)))]
    (loop []
      (let [next (.charAt text (aget at 0))]
        (aset at 0 (inc (aget at 0)))
        (cond
          (= next \") (.toString out)
          (= next \\) (do (escaped text at out) (recur))
          :else (do (.append out next) (recur)))))))

(defn- string ^String [^String text ^ints at]
  (expect text at \")
  (let [begin (aget at 0)]
    (loop [i begin]
      (let [next (.charAt text i)]
        (cond
          (= next \") (do (aset at 0 (inc i)) (.substring text begin i))
          (= next \\) (do (aset at 0 i) (text-with-escapes text at begin))
          :else (recur (inc i)))))))

(defn- parse-number [^String digits text at]
  (cond
    (re-matches #"-?[0-9]{1,18}" digits) (Long/parseLong digits)
    (re-matches #"-?[0-9]+" digits) (let [big (bigint digits)]
                                      (if (<= Long/MIN_VALUE big Long/MAX_VALUE) (long big) big))
    (re-matches #"-?[0-9]+[-+.eE0-9]*" digits) (Double/parseDouble digits)
    :else (fail "no value" text at)))

(defn- number [^String text ^ints at]
  (let [begin (aget at 0)
        end (.length text)]
    ;; Small whole numbers are nearly all there are.
    (loop [i begin sum 0]
      (let [next (if (< i end) (long (int (.charAt text i))) 0)]
        (cond
          (and (>= next 48) (<= next 57) (< (- i begin) 18)) (recur (inc i) (+ (* 10 sum) (- next 48)))
          (and (> i begin) (or (= next 44) (= next 93) (= next 125))) (do (aset at 0 i) sum)
          :else (let [end (loop [i i]
                            (if (and (< i end) (>= (.indexOf "+-.eE0123456789" (int (.charAt text i))) 0))
                              (recur (inc i))
                              i))]
                  (aset at 0 (int end))
                  (parse-number (.substring text begin end) text at)))))))

(def ^:private ^HashMap keywords (HashMap.))

(defn- key-of [^String name]
  (or (.get keywords name)
      (let [it (keyword name)]
        (.put keywords name it)
        it)))

(defn- object [^String text ^ints at]
  (expect text at \{)
  (if (skip text at 125)
    {}
    (loop [map (transient {})]
      (let [key (key-of (string text at))
            map (do (expect text at \:) (assoc! map key (value text at)))]
        (if (skip text at 44)
          (recur map)
          (do (expect text at \}) (persistent! map)))))))

(defn- array [^String text ^ints at]
  (expect text at \[)
  (if (skip text at 93)
    []
    (loop [items (transient [])]
      (let [items (conj! items (value text at))]
        (if (skip text at 44)
          (recur items)
          (do (expect text at \]) (persistent! items)))))))

(defn- value [^String text ^ints at]
  (case (peek-char text at)
    123 (object text at)
    91 (array text at)
    34 (string text at)
    110 (word text at "null" nil)
    116 (word text at "true" true)
    102 (word text at "false" false)
    (number text at)))

(defn read-json
  "The value that a text holds."
  [^String text]
  (let [at (int-array 1)
        result (try (value text at)
                    (catch StringIndexOutOfBoundsException _ (fail "no end" text at)))]
    (when-not (zero? (peek-char text at))
      (fail "more text" text at))
    result))

(defn- quoted [^StringBuilder out ^String string]
  (.append out \")
  (dotimes [i (.length string)]
    (let [next (.charAt string i)]
      (cond
        (or (= next \") (= next \\)) (-> out (.append \\) (.append next))
        (< (int next) 32) (.append out (format "\\u%04x" (int next)))
        :else (.append out next))))
  (.append out \"))

(defn- write [^StringBuilder out it]
  (cond
    (nil? it) (.append out "null")
    (string? it) (quoted out it)
    (keyword? it) (quoted out (name it))
    (map? it) (do (.append out \{)
                  (reduce-kv (fn [first? key item]
                               (when-not first? (.append out \,))
                               (quoted out (name key))
                               (.append out \:)
                               (write out item)
                               false)
                             true it)
                  (.append out \}))
    (sequential? it) (do (.append out \[)
                         (reduce (fn [first? item]
                                   (when-not first? (.append out \,))
                                   (write out item)
                                   false)
                                 true it)
                         (.append out \]))
    (or (integer? it) (boolean? it) (float? it)) (.append out (str it))
    :else (throw (IllegalArgumentException. (str "no JSON for " (pr-str it) ", " (type it))))))

(defn write-json
  "The text of maps, vectors and other sequences, strings, keywords, whole numbers, booleans and nil."
  ^String [it]
  (let [out (StringBuilder.)]
    (write out it)
    (.toString out)))
