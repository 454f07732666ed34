(ns agon
  "Agon's protocol: lines of JSON over standard input and output, or over a socket.

  `bot/player` begins a match: it gets the message `start` and gives a map of functions,
    :decide (fn [seen turn])      the reply to one observation
    :answer (fn [decisions turn]) the replies to all observations of a question, in order, instead of :decide
    :end    (fn [outcome])        the match is over, or the player is out; may be left out
  Messages are maps with keywords as in the JSON; unknown keys do no harm."
  (:require [json])
  (:import (java.io BufferedReader InputStream InputStreamReader OutputStream)
           (java.net InetAddress ServerSocket)
           (java.nio.charset StandardCharsets)))

(set! *warn-on-reflection* true)

(defn- answer [{:keys [decide answer]} decisions turn]
  (if answer
    (answer decisions turn)
    (mapv #(decide % turn) decisions)))

(defn- begin [player game start]
  (when (not= game (:game start))
    (throw (IllegalStateException. (str "this bot plays " game ", not " (:game start)))))
  (player start))

(defn play
  "Plays one match: reads messages and writes answers."
  [game player ^InputStream input ^OutputStream output]
  (let [lines (BufferedReader. (InputStreamReader. input StandardCharsets/UTF_8) 65536)]
    (loop [functions nil]
      (when-let [line (.readLine lines)]
        (let [message (json/read-json line)]
          (case (:type message)
            "start" (recur (begin player game message))
            "decide" (let [replies (answer functions (:decisions message) (:turn message))
                           text (str (json/write-json {:step (:step message) :answers replies}) "\n")]
                       (.write output (.getBytes text StandardCharsets/UTF_8))
                       (.flush output)
                       (recur functions))
            "end" (when-let [end (:end functions)]
                    (end (:outcome message)))
            (recur functions)))))))

(defn- listen
  "Waits for matches at a port of this machine and plays them one after the other."
  [game player port]
  (with-open [server (ServerSocket. port 1 (InetAddress/getLoopbackAddress))]
    (println (str "waiting for matches at connect:localhost:" port))
    (while true
      (with-open [socket (.accept server)]
        (.setTcpNoDelay socket true)
        (play game player (.getInputStream socket) (.getOutputStream socket))))))

(defn run
  "Plays over standard input and output; with the arguments --listen PORT waits there for matches."
  [game player [option port]]
  ;; Only answers may reach the arena; what the bot prints goes to standard error instead.
  (binding [*out* *err*]
    (try
      (if (= option "--listen")
        (listen game player (Integer/parseInt port))
        (play game player System/in System/out))
      (catch Throwable error
        (.printStackTrace error)
        (System/exit 1)))))
