(ns slow-to-load)

(Thread/sleep 3000)

(defn Evam [energy health species env data] {:cmd :rest})
