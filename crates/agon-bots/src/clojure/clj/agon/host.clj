(ns agon.host
  "The process in which Clojure species live, as the arena sees it.

  Commands come line by line on standard input, EDN vectors except for the commonest; replies are lines of JSON arrays
  on standard output. Questions and answers themselves are in memory shared with the arena.

    [\"physics\" {\"WorldSize\" 200 ...}]        the constants, before anything is loaded; no reply
    [\"load\" \"fox.clj\" \"name\" or nil]       [\"loaded\", number, name], [\"taken\"] or [\"error\", text]
    [\"seats\" [[\"red\" number or nil] ...]]    who plays, by number of the player; no reply
    decide NUMBER LENGTH                       [\"done\", number, length]
    [\"run\" \"tournament.clj\"]                 evaluates a file: [\"say\", text], [\"tournament\", ...], [\"end\"] or
                                               [\"error\", text] follow
    [\"over\"]                                 the tournament is over; no reply"
  (:require [agon.chance :as chance]
            [agon.decide :as decide]
            [agon.env]
            [agon.log :as log]
            [agon.objects :as objects]
            [agon.species :as species]
            [amoebas.examples]
            [amoebas.lib :as lib]
            [amoebas.run :as run]
            [amoebas.util]
            [clojure.edn :as edn]
            [clojure.string :as string])
  (:import (agon.decide Segment)
           (agon.env Message)
           (clojure.lang DynamicClassLoader)
           (com.sun.management ThreadMXBean)
           (java.io BufferedReader FileDescriptor FileInputStream FileOutputStream InputStreamReader
                    OutputStreamWriter RandomAccessFile Writer)
           (java.lang.management ManagementFactory)
           (java.nio ByteBuffer ByteOrder LongBuffer)
           (java.nio.channels FileChannel$MapMode)
           (java.util ArrayList Arrays LinkedHashMap)
           (java.util.concurrent LinkedBlockingQueue TimeUnit))
  (:gen-class))

(def ^:private ^:const question-room (bit-shift-left 320 20))
(def ^:private ^:const answer-room (bit-shift-left 256 20))

;; Lines.

(defonce ^:private ^Writer replies (OutputStreamWriter. (FileOutputStream. FileDescriptor/out) "UTF-8"))
(defonce ^:private ^BufferedReader commands
  (BufferedReader. (InputStreamReader. (FileInputStream. FileDescriptor/in) "UTF-8")))

(defn- json [x]
  (cond
    (nil? x) "null"
    (or (number? x) (boolean? x)) (str x)
    (sequential? x) (str "[" (string/join "," (map json x)) "]")
    :else (let [out (StringBuilder. "\"")]
            (doseq [^char c (str x)]
              (cond
                (or (= c \") (= c \\)) (doto out (.append \\) (.append c))
                (or (< (int c) 32) (Character/isSurrogate c) (= (int c) 127)) (.append out (format "\\u%04x" (int c)))
                :else (.append out c)))
            (.toString (.append out \")))))

(defn- reply! [& items]
  (locking replies
    (.write replies ^String (str (json items) "\n"))
    (.flush replies)))

;; Memory shared with the arena.

(defn- shared
  "The part of a file that questions or answers are in, as words and as bytes."
  [^String path ^long offset ^long length]
  (with-open [file (RandomAccessFile. path "rw")]
    (let [bytes (.map (.getChannel file) FileChannel$MapMode/READ_WRITE offset length)]
      (.order bytes ByteOrder/LITTLE_ENDIAN)
      {:words (.asLongBuffer bytes) :bytes bytes})))

;; Who plays.

(def ^:private loaded "Functions that have been loaded, by number." (atom []))
(def ^:private seats "Species and functions by player, and who is out." (atom nil))

(defn- take-seats! [ids functions]
  (objects/forget!)
  (reset! seats {:ids (object-array ids)
                 :functions (object-array functions)
                 :strikes (long-array (count ids))
                 :allocated (long-array (count ids))
                 :evicted (boolean-array (count ids))}))

;; Decisions are made on a thread of their own, which can be given up.

(def ^:private ^ThreadMXBean threads (ManagementFactory/getThreadMXBean))
(def ^:private ^:const most-strikes "How often a species may be stopped before it is out." 3)
(def ^:private stack-size (bit-shift-left 4 20))

(defn- allocated
  "Bytes of memory that this thread has asked for so far."
  ^long []
  (.getThreadAllocatedBytes threads (.getId (Thread/currentThread))))

(deftype Worker [thread tasks done])

(defn- thread-of ^Thread [^Worker w] (.thread w))

(defn- work!
  "Makes the decisions of some segments, one after another."
  [message segments ^longs at]
  (doseq [[^long k ^Segment s] segments :while (not-any? (fn [[_ s]] (decide/given-up? s)) segments)]
    (let [^longs progress (.progress s)]
      (aset progress 1 (.getCurrentThreadCpuTime threads))
      (aset progress 2 (System/nanoTime))
      (aset at 0 k)
      (let [before (allocated)]
        (decide/decide! message s)
        (aset progress 4 (- (.getCurrentThreadCpuTime threads) (aget progress 1)))
        (aset ^longs (:allocated @seats) (.player s) (- (allocated) before)))
      (Thread/interrupted))))

(defn- start-worker! ^Worker []
  (let [^LinkedBlockingQueue tasks (LinkedBlockingQueue.)
        ^LinkedBlockingQueue done (LinkedBlockingQueue.)
        loader (.getContextClassLoader (Thread/currentThread))
        body (fn []
               (binding [*ns* (create-ns 'user)]
                 (while true
                   (let [[message segments at] (.take tasks)]
                     (work! message segments at)
                     (.put done true)))))
        thread (Thread. nil body "species" (long stack-size))]
    (doto thread
      (.setDaemon true)
      (.setContextClassLoader loader)
      ;; Death is how a thread that does not come to an end is stopped, and no news.
      (.setUncaughtExceptionHandler (reify Thread$UncaughtExceptionHandler (uncaughtException [_ _ _])))
      (.start))
    (Worker. thread tasks done)))

(def ^:private worker (atom nil))

(defn- stop!
  "Stops a thread; false if that cannot be."
  [^Thread thread]
  (loop [tries 0]
    (cond
      (not (.isAlive thread)) true
      (= tries 10) false
      :else (when (try
                    (.invoke (.getMethod Thread "stop" (make-array Class 0)) thread (object-array 0))
                    true
                    ;; Newer JVMs cannot stop a thread.
                    (catch Exception _ false))
              (.join thread 100)
              (recur (inc tries))))))

(defn- exiting? [^Thread thread]
  (some (fn [^StackTraceElement frame] (= "java.lang.Shutdown" (.getClassName frame))) (.getStackTrace thread)))

(defn- strike!
  "Stops the thread, or gives it up; the decisions of a segment that are left are lost."
  [^Worker w ^Segment s kind detail]
  (let [thread (thread-of w)
        stack (.getStackTrace thread)
        cpu (.getThreadCpuTime threads (.getId thread))
        stopped (and (not= kind :crash) (stop! thread))
        ^longs strikes (:strikes @seats)
        player (.player s)
        made (aget ^longs (.progress s) 0)]
    (aset ^longs (.progress s) 3 1)
    (aset ^longs (.progress s) 4 (max 0 (- (long cpu) (aget ^longs (.progress s) 1))))
    (when-not stopped (.setPriority thread Thread/MIN_PRIORITY))
    ;; It may have come to its end at the last moment.
    (when (< made (.count s))
      (aset strikes player (if stopped (inc (aget strikes player)) Long/MAX_VALUE))
      (decide/fault! s kind made (- (.count s) made)
                     #(str detail (decide/frames stack) "; " (- (.count s) made) " of " (.count s)
                           " decisions are lost"
                           (when (< most-strikes (aget strikes player)) ", and it stays out from now on"))))))

(defn- over
  "What a segment is at fault for, if anything: its limit is CPU time, and ten times as much on the wall."
  [^Worker w ^Segment s]
  (let [^longs progress (.progress s)
        thread (thread-of w)
        cpu (quot (- (.getThreadCpuTime threads (.getId thread)) (aget progress 1)) 1000000)
        wall (quot (- (System/nanoTime) (aget progress 2)) 1000000)]
    (cond
      (exiting? thread) [:crash "it called System/exit"]
      (not (.isAlive thread)) [:crash "its thread ended"]
      (or (zero? (.limit s)) (zero? (aget progress 2))) nil
      (or (< (.limit s) cpu) (< (* 10 (.limit s)) wall))
      [:timeout (str "no answer: " cpu " ms of CPU time in " wall " ms; the limit is " (.limit s) " ms")])))

(defn- make-decisions!
  "Has all segments decided, and gives up on those that do not come to an end."
  [message segments]
  (loop [left (vec (map-indexed vector segments))]
    (when (seq left)
      (let [^Worker w (or @worker (reset! worker (start-worker!)))
            at (long-array 1 (first (first left)))]
        (.put ^LinkedBlockingQueue (.tasks w) [message left at])
        (let [lost (loop []
                     (when-not (.poll ^LinkedBlockingQueue (.done w) 100 TimeUnit/MILLISECONDS)
                       (let [s (nth segments (aget at 0))]
                         (if-let [[kind detail] (over w s)]
                           (do (strike! w s kind detail) (aget at 0))
                           (recur)))))]
          (when lost
            (reset! worker nil)
            (recur (filterv (fn [[k _]] (< lost k)) left))))))))

;; Questions and answers.

(defn- message-of
  "The question as the functions see it."
  [question length]
  (let [words (long-array (quot (+ length 7) 8))
        {:keys [ids functions]} @seats]
    (.get ^LongBuffer (.duplicate ^LongBuffer (:words question)) words)
    (let [blobs (aget words 3)
          directory (aget words 4)
          text (fn [i]
                 (let [entry (aget words (+ directory (long i)))
                       bytes (byte-array (unsigned-bit-shift-right entry 32))
                       ^ByteBuffer all (.duplicate ^ByteBuffer (:bytes question))]
                   (.position all (int (bit-and entry 0xFFFFFFFF)))
                   (.get all bytes)
                   (String. bytes "UTF-8")))]
      (Message. words ids functions (comp objects/object text) (object-array blobs)))))

(defn- segments-of [^Message message]
  (let [^longs words (.words message)
        reach (aget words 1)]
    (for [k (range (aget words 2))]
      (let [at (+ 5 (* 4 (long k)))
            front (aget words at)
            player (bit-and front 0xFFFFFFFF)]
        (decide/segment player (unsigned-bit-shift-right front 32) (aget words (+ at 1)) (aget words (+ at 2))
                        (aget words (+ at 3)) reach (aget ^objects (.species message) player))))))

(def ^:private kinds "Numbers of faults." {:timeout 1 :crash 2 :garbage 3 :memory 4 :exception 5})

(defn- write-answers!
  "Writes the number of faults, of texts and where these are listed; what each species took and printed, and its
  answers; the faults; the texts. Returns the length in bytes."
  [answers segments]
  (let [^LongBuffer words (.duplicate ^LongBuffer (:words answers))
        texts (ArrayList.)
        text! (fn [^String text] (.add texts (.getBytes text "UTF-8")) (.size texts))
        faults (vec (for [^Segment s segments fault (vals (.faults s))] [(.player s) fault]))]
    (.position words 3)
    (doseq [^Segment s segments]
      (let [^longs own (.answers s)
            [printed log] (log/news (.player s))
            _ (.put words (long-array [(aget ^longs (.progress s) 4) printed (if (pos? printed) (text! log) 0)]))
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

;; Memory. A decision that runs out of it costs its species that decision. What amoebas carry stays, though: before it
;; fills the memory of all, somebody has to go.

(defn- crowded?
  "Whether less than a quarter of the memory is free."
  []
  (let [runtime (Runtime/getRuntime)
        most (.maxMemory runtime)]
    (< (+ (- most (.totalMemory runtime)) (.freeMemory runtime)) (quot most 4))))

(defn- put-out!
  "A species does not play any more, and nothing that its amoebas carry is kept."
  [player]
  (aset ^longs (:strikes @seats) player Long/MAX_VALUE)
  (objects/drop! player))

(defn- make-room!
  "If what is carried around takes too much memory, the species that asked for the most of it when it was last asked is
  out."
  []
  (when (and (crowded?) (do (System/gc) (crowded?)))
    (let [{:keys [^longs strikes ^longs allocated ^booleans evicted]} @seats
          players (filter #(<= (aget strikes %) most-strikes) (range (alength strikes)))]
      (when (seq players)
        (let [hog (reduce (fn [a b] (if (< (aget allocated a) (aget allocated b)) b a)) players)]
          (aset evicted hog true)
          (put-out! hog))))))

(defn- tell-evicted!
  "The decisions of a species that has been put out to make room are lost, those made in this batch as well."
  [^Segment s]
  (let [^booleans evicted (:evicted @seats)]
    (when (aget evicted (.player s))
      (aset evicted (.player s) false)
      (Arrays/fill ^longs (.answers s) 0)
      (.clear ^ArrayList (.texts s))
      (decide/fault! s :memory 0 (.count s)
                     #(str "what its amoebas carry as data has used up the memory; " (.count s) " of " (.count s)
                           " decisions are lost, and it stays out from now on")))))

(defn- strike-hog!
  "Counts that a species has run out of memory."
  [^Segment s ^longs strikes]
  (when-let [fault (.get ^LinkedHashMap (.faults s) :memory)]
    (when (<= (aget strikes (.player s)) most-strikes)
      (aset strikes (.player s) (inc (aget strikes (.player s))))
      (when (< most-strikes (aget strikes (.player s)))
        (put-out! (.player s))
        (.put ^LinkedHashMap (.faults s) :memory (update fault :detail str "; it stays out from now on"))))))

(defn- answer! [question answers number length]
  (let [message (message-of question length)
        _ (objects/round! (aget ^longs (.words ^Message message) 0))
        segments (vec (segments-of message))
        ^longs strikes (:strikes @seats)]
    (make-decisions! message (filterv (fn [^Segment s] (<= (aget strikes (.player s)) most-strikes)) segments))
    (doseq [^Segment s segments]
      (strike-hog! s strikes))
    (make-room!)
    (run! tell-evicted! segments)
    (reply! "done" number (write-answers! answers segments))))

;; Commands.

(defn- physics! [constants]
  (doseq [[name value] constants]
    (alter-var-root (ns-resolve 'amoebas.defs (symbol name)) (constantly value)))
  (lib/refresh!))

(defn- load! [path fn-name]
  (try
    (log/of! [:loaded (count @loaded)])
    (let [namespace (species/load-path path)]
      (if (= :taken namespace)
        (reply! "taken")
        (let [{:keys [name function]} (species/function-of namespace path fn-name)]
          (swap! loaded conj function)
          (reply! "loaded" (dec (count @loaded)) name))))
    (catch Throwable e
      (reply! "error" (species/told e)))))

(defn- seats! [players]
  (take-seats! (map (comp keyword first) players)
               (map (fn [[_ number]] (when number (nth @loaded number))) players)))

(declare run-file!)

(defn- serve!
  "Carries out commands until the tournament is over, or there are no more."
  [question answers]
  (when-let [^String line (.readLine commands)]
    (if (.startsWith line "decide ")
      (let [[_ number length] (string/split line #" ")]
        (answer! question answers (Long/parseLong ^String number) (Long/parseLong ^String length))
        (recur question answers))
      (let [[command & arguments] (edn/read-string line)]
        (when-not (= "over" command)
          (case command
            "physics" (apply physics! arguments)
            "load" (apply load! arguments)
            "seats" (apply seats! arguments)
            "run" (apply run-file! question answers arguments))
          (recur question answers))))))

;; Tournaments.

(defn- say-writer
  "What the file of a tournament prints goes to people."
  []
  (let [buffer (StringBuilder.)
        send! (fn []
                (when (pos? (.length buffer))
                  (let [text (.toString buffer)]
                    (.setLength buffer 0)
                    (reply! "say" text))))]
    (proxy [Writer] []
      (write
        ([x]
         (if (string? x) (.append buffer ^String x) (.append buffer (char (if (number? x) (int x) x))))
         nil)
        ([x offset length]
         (if (string? x)
           (.append buffer ^CharSequence x (int offset) (int (+ offset length)))
           (.append buffer ^chars x (int offset) (int length)))
         nil))
      (flush [] (send!))
      (close [] (send!)))))

(defn- play!
  "Plays a tournament in the arena, and returns when it is over."
  [question answers genesis rgb-map n flags]
  (flush)
  (let [ids (keys genesis)
        label (fn [id] (if (instance? clojure.lang.Named id) (name id) (str id)))]
    (take-seats! ids (vals genesis))
    (reply! "tournament"
            (map (fn [id] [(label id) (get rgb-map id)]) ids)
            n
            (map name (filter #(get flags %) [:generational-stats :report-extinctions :last-gen-stats :csv-stats
                                              :graphics :save-graphics]))
            (str (:directory flags ".")))
    (serve! question answers)))

(defn- run-file! [question answers path]
  (try
    (with-redefs [run/*play* (partial play! question answers)]
      (binding [*out* (say-writer)]
        (try
          (let [namespace (species/load-path path)]
            (flush)
            (when (= :taken namespace) (throw (ex-info "its namespace is the arena's own" {::species/told true}))))
          (finally (flush)))))
    (reply! "end")
    (catch Throwable e
      (reply! "error" (species/told e)))))

(defn- stay!
  "A species that calls System/exit ends nothing: its thread waits here until it is given up. The file of a tournament
  may do so."
  [^Thread main]
  (.addShutdownHook (Runtime/getRuntime)
                    (Thread. (fn []
                               (when (exiting? main)
                                 (reply! "exit")
                                 (.halt (Runtime/getRuntime) 0))
                               (while true (Thread/sleep 1000000))))))

(defn -main
  "Serves the arena, with memory under a descriptor."
  [descriptor]
  (let [path (str "/proc/self/fd/" descriptor)
        question (shared path 0 question-room)
        answers (shared path question-room answer-room)
        main (Thread/currentThread)]
    (.setContextClassLoader main (DynamicClassLoader. (.getContextClassLoader main)))
    (log/install!)
    (chance/install!)
    (stay! main)
    (reply! "ready" (clojure-version))
    ;; Without the hooks that wait, whatever happens.
    (try
      (binding [*ns* (create-ns 'user)]
        (serve! question answers))
      (.halt (Runtime/getRuntime) 0)
      (catch Throwable e
        (.println System/err (str "the arena's own code failed: " e))
        (.halt (Runtime/getRuntime) 70)))))
