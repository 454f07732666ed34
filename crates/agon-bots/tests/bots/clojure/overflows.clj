(ns overflows)

(defn deep [n] (inc (deep (inc n))))

(defn Evam [energy health species env data]
  {:cmd :rest :data (deep 0)})
