(ns hoarder)

(defn Evam [energy health species env data]
  {:cmd :rest :data (into (or data []) (repeatedly 10000 #(byte-array 1000)))})
