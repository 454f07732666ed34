(ns agon.objects
  "Data and functions of amoebas in the form that the arena carries: as text.

  For their own species they stay the same objects; a table of each species maps texts to objects. Short plain values
  are written as EDN, such as `[:home 3]`. Everything else - functions, long or lazy values, references - is written as
  `#agon/object 7`, numbered in order of appearance. Equal texts of a species mean equal values: a value that would not
  be read as itself is not plain. Objects that no amoeba has carried for a while are forgotten.

  Only the texts of species in other JVMs are known: plain values are read, everything else is opaque."
  (:require [agon.edn :as edn])
  (:import (clojure.lang Fn IFn)
           (java.io Writer)
           (java.util ArrayList HashMap IdentityHashMap Iterator Map$Entry)))

(def ^{:private true :tag 'longs} clock "The current round; the number of the next object." (long-array 2))

;; An object, and the round in which it was last seen.
(deftype Entry [object ^longs seen])

;; The objects of a species: texts to entries, and objects to the texts of their numbers.
(deftype Table [^HashMap by-text ^IdentityHashMap numbered])

(def ^:private ^ArrayList tables "By player." (ArrayList.))

(defn- table
  ^Table [^long player]
  (while (<= (.size tables) player)
    (.add tables (Table. (HashMap.) (IdentityHashMap.))))
  (.get tables (int player)))

;; A private object of another species. The arena's numbers tell them apart.
(defmacro ^:private define-opaque
  "Defines a type that the compiler accepts as callable."
  []
  (let [refuse `(throw (UnsupportedOperationException.
                        (str "it belongs to another species, which lives in a JVM of its own, and cannot be called here; "
                             "with --share-jvm all species share a JVM")))]
    `(deftype ~'Opaque [~(with-meta 'player {:tag 'long}) ~'text]
       Fn
       IFn
       ~@(for [n (range 20)] `(~'invoke [~'_ ~@(map #(symbol (str "x" %)) (range n))] ~refuse))
       (~'applyTo [~'_ ~'_xs] ~refuse)
       Object
       (~'equals [~'this ~'other]
         (or (identical? ~'this ~'other)
             (and (instance? ~'Opaque ~'other)
                  (= ~'player (. ~(with-meta 'other {:tag 'Opaque}) ~'player))
                  (= ~'text (. ~(with-meta 'other {:tag 'Opaque}) ~'text)))))
       (~'hashCode [~'_] (unchecked-add-int (unchecked-int ~'player) (.hashCode ~(with-meta 'text {:tag 'String}))))
       (~'toString [~'_] (str "#agon/foreign [" ~'player " " (pr-str ~'text) "]")))))

(define-opaque)

(defmethod print-method Opaque [x ^Writer out] (.write out (.toString ^Object x)))

(defn opaque? "Whether something belongs to a species of another JVM." [x] (instance? Opaque x))

(defn foreign-function "What stands for the function that all amoebas of a species in another JVM have." [player]
  (Opaque. player "function"))

(defn- remember! [^Table t text object]
  (let [^HashMap by-text (.by-text t)]
    (if-let [^Entry entry (.get by-text text)]
      (aset ^longs (.seen entry) 0 (aget clock 0))
      (.put by-text text (Entry. object (doto (long-array 1) (aset 0 (aget clock 0))))))
    text))

(defn text
  "Returns the text of an object of a player's species; the object is not nil."
  [object player]
  (let [plain (edn/text object)]
    ;; A species may have threads of its own.
    (locking tables
      (let [^Table t (table player)
            ^IdentityHashMap numbered (.numbered t)]
        (remember!
         t
         (or plain
             (.get numbered object)
             (let [text (str "#agon/object " (aget clock 1))]
               (aset clock 1 (inc (aget clock 1)))
               (.put numbered object text)
               text))
         object)))))

(defn- entry
  "Returns the entry of a text; a new one has the result of `unknown`."
  [player text unknown]
  (locking tables
    (let [^Table t (table player)
          ^HashMap by-text (.by-text t)]
      (when-not (.containsKey by-text text)
        (remember! t text (unknown text)))
      (.get by-text text))))

(defn- known-no-more
  "A text that is no plain value means itself. A forgotten object is nil."
  [^String text]
  (cond
    (.startsWith text "#agon/object ") nil
    :else (if-let [[x] (edn/value text)] x text)))

(defn- entry-of
  "Returns the entry of a text of a player's species. Where that lives: 0 nowhere, 1 in another JVM, 2 here."
  [text player home]
  (case (int home)
    0 (Entry. text (long-array 1))
    1 (entry player text #(if-let [[x] (edn/value %)] x (Opaque. player %)))
    (entry player text known-no-more)))

(definterface Load
  (^Object value [] "What an amoeba carries.")
  (^void release [player round] "Forgets the object, if it is a player's, or was not seen since a round."))

;; Something that amoebas carry. It is only looked up when a species looks at it.
(deftype Carried [text ^long player ^long home ^:volatile-mutable held]
  Load
  (value [_]
    (let [^Entry entry (or held (set! held (entry-of text player home)))]
      (aset ^longs (.seen entry) 0 (aget ^longs clock 0))
      (.object entry)))
  (release [_ of since]
    (when-let [^Entry entry held]
      (when (or (= of player) (< (aget ^longs (.seen entry) 0) (long since)))
        (set! held nil)))))

(def ^:private ^ArrayList loads "What the arena has sent, by the place that it says." (ArrayList.))

(defn load!
  "Puts a text of the arena in its place."
  [^long place text player home]
  (while (<= (.size loads) place) (.add loads nil))
  (.set loads place (Carried. text player home nil)))

(defn load-at "Returns what is in a place." [^long place] (.get loads place))

(defn- release!
  [player since]
  (doseq [^Load each loads :when each] (.release each player since)))

(defn- forget-if!
  "Forgets the objects of entries that a function picks."
  [^Table t pick?]
  (let [^Iterator entries (.iterator (.entrySet ^HashMap (.by-text t)))
        ^IdentityHashMap numbered (.numbered t)]
    (while (.hasNext entries)
      (let [^Map$Entry item (.next entries)
            ^Entry entry (.getValue item)]
        (when (pick? entry)
          (.remove entries)
          (when (identical? (.getKey item) (.get numbered (.object entry)))
            (.remove numbered (.object entry))))))))

(defn drop!
  "Forgets all objects of a player's species: it is out, and its amoebas carry nothing any more."
  [^long player]
  (locking tables
    (forget-if! (table player) (constantly true))
    (release! player 0)))

(defn forget!
  "Starts again, for another match."
  []
  (locking tables
    (.clear tables)
    (.clear loads)
    (aset clock 0 0)
    (aset clock 1 0)))

(defn round!
  "Sets the round. Every living amoeba is asked once a round, and so shows its load. Objects that were not seen in the
  last full round are forgotten."
  [^long round]
  (when-not (= round (aget clock 0))
    (locking tables
      (aset clock 0 round)
      (when (zero? (rem round 8))
        (release! -1 (dec round))
        (doseq [^Table t tables :when (< 1000 (.size ^HashMap (.by-text t)))]
          (forget-if! t (fn [^Entry entry] (< (aget ^longs (.seen entry) 0) (dec round)))))))))
