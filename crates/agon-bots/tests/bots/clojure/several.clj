(ns several)

(defn hunter [energy health species env data] {:cmd :move :dir 1})
(defn grazer [energy health species env data] {:cmd :rest})
(defn create-other [a b c d e] hunter)
