;; Tests the kit and the bot with the recorded conversation in golden, or in the folder that AGON_GOLDEN names:
;; clojure test_agon.clj. GAME.arena.jsonl is what a bot reads, GAME.bot.jsonl what one answered.
(doseq [file ["json.clj" "agon.clj" "bot.clj" "legal.clj"]]
  (load-file file))

(ns test-agon
  (:require [agon] [bot] [json] [legal]
            [clojure.string :as string]
            [clojure.test :refer [deftest is run-tests]])
  (:import (java.io ByteArrayInputStream ByteArrayOutputStream)))

(defn recorded [who]
  (let [folder (or (System/getenv "AGON_GOLDEN") "golden")]
    (string/split-lines (slurp (str folder "/" bot/game "." who ".jsonl")))))

(defn play [player lines]
  (let [input (ByteArrayInputStream. (.getBytes (string/join (map #(str % "\n") lines)) "UTF-8"))
        output (ByteArrayOutputStream.)]
    (agon/play bot/game player input output)
    (string/split-lines (.toString output "UTF-8"))))

(deftest json-is-read-and-written
  (let [text (str " { \"a\" : [ ] , \"b\" : [ 1 , -2.5 , \"\\u0000h\\\"\\n\u00e9\" , true , null , { } , "
                  "18446744073709551615 ] } ")
        data {:a [] :b [1 -2.5 "\u0000h\"\n\u00e9" true nil {} 18446744073709551615N]}]
    (is (= data (json/read-json text)))
    (is (= data (json/read-json (json/write-json data)))))
  (doseq [wrong ["" "{" "[1,]" "[1}" "\"" "{\"a\"}" "nul" "1 2" "--1" "\"\\x\"" "[-]"]]
    (is (thrown? IllegalArgumentException (json/read-json wrong)) wrong)))

(deftest messages-lose-nothing
  (doseq [line (concat (recorded "arena") (recorded "bot"))]
    (is (= (json/read-json line) (json/read-json (json/write-json (json/read-json line)))))))

(deftest answers-are-written-as-recorded
  (let [replies (atom (map json/read-json (recorded "bot")))
        outcomes (atom [])
        player (fn [_start]
                 {:answer (fn [_decisions _turn] (:answers (ffirst (swap-vals! replies rest))))
                  :end #(swap! outcomes conj %)})]
    (is (= (map json/read-json (recorded "bot")) (map json/read-json (play player (recorded "arena")))))
    (is (= [(:outcome (json/read-json (last (recorded "arena"))))] @outcomes))))

(deftest unknown-keys-and-messages-are-ignored
  ;; The end is missing, too: then the end of the input ends the match.
  (let [strange (mapcat #(vector "{\"type\":\"news\",\"step\":\"none\"}" (str "{\"new_key\":[1,{}]," (subs % 1)))
                        (butlast (recorded "arena")))]
    (is (= (count (recorded "bot")) (count (play bot/player strange))))))

(deftest replies-are-legal-and-repeat
  (let [[start & questions] (map json/read-json (butlast (recorded "arena")))]
    (doseq [seed (range 200)
            :let [start (assoc start :seed seed)
                  one (:decide (bot/player start))
                  two (:decide (bot/player start))]
            {:keys [decisions turn]} questions
            seen decisions
            :let [reply (one seen turn)]]
      (is (= reply (two seen turn)))
      (is (nil? (legal/problem start seen reply)) [seen reply]))))

(deftest another-game-is-refused
  (is (thrown-with-msg? IllegalStateException #"not chess"
                        (play bot/player ["{\"type\":\"start\",\"game\":\"chess\"}"]))))

(let [{:keys [fail error]} (run-tests 'test-agon)]
  (System/exit (if (zero? (+ fail error)) 0 1)))
