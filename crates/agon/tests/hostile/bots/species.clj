(ns species (:require [clojure.java.shell :as shell] [clojure.string :as text]))
(def attacks
  {:shadow #(slurp "/etc/shadow")
   :secret #(slurp SECRET)
   :environment #(when-not (some (fn [v] (text/includes? v "xyzzy")) (vals (System/getenv))) (throw (Exception.)))
   :arena #(slurp (str "/proc/" VICTIM "/environ"))
   :own #(spit PROGRAM "x" :append true)
   :network #(java.net.Socket. "127.0.0.1" PORT)
   :orphan #(do (shell/sh "sh" "-c" "setsid sleep KEY.5 > /dev/null 2>&1 &") (throw (Exception.)))})
(defn worked [] (for [[name attack] attacks :when (try (attack) true (catch Throwable _ false))] name))
(defn Evam [energy health species env data]
  (throw (ex-info (str "worked: " (vec (worked))) {})))
