(ns prints)

(defn Evam
  "Prints on every stream it finds, closes them, and reads."
  [energy health species env data]
  (println "to *out*" (read-line))
  (.println System/out "to System/out")
  (binding [*out* *err*] (println (apply str (repeat 2000 "x"))))
  (.read System/in)
  (.close System/out)
  (.close *out*)
  {:cmd :rest :data :printed})
