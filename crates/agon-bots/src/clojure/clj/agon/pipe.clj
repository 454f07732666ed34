(ns agon.pipe
  "The lines between the arena and this process. Commands come on standard input, as EDN vectors except for the most
  frequent one. Replies are JSON arrays and go to a separate pipe, so that all printed text is just output."
  (:require [clojure.string :as string])
  (:import (java.io BufferedReader FileDescriptor FileInputStream FileOutputStream InputStreamReader
                    OutputStreamWriter Writer)
           (java.nio.file Files Paths)))

(def ^:private ^"[Ljava.lang.Object;" out "Where replies go, once it is open." (object-array 1))

(def ^:private ^BufferedReader commands
  (BufferedReader. (InputStreamReader. (FileInputStream. FileDescriptor/in) "UTF-8")))

(defn check!
  "Throws unless the descriptor with this name is of the kind that the arena passes. If agon-sandbox passes fewer
  descriptors, one of the JVM's own files has the number, and opening that for writing would destroy it."
  [^String path ^String kind]
  (let [target (str (Files/readSymbolicLink (Paths/get path (make-array String 0))))]
    (when-not (string/starts-with? target kind)
      (throw (IllegalStateException.
              (str path " is " target ", not what the arena passes; is agon-sandbox of another version?"))))))

(defn open!
  "Sends replies to the descriptor with this name from now on."
  [^String path]
  (check! path "pipe:")
  (aset out 0 (OutputStreamWriter. (FileOutputStream. path) "UTF-8")))

(defn- json [x]
  (cond
    (nil? x) "null"
    (or (number? x) (boolean? x)) (str x)
    (sequential? x) (str "[" (string/join "," (map json x)) "]")
    :else (let [text (StringBuilder. "\"")]
            (doseq [^char c (str x)]
              (cond
                (or (= c \") (= c \\)) (doto text (.append \\) (.append c))
                (or (< (int c) 32) (Character/isSurrogate c) (= (int c) 127)) (.append text (format "\\u%04x" (int c)))
                :else (.append text c)))
            (.toString (.append text \")))))

(defn- send! [^String line]
  (let [^Writer replies (aget out 0)]
    (locking replies
      (.write replies line)
      (.flush replies))))

(defn reply! [& items]
  (send! (str (json items) "\n")))

(defn done!
  "Sends the most frequent reply: a question has been answered, with this many bytes."
  [^long number ^long length]
  (send! (-> (StringBuilder. "[\"done\",")
             (.append number)
             (.append \,)
             (.append length)
             (.append "]\n")
             .toString)))

(defn command
  "Returns the next line; nil after the last one."
  ^String []
  (.readLine commands))
