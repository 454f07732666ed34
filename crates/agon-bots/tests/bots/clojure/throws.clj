(ns throws)

(defn Evam
  "Throws when it has little energy."
  [energy health species env data]
  (when (< energy 100)
    (throw (ex-info "hungry" {:energy energy})))
  {:cmd :move :dir (rand-int 8)})
