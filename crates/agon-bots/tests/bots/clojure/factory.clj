(ns factory)

(defn create-grazer [] (fn [energy health species env data] {:cmd :rest}))
