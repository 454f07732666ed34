(ns agon.objects
  "Data and functions of amoebas as the arena carries them around: as text.

  Inside the JVM they stay the objects they are; a table tells which object a text stands for. Short plain values
  stand as EDN, such as `[:home 3]`; everything else - functions, long or lazy values, references - as
  `#agon/object 7`, numbered in the order of appearance. What no amoeba has carried for a while is forgotten."
  (:require [clojure.edn :as edn])
  (:import (clojure.lang IObj Keyword PersistentArrayMap PersistentHashMap PersistentHashSet PersistentVector)
           (java.util HashMap IdentityHashMap Iterator Map$Entry)))

(def ^:private ^:const longest "Characters of a plain value, at most." 200)

(def ^:private ^HashMap by-text "Text to entries." (HashMap.))
(def ^:private ^IdentityHashMap numbered "Objects to the texts of their numbers." (IdentityHashMap.))
(def ^{:private true :tag 'longs} clock "The current round; the number of the next object." (long-array 2))

;; An object, the player whose species brought it, and the round in which it was last seen.
(deftype Entry [object ^long owner ^longs seen])

(declare ^:private plain!)

(defn- all-plain! [^StringBuilder out items]
  (loop [items (seq items) between false]
    (if items
      (do (when between (.append out \space))
          (and (plain! out (first items)) (recur (next items) true)))
      true)))

(defn- plain!
  "Appends a value as EDN; false if it is not plain, or too long."
  [^StringBuilder out x]
  (if (< longest (.length out))
    false
    (let [c (class x)]
      (cond
        (nil? x) (do (.append out "nil") true)
        (identical? c Long) (do (.append out (.longValue ^Long x)) true)
        (identical? c Keyword) (do (.append out (.toString ^Keyword x)) true)
        (identical? c Boolean) (do (.append out (.booleanValue ^Boolean x)) true)
        (identical? c Double) (let [d (.doubleValue ^Double x)]
                                (when-not (or (Double/isNaN d) (Double/isInfinite d))
                                  (.append out d)
                                  true))
        (identical? c String) (when (< (.length ^String x) longest)
                                (.append out (binding [*print-length* nil] (pr-str x)))
                                true)
        (and (instance? IObj x) (.meta ^IObj x)) false
        (identical? c PersistentVector) (and (.append out \[) (all-plain! out x) (.append out \]) true)
        (or (identical? c PersistentArrayMap) (identical? c PersistentHashMap))
        (and (.append out \{) (all-plain! out (mapcat identity x)) (.append out \}) true)
        (identical? c PersistentHashSet) (and (.append out "#{") (all-plain! out x) (.append out \}) true)
        :else false))))

(defn- plain-text [x]
  (let [out (StringBuilder.)]
    (when (and (plain! out x) (<= (.length out) longest))
      (.toString out))))

(defn- remember! ^String [text object owner]
  (if-let [^Entry entry (.get by-text text)]
    (aset ^longs (.seen entry) 0 (aget clock 0))
    (.put by-text text (Entry. object (long owner) (doto (long-array 1) (aset 0 (aget clock 0))))))
  text)

(defn text
  "The text that stands for an object that is not nil, which a player's species brings."
  [object player]
  (let [plain (plain-text object)]
    ;; A species may have threads of its own.
    (locking by-text
      (remember!
       (or plain
           (.get numbered object)
           (let [text (str "#agon/object " (aget clock 1))]
             (aset clock 1 (inc (aget clock 1)))
             (.put numbered object text)
             text))
       object
       player))))

(defn object
  "The object that a text stands for. A text that is not known is read as EDN, one that is no EDN is itself; an object
  that is not known any more is nil."
  [^String text]
  (locking by-text
    (if-let [^Entry entry (.get by-text text)]
      (do (aset ^longs (.seen entry) 0 (aget clock 0))
          (.object entry))
      (let [object (try
                     (edn/read-string {:readers {'agon/object (constantly nil)} :default tagged-literal} text)
                     (catch Exception _ text))]
        (remember! text object -1)
        object))))

(defn- forget-if!
  "Forgets the objects of entries that a function picks."
  [pick?]
  (let [^Iterator entries (.iterator (.entrySet by-text))]
    (while (.hasNext entries)
      (let [^Map$Entry item (.next entries)
            ^Entry entry (.getValue item)]
        (when (pick? entry)
          (.remove entries)
          (when (identical? (.getKey item) (.get numbered (.object entry)))
            (.remove numbered (.object entry))))))))

(defn- sweep!
  "Forgets what has not been seen in the last full round."
  []
  (forget-if! (fn [^Entry entry] (< (aget ^longs (.seen entry) 0) (dec (aget clock 0))))))

(defn drop!
  "Forgets what a player's species has brought: it is out, and its amoebas carry nothing any more."
  [^long player]
  (locking by-text
    (forget-if! (fn [^Entry entry] (= player (.owner entry))))))

(defn forget!
  "Begins anew, for another match."
  []
  (locking by-text
    (.clear by-text)
    (.clear numbered)
    (aset clock 0 0)
    (aset clock 1 0)))

(defn round!
  "Tells which round it is. Every living amoeba is asked once a round, and so shows what it carries."
  [^long round]
  (when-not (= round (aget clock 0))
    (aset clock 0 round)
    (when (and (zero? (rem round 8)) (< 1000 (.size by-text)))
      (locking by-text (sweep!)))))
