(ns fox)

(def version :new)

(defn Evam [energy health species env data] {:cmd :rest :data [version (:data (:occupant (env [1 0])))]})
