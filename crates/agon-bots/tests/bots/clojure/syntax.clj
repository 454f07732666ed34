(ns syntax)

(defn Evam [energy health species env data]
  (let [dir (rand-nth Dirs)]
    {:cmd :move :dir dir}))
