(ns stubborn)

(defn Evam
  "Does not even let itself be stopped."
  [energy health species env data]
  (loop []
    (try
      (loop [] (recur))
      (catch Throwable _ nil))
    (recur)))
