(ns hog)

(defn Evam [energy health species env data]
  (loop [all ()]
    (recur (conj all (long-array 1000000)))))
