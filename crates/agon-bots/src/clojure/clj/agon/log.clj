(ns agon.log
  "The output of species. It goes to the process's stderr, and its end is kept for each species, as evidence."
  (:import (java.io FileDescriptor FileOutputStream OutputStream OutputStreamWriter PrintStream PrintWriter Writer)
           (java.util HashMap)))

(def ^:private ^:const kept 2048)

(def ^:private tails "Whose text: a ring of bytes, how many have been written, and how many of these have been told." (HashMap.))

;; There are two ways to find the owner of a thread. Threads that a species starts inherit it from the thread that
;; started them. Functions for Clojure's own threads (`future`, `send`) take the binding along.
(def ^:private ^InheritableThreadLocal started-by (InheritableThreadLocal.))
(def ^:dynamic *owner* nil)

(defn- tail-of [owner]
  (locking tails
    (or (.get ^HashMap tails owner)
        (let [ring [(byte-array kept) (long-array 2)]]
          (.put ^HashMap tails owner ring)
          ring))))

(defn alias!
  "Gives a file's output, and that of its threads, to a player, who gets all of it."
  [player file]
  (locking tails
    (let [[_ ^longs written :as ring] (tail-of file)]
      (aset written 1 0)
      (.put ^HashMap tails player ring))))

(defn- keep! [^bytes bytes ^long offset ^long length]
  (when-let [[^bytes ring ^longs written] (or *owner* (.get started-by))]
    (locking tails
      (loop [i (max 0 (- length kept))]
        (when (< i length)
          (aset ring (rem (aget ^longs written 0) kept) (aget bytes (+ offset i)))
          (aset ^longs written 0 (inc (aget ^longs written 0)))
          (recur (inc i)))))))

(defn- end-of
  "Returns the last bytes of a ring as text."
  ^String [^bytes ring ^long total ^long most]
  (let [length (min total most kept)
        bytes (byte-array length)]
    (dotimes [i length]
      (aset bytes i (aget ring (rem (+ (- total length) i) kept))))
    (String. bytes "UTF-8")))

(defn tail
  "Returns the end of the output of a player's species."
  ^String [player]
  (locking tails
    (if-let [[^bytes ring ^longs written] (.get ^HashMap tails player)]
      (end-of ring (aget ^longs written 0) kept)
      "")))

(defn news
  "Returns the number of bytes that a species has printed since the last call, and their end."
  [player]
  (locking tails
    (if-let [[^bytes ring ^longs written] (.get ^HashMap tails player)]
      (let [total (aget ^longs written 0)
            new (- total (aget ^longs written 1))]
        (aset ^longs written 1 total)
        [new (if (pos? new) (end-of ring total new) "")])
      [0 ""])))

(defn- to-stderr ^OutputStream []
  (let [stderr (FileOutputStream. FileDescriptor/err)]
    (proxy [OutputStream] []
      (write
        ([x] (if (number? x)
               (let [one (byte-array 1 (unchecked-byte (int x)))]
                 (keep! one 0 1)
                 (.write stderr one 0 1))
               (let [^bytes bytes x]
                 (keep! bytes 0 (alength bytes))
                 (.write stderr bytes 0 (alength bytes)))))
        ([bytes offset length]
         (keep! bytes offset length)
         (.write stderr ^bytes bytes (int offset) (int length)))))))

(def ^:private ^OutputStream stream (to-stderr))

(def ^:private ^PrintStream printer
  "Writes at once. A species that closes it closes nothing."
  (proxy [PrintStream] [stream true "UTF-8"] (close [])))

;; A buffer shared by threads would give one thread's text to the owner of the thread that flushes it. So each thread
;; that runs code for the arena has its own buffer, and all other threads have none.
(def ^:private ^ThreadLocal own-buffer (ThreadLocal.))

(defn- text-of
  "Returns the argument of a writer as a string."
  ^String [x]
  (cond
    (string? x) x
    (number? x) (String/valueOf (unchecked-char (int x)))
    :else (String. ^chars x)))

(defn- part-of ^String [x offset length]
  (if (string? x)
    (subs x offset (+ (int offset) (int length)))
    (String. ^chars x (int offset) (int length))))

(defn- print-text! [^String text]
  (if-let [^Writer buffer (.get own-buffer)]
    (.write buffer text)
    (.print printer text)))

(defn- flush-own! []
  (when-let [^Writer buffer (.get own-buffer)]
    (.flush buffer)))

(defn- writer
  "Makes the writer behind `*out*` and `*err*`."
  ^PrintWriter []
  (proxy [PrintWriter] [(proxy [Writer] []
                          (write
                            ([x] (print-text! (text-of x)))
                            ([x offset length] (print-text! (part-of x offset length))))
                          (flush [] (flush-own!))
                          (close []))
                        true]
    (close [])))

(defn with-owner
  "Calls a function. All output meanwhile, even on threads that start meanwhile, belongs to this owner: a player, or a
  file that is being loaded."
  [owner f]
  (let [ring (tail-of owner)]
    (when-not (.get own-buffer)
      (.set own-buffer (OutputStreamWriter. stream "UTF-8")))
    (.set started-by ring)
    (try
      (binding [*owner* ring]
        (try (f) (finally (flush-own!))))
      (finally (.remove started-by)))))

(defn install!
  "Redirects all output to here. The process's original stdout is for the arena alone."
  []
  (let [writer (writer)]
    (System/setOut printer)
    (System/setErr printer)
    (alter-var-root #'*out* (constantly writer))
    (alter-var-root #'*err* (constantly writer))
    (alter-var-root #'*in* (constantly (clojure.lang.LineNumberingPushbackReader. (java.io.StringReader. ""))))
    (System/setIn (java.io.ByteArrayInputStream. (byte-array 0)))))
