(ns agon.host
  "The process in which Clojure species live, as the arena sees it.

  Commands and replies are lines (`agon.pipe`). Questions and answers themselves are in memory shared with the arena.

    [\"physics\" {\"WorldSize\" 200 ...}]        the constants, before anything is loaded; no reply
    [\"load\" \"fox.clj\" \"name\" or nil]       [\"loaded\", number, name], [\"taken\"] or [\"error\", text]
    [\"seats\" [[\"red\" place] ...]]            who plays, by number of the player (`agon.seats`); no reply
    decide NUMBER LENGTH                       [\"done\", number, length]
    [\"run\" \"tournament.clj\" CALL or nil]     evaluates a file and calls one of its functions, [name rounds flags]:
                                               [\"say\", text], [\"tournament\", ...], [\"end\", ...] or
                                               [\"error\", text] follow
    [\"over\"]                                 the tournament is over; no reply"
  (:require [agon.chance :as chance]
            [agon.decide :as decide]
            [agon.env]
            [agon.log :as log]
            [agon.objects :as objects]
            [agon.pipe :refer [command done! reply!]]
            [agon.seats :as seats]
            [agon.species :as species]
            [agon.worker :as worker]
            [amoebas.examples]
            [amoebas.lib :as lib]
            [amoebas.run :as run]
            [amoebas.util :as util]
            [clojure.edn :as edn]
            [clojure.string :as string])
  (:import (agon.decide Segment)
           (agon.env Message)
           (clojure.lang DynamicClassLoader)
           (java.io RandomAccessFile Writer)
           (java.nio ByteBuffer ByteOrder LongBuffer)
           (java.nio.channels FileChannel$MapMode)
           (java.util ArrayList Arrays LinkedHashMap))
  (:gen-class))

(def ^:private ^:const question-room (bit-shift-left 320 20))
(def ^:private ^:const answer-room (bit-shift-left 256 20))

;; Memory shared with the arena.

(defn- shared
  "Maps the part of a file for questions or answers, as words and as bytes."
  [^String path ^long offset ^long length]
  (with-open [file (RandomAccessFile. path "rw")]
    (let [bytes (.map (.getChannel file) FileChannel$MapMode/READ_WRITE offset length)]
      (.order bytes ByteOrder/LITTLE_ENDIAN)
      {:words (.asLongBuffer bytes) :bytes bytes})))

(def ^:private loaded "Functions that have been loaded, by number." (atom []))

;; Questions and answers.

(defn- loads-of
  "Returns what amoebas carry, by number from 0. The entries in the list: see `question.rs`."
  ^objects [^longs words ^ByteBuffer bytes]
  (let [directory (aget words 4)
        ^ByteBuffer all (.duplicate bytes)
        loads (object-array (aget words 3))]
    (dotimes [i (alength loads)]
      (let [at (+ directory (* 3 i))
            entry (aget words at)
            owner (aget words (+ at 1))
            place (bit-and (aget words (+ at 2)) 0xFFFFFFFF)]
        (when-not (= place (aget words (+ at 2)))
          (let [text (byte-array (unsigned-bit-shift-right entry 32))]
            (.position all (int (bit-and entry 0xFFFFFFFF)))
            (.get all text)
            (objects/load! place (String. text "UTF-8") (bit-and owner 0xFFFFFFFF)
                           (unsigned-bit-shift-right owner 32))))
        (aset loads i (objects/load-at place))))
    loads))

(defn- message-of
  "Returns the question in the form for the functions."
  [question length]
  (let [words (long-array (quot (+ length 7) 8))
        {:keys [ids functions]} @seats/state]
    (.get ^LongBuffer (.duplicate ^LongBuffer (:words question)) words)
    (Message. words ids functions (loads-of words (:bytes question)))))

(def ^:private ^:const front-words 5)
(def ^:private ^:const part-words 5)

(defn- segments-of
  "Returns the parts of a message, as a vector."
  [^Message message]
  (let [^longs words (.words message)
        ^objects ids (.species message)
        reach (aget words 1)
        parts (aget words 2)]
    (loop [k 0 at front-words segments []]
      (if (< k parts)
        (let [front (aget words at)
              player (bit-and front 0xFFFFFFFF)
              segment (decide/segment player (unsigned-bit-shift-right front 32) (aget words (+ at 1))
                                      (aget words (+ at 2)) (aget words (+ at 3)) (aget words (+ at 4)) reach
                                      (aget ids player))]
          (recur (inc k) (+ at part-words) (conj segments segment)))
        segments))))

(def ^:private kinds "Numbers of faults." {:timeout 1 :crash 2 :garbage 3 :memory 4 :exception 5})

(defn- write-answers!
  "Writes the numbers of faults and texts, and the place of their list. Then come each species' cost, output, exclusion
  and answers; the faults; the texts. Returns the length in bytes."
  [answers segments]
  (let [^LongBuffer words (.duplicate ^LongBuffer (:words answers))
        texts (ArrayList.)
        text! (fn [^String text] (.add texts (.getBytes text "UTF-8")) (.size texts))
        faults (vec (for [^Segment s segments fault (vals (.faults s))] [(.player s) fault]))]
    (.position words 3)
    (doseq [^Segment s segments]
      (let [^longs own (.answers s)
            [printed log] (log/news (.player s))
            _ (.put words (long-array [(aget ^longs (.progress s) 4) printed (if (pos? printed) (text! log) 0)
                                       (if (seats/out? (.player s)) 1 0)]))
            first-text (.size texts)]
        (doseq [text (.texts s)] (text! text))
        (when (pos? first-text)
          (dotimes [i (alength own)]
            (when (< (bit-shift-left 1 62) (aget own i)) (aset own i (+ (aget own i) first-text)))))
        (.put words own)))
    (doseq [[player {:keys [kind index count detail log]}] faults]
      (.put words (long-array [(bit-or (long player) (bit-shift-left (long (kinds kind)) 32))
                               index count (text! detail) (text! log)])))
    (let [directory (.position words)
          ^ByteBuffer bytes (.duplicate ^ByteBuffer (:bytes answers))]
      (.position bytes (int (* 8 (+ directory (.size texts)))))
      (doseq [^bytes text texts]
        (.put words (bit-or (.position bytes) (bit-shift-left (alength text) 32)))
        (.put bytes text))
      (.put words 0 (long (count faults)))
      (.put words 1 (long (.size texts)))
      (.put words 2 (long directory))
      (.position bytes))))

;; Memory. A decision that runs out of memory is lost. But the amoebas' loads stay. Before they fill everybody's memory,
;; a species has to go.

(defn- crowded?
  "Returns whether less than a quarter of the memory is free."
  []
  (let [runtime (Runtime/getRuntime)
        most (.maxMemory runtime)]
    (< (+ (- most (.totalMemory runtime)) (.freeMemory runtime)) (quot most 4))))

(defn- put-out!
  "Removes a species from play, and forgets everything that its amoebas carry."
  [player]
  (seats/put-out! player)
  (objects/drop! player))

(def ^:private hogs "Who has been put out because of memory: what they hold elsewhere stays held." (atom []))

(defn- of-hogs
  "Explains why memory may be short although a species uses little, if that is so."
  [player]
  (when-let [others (seq (remove #{(seats/id player)} @hogs))]
    (str "; " (string/join ", " others) " was put out because of memory before, and all species share a JVM")))

(defn- make-room!
  "If the amoebas' loads take too much memory, puts out the species that asked for the most at its last question."
  []
  (when (and (crowded?) (do (System/gc) (crowded?)))
    (when-let [players (seq (seats/playing))]
      (let [hog (seats/hog players)]
        (seats/evict! hog)
        (swap! hogs conj (seats/id hog))
        (put-out! hog)))))

(defn- tell-evicted!
  "Drops the decisions of a species that was put out to free memory, including those of this batch."
  [^Segment s]
  (let [player (.player s)]
    (when (seats/evicted? player)
      (seats/told-evicted! player)
      (Arrays/fill ^longs (.answers s) 0)
      (.clear ^ArrayList (.texts s))
      (decide/fault! s :memory 0 (.count s)
                     #(str (if (seats/alone?)
                             "what its amoebas carry as data, or it keeps elsewhere, has used up the memory"
                             "the memory of all is nearly full, and it asked for the most in its last batch")
                           (of-hogs player) "; " (.count s) " of " (.count s)
                           " decisions are lost, and it stays out from now on")))))

(defn- strike-hog!
  "Counts that a species has run out of memory."
  [^Segment s]
  (let [player (.player s)]
    (when-let [fault (.get ^LinkedHashMap (.faults s) :memory)]
      (when-not (seats/out? player)
        (let [out (seats/strike! player)
              more (str (of-hogs player) (when out "; it stays out from now on"))]
          (.put ^LinkedHashMap (.faults s) :memory (update fault :detail str more))
          (when out
            (put-out! player)
            (swap! hogs conj (seats/id player))))))))

(defn- answer! [question answers number length]
  (let [message (message-of question length)
        _ (objects/round! (aget ^longs (.words ^Message message) 0))
        segments (segments-of message)]
    (worker/make-decisions! message (filterv (fn [^Segment s] (not (seats/out? (.player s)))) segments))
    (run! strike-hog! segments)
    (make-room!)
    (run! tell-evicted! segments)
    (done! number (write-answers! answers segments))))

;; Commands.

(defn- physics! [constants]
  (doseq [[name value] constants]
    (alter-var-root (ns-resolve 'amoebas.defs (symbol name)) (constantly value)))
  (#'lib/refresh!))

(defn- load! [path fn-name]
  (try
    (let [namespace (log/with-owner [:loaded (count @loaded)] #(species/load-path path))]
      (if (= :taken namespace)
        (reply! "taken")
        (let [{:keys [name function]} (species/function-of namespace path fn-name)]
          (swap! loaded conj function)
          (reply! "loaded" (dec (count @loaded)) name))))
    (catch Throwable e
      (reply! "error" (species/told e)))))

(defn- seats! [players]
  (let [function (fn [player [_ place]]
                   (cond
                     (nil? place) nil
                     (neg? (long place)) (objects/foreign-function player)
                     :else (nth @loaded place)))]
    (reset! hogs [])
    (seats/take! (map (comp keyword first) players) (map-indexed function players) (map second players))
    (worker/begin!)))

(declare run-file!)

(defn- serve!
  "Carries out commands until the tournament is over, or there are no more."
  [question answers]
  (when-let [line (command)]
    (if (.startsWith line "decide ")
      (let [space (.lastIndexOf line " ")
            number (Long/parseLong (subs line (count "decide ") space))]
        (answer! question answers number (Long/parseLong (subs line (inc space))))
        (recur question answers))
      (let [[order & arguments] (edn/read-string line)]
        (when-not (= "over" order)
          (case order
            "physics" (apply physics! arguments)
            "load" (apply load! arguments)
            "seats" (apply seats! arguments)
            "run" (apply run-file! question answers arguments))
          (recur question answers))))))

;; Tournaments.

;; The limit for a line to the arena.
(def ^:private ^:const longest-text 4096)

(defn- sayable
  "Returns a text without halves of surrogate pairs, which JSON does not allow."
  ^String [^String text]
  (String. (.getBytes text "UTF-8") "UTF-8"))

(defn- say!
  "Sends the collected text in parts that fit. Without `all` it keeps the last character, which may be half of one."
  [^StringBuilder buffer all]
  (loop []
    (let [length (.length buffer)
          most (if (or all (zero? length) (not (Character/isHighSurrogate (.charAt buffer (dec length)))))
                 length
                 (dec length))
          end (min most longest-text)
          end (if (and (< 1 end most) (Character/isHighSurrogate (.charAt buffer (dec end)))) (dec end) end)]
      (when (pos? end)
        (reply! "say" (sayable (.substring buffer 0 end)))
        (.delete buffer (int 0) (int end))
        (recur)))))

(defn- say-writer
  "Makes a writer that sends the output of a tournament's file to people."
  []
  (let [buffer (StringBuilder.)
        gather! (fn [] (when (< longest-text (.length buffer)) (say! buffer false)))]
    (proxy [Writer] []
      (write
        ([x]
         (locking buffer
           (cond
             (string? x) (.append buffer ^String x)
             (number? x) (.append buffer (unchecked-char (int x)))
             :else (.append buffer ^chars x))
           (gather!))
         nil)
        ([x offset length]
         (locking buffer
           (if (string? x)
             (.append buffer ^CharSequence x (int offset) (int (+ offset length)))
             (.append buffer ^chars x (int offset) (int length)))
           (gather!))
         nil))
      (flush [] (locking buffer (say! buffer true)))
      (close [] (locking buffer (say! buffer true))))))

(defn- shortened ^String [^String text]
  (sayable (if (< longest-text (.length text)) (str (subs text 0 longest-text) "…") text)))

(defn- color-of
  "Returns three numbers from 0 to 255, if the value is a color."
  [color]
  (when (and (sequential? color) (= 3 (bounded-count 4 color)) (every? number? color))
    (map #(long (util/bound 0 % 255)) color)))

(defn- rounds-of
  "Returns the number of rounds for `n`."
  [n]
  (when-not (number? n)
    (throw (ex-info (str "a tournament takes a number of rounds and flags, not " (shortened (pr-str n)))
                    {::species/told true})))
  (long (util/bound 0 n 0xFFFFFFFF)))

(defn- species-of
  "Describes a species for the arena: its name as a player, Clojure's printed form, its string, and its color."
  [rgb-map id]
  (let [label (if (instance? clojure.lang.Named id) (name id) (str id))]
    [(shortened label) (shortened (print-str id)) (shortened (str id)) (color-of (get rgb-map id))]))

(defn- play!
  "Plays a tournament in the arena, and returns when it is over."
  [question answers genesis rgb-map n flags]
  (flush)
  (let [ids (keys genesis)]
    (reset! hogs [])
    (seats/take! ids (vals genesis) (range (count ids)))
    (worker/begin!)
    (reply! "tournament"
            (map #(species-of rgb-map %) ids)
            (rounds-of n)
            (map name (filter #(get flags %) [:generational-stats :report-extinctions :last-gen-stats :csv-stats
                                              :graphics :save-graphics]))
            (shortened (str (or (:directory flags) "."))))
    (serve! question answers)))

(defn- call!
  "Calls a function of a file with rounds and flags. Returns `unknown` if there is none of this name, or `unfit` if it
  cannot be called with them."
  [namespace [function-name rounds flags]]
  (let [function (species/tournament-function namespace function-name)]
    (if (fn? function)
      (do (function rounds (into {} (for [[flag value] flags] [(keyword flag) value])))
          (flush)
          "called")
      (name function))))

(defn- run-file! [question answers path call]
  (try
    (with-redefs-fn {#'run/*play* (partial play! question answers)}
      (fn []
        (binding [*out* (say-writer)]
          (try
            (let [namespace (species/load-path path)]
              (flush)
              (when (= :taken namespace)
                (throw (ex-info "its namespace is the arena's own" {::species/told true})))
              (reply! "end"
                      (if call (call! namespace call) "none")
                      (species/tournament-names namespace)
                      (species/species? namespace path)))
            (finally (flush))))))
    (catch Throwable e
      (reply! "error" (shortened (species/told e))))))

(defn- stay!
  "Keeps System/exit from ending the process: the thread waits here until it is given up. The file of a tournament may
  end it."
  [^Thread main]
  (.addShutdownHook (Runtime/getRuntime)
                    (Thread. (fn []
                               (when (worker/exiting? main)
                                 (reply! "exit")
                                 (.halt (Runtime/getRuntime) 0))
                               (while true (Thread/sleep 1000000))))))

(defn -main
  "Serves the arena, with the file of the shared memory and the pipe for replies."
  [memory replies]
  ;; Before either is opened for writing.
  (agon.pipe/check! memory "/memfd:")
  (agon.pipe/check! replies "pipe:")
  (let [question (shared memory 0 question-room)
        answers (shared memory question-room answer-room)
        main (Thread/currentThread)]
    (agon.pipe/open! replies)
    (.setContextClassLoader main (DynamicClassLoader. (.getContextClassLoader main)))
    (log/install!)
    (chance/install!)
    (stay! main)
    (reply! "ready" (clojure-version))
    ;; Skips the hooks, which could wait.
    (try
      (binding [*ns* (create-ns 'user)]
        (serve! question answers))
      (.halt (Runtime/getRuntime) 0)
      (catch Throwable e
        (.println System/err (str "the arena's own code failed: " e))
        (.halt (Runtime/getRuntime) 70)))))
