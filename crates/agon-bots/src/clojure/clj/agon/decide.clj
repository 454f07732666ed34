(ns agon.decide
  "Asks amoeba functions, and writes down their answers.

  An answer is four words. The first has the action (0 none, 1 rest, 2 move, 3 hit, 4 divide) and from bit 8 the
  direction. The others refer to data, child's data and function. 0 means none. A number below 2^62 is that of a blob
  of the question. A number above it is that of a new text in the answer."
  (:require [agon.chance :as chance]
            [agon.env]
            [agon.log :as log]
            [agon.objects :as objects]
            [clojure.string :as string])
  (:import (agon.env Env Message)
           (clojure.lang BigInt Compiler IFn)
           (java.util ArrayList LinkedHashMap)))

(def ^:const answer-words 4)
(def ^:private ^:const own-text (bit-shift-left 1 62))

;; The decisions of one species in a batch, with their results. `progress` has six numbers: the decisions made; the
;; thread's start in nanoseconds of its CPU time, and in wall time; 1 if the segment has been given up; its CPU time in
;; nanoseconds; and the thread's wait for a core, plus one, at the first look.
(deftype Segment [^long player ^long count ^long seed ^long limit ^long start ^long carried ^long reach species
                  ^longs answers ^ArrayList texts ^LinkedHashMap faults ^longs progress])

(defn segment [player count seed limit start carried reach species]
  (Segment. player count seed limit start carried reach species
            (long-array (* answer-words (long count))) (ArrayList.) (LinkedHashMap.) (long-array 6)))

(defn given-up?
  "Returns whether nobody waits for a segment any more."
  [^Segment s]
  (pos? (aget ^longs (.progress s) 3)))

(defn fault!
  "Notes a fault: the first one of each kind, and their number."
  [^Segment s kind index count detail]
  (let [^LinkedHashMap faults (.faults s)]
    (if-let [known (.get faults kind)]
      (.put faults kind (update known :count + count))
      (.put faults kind {:kind kind :index index :count count :detail (detail) :log (log/tail (.player s))}))))

