(defn Evam [energy health species env data] {:cmd :rest})
