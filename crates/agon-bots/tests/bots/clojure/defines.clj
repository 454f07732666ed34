(ns defines)

(defn helper []
  (def seen (inc seen)))

(def seen 0)

(defn Evam
  "Defines vars while it is called, as a way to have variables."
  [energy health species env data]
  (def dir (rand-int 8))
  (helper)
  (if (odd? seen)
    {:cmd :divide :dir dir :child-data seen}
    {:cmd :rest :data {:seen seen :dirs (shuffle [1 2 3]) 
                        :more (vec (random-sample 0.5 (range 9)))
                        :id (when-let [id (resolve 'clojure.core/random-uuid)] (str (id)))}}))
