(ns exits)

(defn Evam [energy health species env data]
  (System/exit 3))
