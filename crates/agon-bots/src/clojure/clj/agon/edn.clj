(ns agon.edn
  "Short plain values as text in the notation EDN, and back.

  Whatever is written is read as a value equal to the one that was written, and no two values that differ are written
  alike. So a keyword or symbol is only plain if it is read as itself: `(keyword \"a :b 1\")` prints like three things."
  (:require [clojure.edn :as edn]
            [clojure.string :as string])
  (:import (clojure.lang IObj Keyword PersistentArrayMap PersistentHashMap PersistentHashSet PersistentList
                         PersistentList$EmptyList PersistentVector Symbol)
           (java.io PushbackReader StringReader)
           (java.util Map$Entry)))

(def ^:const longest "Characters of a plain value, at most." 200)
(def ^:private ^:const longest-read "The same where each is written as six." 1200)

(defmacro ^:private within?
  "Whether a character is between two others. (With three arguments, `<=` puts all into a list.)"
  [from c to]
  `(and (<= ~from ~c) (<= ~c ~to)))

(defn- usual-name?
  "Returns whether a name starts with a letter and has only letters, digits and dashes, so that it is read as itself."
  [^String s]
  (let [length (.length s)]
    (and (pos? length)
         (loop [i 0]
           (if (< i length)
             (let [c (int (.charAt s i))]
               (if (or (within? 97 c 122) (within? 65 c 90) (and (pos? i) (or (within? 48 c 57) (= c 45))))
                 (recur (inc i))
                 false))
             true)))))

(defn- control-or-surrogate? [c] (or (Character/isISOControl (char c)) (Character/isSurrogate (char c))))

(defn- read-as-itself? [x text]
  (and (not-any? control-or-surrogate? text)
       (try (= x (edn/read-string text)) (catch Exception _ false))))

(defn- plain-keyword? [^Keyword k]
  (or (and (nil? (namespace k)) (usual-name? (name k)))
      (read-as-itself? k (.toString k))))

(defn- escape! [^StringBuilder out c] (.append out (format "\\u%04x" (int c))))

(defn- lone?
  "Returns whether a string has half of a surrogate pair at an index. No encoding has it."
  [^String s i]
  (let [i (long i)
        c (.charAt s i)]
    (cond
      (Character/isHighSurrogate c) (not (and (< (inc i) (.length s)) (Character/isLowSurrogate (.charAt s (inc i)))))
      (Character/isLowSurrogate c) (not (and (pos? i) (Character/isHighSurrogate (.charAt s (dec i)))))
      :else false)))

(defn- quote! [^StringBuilder out ^String s]
  (.append out \")
  (dotimes [i (.length s)]
    (let [c (.charAt s i)]
      (cond
        (or (= c \") (= c \\)) (doto out (.append \\) (.append c))
        (= c \newline) (.append out "\\n")
        (or (Character/isISOControl c) (lone? s i)) (escape! out c)
        :else (.append out c))))
  (.append out \"))

(declare write!)

(defn- write-all! [^StringBuilder out items]
  (loop [items (seq items) between false]
    (if items
      (do (when between (.append out \space))
          (and (write! out (first items)) (recur (next items) true)))
      true)))

(defn- write-entries! [^StringBuilder out entries]
  (loop [entries (seq entries) between false]
    (if entries
      (let [^Map$Entry entry (first entries)]
        (when between (.append out \space))
        (and (write! out (.getKey entry))
             (do (.append out \space) (write! out (.getValue entry)))
             (recur (next entries) true)))
      true)))

(defn- write!
  "Appends a value; false if it is not plain, or too long."
  [^StringBuilder out x]
  (if (< longest (.length out))
    false
    (let [c (class x)]
      (cond
        (nil? x) (do (.append out "nil") true)
        (identical? c Long) (do (.append out (.longValue ^Long x)) true)
        (identical? c Keyword) (when (plain-keyword? x) (.append out (.toString ^Keyword x)) true)
        ;; `(Boolean. false)` counts as true, so it is not plain.
        (or (true? x) (false? x)) (do (.append out (.booleanValue ^Boolean x)) true)
        (identical? c Double) (let [d (.doubleValue ^Double x)]
                                (when-not (or (Double/isNaN d) (Double/isInfinite d))
                                  (.append out d)
                                  true))
        (identical? c String) (when (< (.length ^String x) longest) (quote! out x) true)
        (and (instance? IObj x) (.meta ^IObj x)) false
        (identical? c PersistentVector) (and (.append out \[) (write-all! out x) (.append out \]) true)
        (or (identical? c PersistentArrayMap) (identical? c PersistentHashMap))
        (and (.append out \{) (write-entries! out x) (.append out \}) true)
        (identical? c PersistentHashSet) (and (.append out "#{") (write-all! out x) (.append out \}) true)
        (or (identical? c PersistentList) (identical? c PersistentList$EmptyList))
        (and (.append out \() (write-all! out x) (.append out \)) true)
        (identical? c Symbol) (when (read-as-itself? x (.toString ^Symbol x)) (.append out (.toString ^Symbol x)) true)
        :else false))))

(defn text
  "Returns a value as text; nil if it is not plain, or too long."
  ^String [x]
  (let [out (StringBuilder.)]
    (when (and (write! out x) (<= (.length out) longest))
      (.toString out))))

(defn- no-tag [& _] (throw (IllegalArgumentException. "a tag is nothing plain")))

(defn value
  "Returns the plain value of a text, as `[value]`; nil if it has none."
  [^String text]
  (when (<= (.length text) longest-read)
    (try
      (let [reader (PushbackReader. (StringReader. text))
            options {:eof reader :readers {'inst no-tag 'uuid no-tag} :default no-tag}
            x (edn/read options reader)]
        (when-not (or (identical? x reader) (not (identical? reader (edn/read options reader))))
          [x]))
      (catch Exception _ nil)
      (catch StackOverflowError _ nil))))
