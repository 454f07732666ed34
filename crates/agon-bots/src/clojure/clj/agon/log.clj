(ns agon.log
  "What species print. It goes to the process's stderr, and the end of it is kept for each species, as evidence."
  (:import (java.io FileDescriptor FileOutputStream OutputStream OutputStreamWriter PrintStream PrintWriter)
           (java.util HashMap)))

(def ^:private ^:const kept 2048)

(def ^:private tails "Whose text: a ring of bytes and how many have been written." (HashMap.))
(def ^:private current (object-array 1))

(defn of!
  "Whose text follows."
  [player]
  (locking tails
    (aset ^objects current 0
          (or (.get ^HashMap tails player)
              (let [ring [(byte-array kept) (long-array 1)]]
                (.put ^HashMap tails player ring)
                ring)))))

(defn- keep! [^bytes bytes ^long offset ^long length]
  (locking tails
    (when-let [[^bytes ring ^longs written] (aget ^objects current 0)]
      (loop [i (max 0 (- length kept))]
        (when (< i length)
          (aset ring (rem (aget ^longs written 0) kept) (aget bytes (+ offset i)))
          (aset ^longs written 0 (inc (aget ^longs written 0)))
          (recur (inc i)))))))

(defn tail
  "The end of what the current species has printed."
  ^String []
  (locking tails
    (if-let [[^bytes ring ^longs written] (aget ^objects current 0)]
      (let [total (aget ^longs written 0)
            length (min total kept)
            bytes (byte-array length)]
        (dotimes [i length]
          (aset bytes i (aget ^bytes ring (rem (+ (- total length) i) kept))))
        (String. bytes "UTF-8"))
      "")))

(defn- stream ^OutputStream []
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

(defn install!
  "Lets everything that is printed go here. What the process wrote to stdout before is the arena's alone."
  []
  (let [stream (stream)
        ;; A species that closes them closes nothing.
        printer (proxy [PrintStream] [stream true "UTF-8"] (close []))
        writer (proxy [PrintWriter] [(OutputStreamWriter. stream "UTF-8") true] (close []))]
    (System/setOut printer)
    (System/setErr printer)
    (alter-var-root #'*out* (constantly writer))
    (alter-var-root #'*err* (constantly writer))
    (alter-var-root #'*in* (constantly (clojure.lang.LineNumberingPushbackReader. (java.io.StringReader. ""))))
    (System/setIn (java.io.ByteArrayInputStream. (byte-array 0)))))
