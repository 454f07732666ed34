(ns agon.objects
  "Data and functions of amoebas as the arena carries them around: as text.

  For the species they belong to they stay the objects they are; a table of each species tells which object a text
  stands for. Short plain values stand as EDN, such as `[:home 3]`; everything else - functions, long or lazy values,
  references - as `#agon/object 7`, numbered in the order of appearance. Equal texts of a species stand for equal
  values: what would not be read as itself is not plain. What no amoeba has carried for a while is forgotten.

  Of species in other JVMs only the texts are known: plain values are read, all else is opaque."
  (:require [agon.edn :as edn])
  (:import (clojure.lang Fn IFn)
           (java.io Writer)
           (java.util ArrayList HashMap IdentityHashMap Iterator Map$Entry)))

(def ^{:private true :tag 'longs} clock "The current round; the number of the next object." (long-array 2))

;; An object, and the round in which it was last seen.
(deftype Entry [object ^longs seen])

;; What a species has brought: texts to entries, and objects to the texts of their numbers.
(deftype Table [^HashMap by-text ^IdentityHashMap numbered])

(def ^:private ^ArrayList tables "By player." (ArrayList.))

(defn- table
  ^Table [^long player]
  (while (<= (.size tables) player)
    (.add tables (Table. (HashMap.) (IdentityHashMap.))))
  (.get tables (int player)))

;; What another species calls its own, and keeps to itself. The arena's numbers tell one from another.
(defmacro ^:private define-opaque
  "A type that can be called, as far as the compiler is concerned."
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
  "The text that stands for an object that is not nil, which a player's species brings."
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

(defn- seen
  "The object that a text stands for, or what `unknown` makes of it."
  [player text unknown]
  (locking tables
    (let [^Table t (table player)]
      (if-let [^Entry entry (.get ^HashMap (.by-text t) text)]
        (do (aset ^longs (.seen entry) 0 (aget clock 0))
            (.object entry))
        (let [object (unknown text)]
          (remember! t text object)
          object)))))

(defn- known-no-more
  "A text that is no plain value is itself; an object that is not known any more is nil."
  [^String text]
  (cond
    (.startsWith text "#agon/object ") nil
    :else (if-let [[x] (edn/value text)] x text)))

(defn object
  "What a text stands for that a player's species has brought, which lives here."
  [text player]
  (seen player text known-no-more))

(defn foreign
  "What a text stands for that a player's species has brought, which lives in another JVM."
  [text player]
  (seen player text #(if-let [[x] (edn/value %)] x (Opaque. player %))))

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
  "Forgets what a player's species has brought: it is out, and its amoebas carry nothing any more."
  [^long player]
  (locking tables
    (forget-if! (table player) (constantly true))))

(defn forget!
  "Begins anew, for another match."
  []
  (locking tables
    (.clear tables)
    (aset clock 0 0)
    (aset clock 1 0)))

(defn round!
  "Tells which round it is. Every living amoeba is asked once a round, and so shows what it carries: what has not been
  seen in the last full round is forgotten."
  [^long round]
  (when-not (= round (aget clock 0))
    (locking tables
      (aset clock 0 round)
      (when (zero? (rem round 8))
        (doseq [^Table t tables :when (< 1000 (.size ^HashMap (.by-text t)))]
          (forget-if! t (fn [^Entry entry] (< (aget ^longs (.seen entry) 0) (dec round)))))))))