(defn- own-frame? [^StackTraceElement frame]
  (not (re-find #"^(clojure|java|javax|jdk|sun|agon|amoebas\.(lib|examples|util|run))\." (.getClassName frame))))

(defn frames
  "Describes the top frames in the code of species."
  [stack]
  (let [of-frame (fn [^StackTraceElement frame]
                   (str (Compiler/demunge (.getClassName frame)) " (" (.getFileName frame) ":"
                        (.getLineNumber frame) ")"))
        ;; A function is called through two methods of its class; the first one names the line.
        own (map first (partition-by #(.getClassName ^StackTraceElement %) (filter own-frame? stack)))]
    (when (seq own) (str ", at " (string/join ", " (map of-frame (take 3 own)))))))

(defn- shortened
  "Makes a text short, with one line and without addresses of objects, so that the same match gives the same text."
  [^String text]
  (let [text (-> text
                 (string/replace #"\s+" " ")
                 (string/replace #"( 0x|@)[0-9a-f]+\b" "$1…"))]
    (if (< 300 (.length text)) (str (subs text 0 300) "…") text)))

(defn- thrown [^Throwable e]
  (str (.getName (class e)) (when-let [message (.getMessage e)] (str ": " (shortened message)))
       (frames (.getStackTrace e))))

(defn- shown [x]
  (try
    (shortened (binding [*print-length* 8 *print-level* 3] (pr-str x)))
    (catch Exception e (str "a value that throws " (.getName (class e))))))

(defn- direction
  "Reads a direction as vectors read indices: any whole number, of which 32 bits count; -1 if it is none."
  ^long [x]
  (if (or (instance? Long x) (instance? Integer x) (instance? BigInt x) (instance? BigInteger x)
          (instance? Short x) (instance? Byte x))
    (let [n (.intValue ^Number x)]
      (if (<= 0 n 7) n -1))
    -1))

(defn- reference
  "Returns the reference to an object in the answer: its number in the question if it comes from there, or a new text."
  ^long [^Segment s object known ^long number]
  (cond
    (nil? object) 0
    (and (identical? object known) (pos? number)) number
    :else (let [^ArrayList texts (.texts s)]
            (.add texts (objects/text object (.player s)))
            (+ own-text (.size texts)))))

(defn- action
  "Returns the first word of an answer; 0 if it is none."
  ^long [answer]
  (let [cmd (:cmd answer)]
    (if (identical? cmd :rest)
      1
      (let [code (case cmd :move 2 :hit 3 :divide 4 0)
            dir (direction (:dir answer))]
        (if (or (zero? code) (neg? dir)) 0 (bit-or code (bit-shift-left dir 8)))))))

(defn- why-none [answer]
  (let [cmd (:cmd answer)]
    (str (cond
           (nil? answer) "nil is no answer"
           (not (#{:rest :move :hit :divide} cmd)) (str (shown cmd) " is no :cmd (:rest, :move, :hit, :divide)")
           (nil? (:dir answer)) ":dir is missing"
           :else (str ":dir " (shown (:dir answer)) " is none of the numbers 0 to 7"))
         "; it returned " (shown answer))))

(defn- note!
  "Writes an answer down."
  [^Segment s i answer function data data-number]
  (let [^longs answers (.answers s)
        at (* answer-words (long i))
        word (action answer)
        ;; `false` means none, as `nil` does.
        new-function (or (:function answer) nil)]
    (cond
      (zero? word) (fault! s :garbage i 1 #(why-none answer))
      (and (= 4 (bit-and word 0xFF)) new-function (not (ifn? new-function)))
      (fault! s :garbage i 1 #(str ":function " (shown new-function) " is no function"))
      (and (= 4 (bit-and word 0xFF)) (objects/opaque? new-function))
      (fault! s :garbage i 1 (constantly ":function is that of another species, which lives in a JVM of its own"))
      :else
      (do (aset answers (+ at 1) (reference s (:data answer) data data-number))
          (when (= 4 (bit-and word 0xFF))
            (aset answers (+ at 2) (reference s (:child-data answer) nil 0))
            ;; The child gets the parent's own function anyway.
            (when-not (identical? new-function function)
              (aset answers (+ at 3) (reference s new-function nil 0))))
          (aset answers at word)))))

(defn- thread-death? [^Throwable e] (= "java.lang.ThreadDeath" (.getName (class e))))

(defn- decide-one! [^Message message ^Segment s ^long i ^Env env]
  (let [side (inc (* 2 (.reach env)))
        middle (quot (* side side) 2)
        second-word (.carried env middle)
        data-number (bit-and second-word 0xFFFFFFFF)
        function-number (unsigned-bit-shift-right second-word 32)
        data (when (pos? data-number) (agon.env/blob message data-number))
        original (aget ^objects (.functions message) (.player s))
        ;; A forgotten object is replaced by the function that every amoeba of the species has.
        ^IFn function (or (when (pos? function-number) (agon.env/blob message function-number)) original)]
    (try
      (chance/seed! (unchecked-add (.seed s) (unchecked-multiply (inc i) -4417276706812531889)))
      (let [answer (.invoke function (.energy env middle) (.health env middle) (.species s) env data)]
        (when-not (given-up? s)
          (note! s i answer function data data-number)))
      (catch StackOverflowError e
        (fault! s :exception i 1 #(thrown e)))
      (catch OutOfMemoryError e
        (fault! s :memory i 1 #(thrown e)))
      (catch Throwable e
        (when (thread-death? e) (throw e))
        (when-not (given-up? s)
          (fault! s :exception i 1 #(thrown e)))))))

(defn decide!
  "Makes the decisions of a species, on the thread for all its decisions."
  [^Message message ^Segment s]
  (let [^longs progress (.progress s)
        side (inc (* 2 (.reach s)))
        cells (* side side)
        ;; If no amoeba carries anything, all start at 0.
        carried-cells (if (zero? (.carried s)) 0 cells)]
    (log/with-owner (.player s)
      (fn []
        (loop [i 0]
          (when (and (< i (.count s)) (not (given-up? s)))
            (decide-one! message s i (Env. (.words message) (+ (.start s) (* i cells)) (+ (.carried s) (* i carried-cells))
                                          (.reach s) message))
            (aset progress 0 (inc i))
            (recur (inc i))))))))
