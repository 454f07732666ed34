(ns agon.worker
  "Makes decisions on a separate thread, which can be given up.

  The limit of a share is CPU time of its thread. If the species lives here alone, all other threads that it has
  started count as well, even while nobody asks it. The limit in wall time is ten times as much, without the time in
  which the thread waited for a core."
  (:require [agon.decide :as decide]
            [agon.seats :as seats]
            [clojure.string :as string])
  (:import (agon.decide Segment)
           (com.sun.management ThreadMXBean)
           (java.lang.management ManagementFactory)
           (java.nio.file Files Paths)
           (java.util ArrayList Arrays HashMap)
           (java.util.concurrent LinkedBlockingQueue TimeUnit)))

(def ^:private ^ThreadMXBean threads (ManagementFactory/getThreadMXBean))
(def ^:private stack-size (bit-shift-left 4 20))

;; While there are no others, nothing is charged for them.
(def ^:private ^:const own-threads 1)
(def ^:private usual-threads "How many threads there are besides before a species is loaded." (.getThreadCount threads))

(deftype Worker [thread tasks done task])

(defn- thread-of ^Thread [^Worker w] (.thread w))

(def ^:private worker (atom nil))

;; The cost of threads.

(def ^:private ^HashMap costs
  "CPU time of each thread at the last answer, and the time of the last look, in nanoseconds." (HashMap.))

(defn- look-at-others!
  "Returns nanoseconds of CPU time since the last answer, of all threads except the worker's and this one."
  ^long [^Thread own]
  (let [ids (.getAllThreadIds threads)
        ^longs times (.getThreadCpuTime threads ids)
        here (.getId (Thread/currentThread))
        mine (if own (.getId own) -1)]
    (dotimes [i (alength ids)]
      (let [id (aget ids i)]
        (when-not (or (= id here) (= id mine))
          (let [^longs known (or (.get costs id) (doto (long-array 2) (->> (.put costs id))))]
            (aset known 1 (max (aget known 1) (aget times i)))))))
    (reduce (fn [^long sum ^longs cost] (+ sum (- (aget cost 1) (aget cost 0)))) 0 (vals costs))))

(defn- settle-costs! []
  (doseq [^longs cost (vals costs)]
    (aset cost 0 (aget cost 1))))

(defn begin!
  "Starts a match: earlier CPU time of threads is not charged."
  []
  (look-at-others! nil)
  (settle-costs!))

(defn- has-others?
  "Returns whether there are threads that only species can have started."
  []
  (< (+ own-threads (long usual-threads)) (.getThreadCount threads)))

(defn- others
  "Does the same as `look-at-others!` if they all belong to the one species that lives here."
  ^long [^Worker w]
  (if (and (seats/alone?) (has-others?)) (look-at-others! (thread-of w)) 0))

(defn- allocated
  "Returns the bytes of memory that this thread has asked for so far."
  ^long []
  (.getThreadAllocatedBytes threads (.getId (Thread/currentThread))))

(defn- own-task
  "Returns the kernel's folder about this thread."
  []
  (try
    (str "/proc/" (Files/readSymbolicLink (Paths/get "/proc/thread-self" (make-array String 0))))
    (catch Exception _ nil)))

(defn- told
  "Reads a file of the kernel about a thread. Such files have no length."
  ^String [task name]
  (String. (Files/readAllBytes (Paths/get (str task "/" name) (make-array String 0)))))

