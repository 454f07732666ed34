(ns loops)

(defn Evam [energy health species env data]
  (println "thinking")
  (loop [] (recur)))
