(ns halts)

(defn Evam [energy health species env data]
  (.halt (Runtime/getRuntime) 3))