(defn- waited
  "Returns the nanoseconds that a thread has waited for a core so far; 0 if the kernel does not report them."
  ^long [task]
  (try
    (Long/parseLong (second (string/split (told task "schedstat") #"\s+")))
    (catch Exception _ 0)))

(defn- ready?
  "Returns whether a thread would run if it got a core."
  [task]
  (try
    (string/starts-with? (second (string/split (told task "stat") #"\) " 2)) "R")
    (catch Exception _ false)))

;; The thread.

(defn- work!
  "Makes the decisions of segments, one after another; ends after one that nobody waits for any more."
  [message segments ^long from ^longs at]
  (let [end (count segments)]
    (loop [k from]
      (when (< k end)
        (let [^Segment s (nth segments k)
              ^longs progress (.progress s)]
          (aset progress 1 (.getCurrentThreadCpuTime threads))
          (aset progress 2 (System/nanoTime))
          (aset at 0 k)
          (let [before (allocated)]
            (decide/decide! message s)
            (aset progress 4 (- (.getCurrentThreadCpuTime threads) (aget progress 1)))
            (seats/note-allocated! (.player s) (- (allocated) before)))
          (Thread/interrupted)
          (when-not (decide/given-up? s) (recur (inc k))))))))

(defn- start! ^Worker []
  (let [^LinkedBlockingQueue tasks (LinkedBlockingQueue.)
        ^LinkedBlockingQueue done (LinkedBlockingQueue.)
        task (promise)
        loader (.getContextClassLoader (Thread/currentThread))
        body (fn []
               (deliver task (own-task))
               (binding [*ns* (create-ns 'user)]
                 (while true
                   (let [[message segments from at] (.take tasks)]
                     (work! message segments from at)
                     (.put done true)))))
        thread (Thread. nil body "species" (long stack-size))]
    (doto thread
      (.setDaemon true)
      (.setContextClassLoader loader)
      ;; Endless threads are stopped by an error, which is no news.
      (.setUncaughtExceptionHandler (reify Thread$UncaughtExceptionHandler (uncaughtException [_ _ _])))
      (.start))
    (Worker. thread tasks done task)))

(defn- stop!
  "Stops a thread; false if that is impossible."
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

(defn exiting?
  "Returns whether a thread has called System/exit."
  [^Thread thread]
  (some (fn [^StackTraceElement frame] (= "java.lang.Shutdown" (.getClassName frame))) (.getStackTrace thread)))

;; Limits.

(defn- strike!
  "Stops the thread, or gives it up; the remaining decisions of a segment are lost."
  [^Worker w ^Segment s kind detail]
  (let [thread (thread-of w)
        stack (.getStackTrace thread)
        cpu (.getThreadCpuTime threads (.getId thread))
        stopped (and (not= kind :crash) (stop! thread))
        player (.player s)
        made (aget ^longs (.progress s) 0)]
    (aset ^longs (.progress s) 3 1)
    (aset ^longs (.progress s) 4 (max 0 (- (long cpu) (aget ^longs (.progress s) 1))))
    (when-not stopped (.setPriority thread Thread/MIN_PRIORITY))
    ;; It may have finished at the last moment.
    (when (< made (.count s))
      (if stopped (seats/strike! player) (seats/put-out! player))
      (decide/fault! s kind made (- (.count s) made)
                     #(str detail (decide/frames stack) "; " (- (.count s) made) " of " (.count s)
                           " decisions are lost"
                           (when (seats/out? player) ", and it stays out from now on"))))))

(defn- late?
  "Returns whether a segment exceeds its limit in wall time, although its thread could have had a core."
  [^Worker w ^Segment s ^long wall]
  (let [^longs progress (.progress s)
        task @(.task w)
        nothing-seen (zero? (aget progress 5))]
    (when (and nothing-seen (< (.limit s) wall))
      (aset progress 5 (inc (waited task))))
    (when (< (* 10 (.limit s)) wall)
      (let [charged (- wall (quot (- (waited task) (dec (aget progress 5))) 1000000))]
        (and (< (* 10 (.limit s)) charged) (not (ready? task)))))))

(defn- over
  "Returns the fault of a segment, if there is one."
  [^Worker w ^Segment s]
  (let [^longs progress (.progress s)
        thread (thread-of w)
        ms (fn [ns] (quot (long ns) 1000000))
        began (aget progress 2)
        cpu (ms (- (.getThreadCpuTime threads (.getId thread)) (aget progress 1)))
        beside (ms (others w))
        wall (long (ms (- (System/nanoTime) began)))]
    (cond
      (exiting? thread) [:crash "it called System/exit"]
      (not (.isAlive thread)) [:crash "its thread ended"]
      (or (zero? (.limit s)) (zero? began)) nil
      (or (< (.limit s) (+ (long cpu) (long beside))) (late? w s wall))
      [:timeout (str "no answer: " cpu " ms of CPU time in " wall " ms"
                     (when (pos? (long beside)) (str ", and " beside " ms on threads that it has started"))
                     "; the limit is " (.limit s) " ms")])))

(defn- strike-for-others!
  "Charges a species that lives here alone for its other threads since its last answer."
  [^Worker w ^Segment s]
  (let [beside (quot (others w) 1000000)]
    (aset ^longs (.progress s) 4 (+ (aget ^longs (.progress s) 4) (* 1000000 beside)))
    (when (and (pos? (.limit s)) (< (.limit s) beside) (not (decide/given-up? s)))
      (Arrays/fill ^longs (.answers s) 0)
      (.clear ^ArrayList (.texts s))
      (let [out (seats/strike! (.player s))]
        (decide/fault! s :timeout 0 (.count s)
                       #(str "threads that it has started used " beside " ms of CPU time since its last answer; the "
                             "limit is " (.limit s) " ms; " (.count s) " of " (.count s) " decisions are lost"
                             (when out ", and it stays out from now on")))))
    (when (has-others?) (settle-costs!))))

(defn- await-worker!
  "Waits until the worker has made the decisions or was stopped; returns the segment at fault."
  [^Worker w segments ^longs at]
  (loop []
    (when-not (.poll ^LinkedBlockingQueue (.done w) 100 TimeUnit/MILLISECONDS)
      (let [s (nth segments (aget at 0))]
        (if-let [[kind detail] (over w s)]
          (do (strike! w s kind detail) (aget at 0))
          (recur))))))

(defn make-decisions!
  "Has all segments of a vector decided, and gives up the endless ones."
  [message segments]
  (loop [from 0]
    (when (< from (count segments))
      (let [^Worker w (or @worker (reset! worker (start!)))
            at (long-array 1 from)]
        (.put ^LinkedBlockingQueue (.tasks w) [message segments from at])
        (let [lost (await-worker! w segments at)]
          (when (seats/alone?) (strike-for-others! w (first segments)))
          (when lost
            (reset! worker nil)
            (recur (inc (long lost)))))))))
