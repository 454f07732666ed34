(ns remembers
  (:require [amoebas.lib :refer [Neighbors empty-neighbors hostiles]]))

(defn young
  "What children do: they look whether everything that they see is as it has to be."
  [energy health species env {:keys [parent age journey] :as data}]
  (let [me (:occupant (env [0 0]))]
    (assert (fn? parent))
    (assert (identical? data (:data me)))
    (assert (= [species energy health] ((juxt :species :energy :health) me)))
    (assert (identical? young (:function me)))
    (assert (sorted? journey))
    (assert (= [0 1] (take 2 @(:numbers data))))
    {:cmd :rest :data (update data :age inc)}))

(defn Evam
  "Its data are an object that no text can hold: a function, a sorted map, a reference to an endless sequence."
  [energy health species env data]
  (assert (= (:function (:occupant (env 0 0))) Evam))
  (if-let [dir (first (empty-neighbors env))]
    {:cmd :divide :dir dir :function young :data (vec (range 500))
     :child-data {:parent Evam :age 0 :journey (sorted-map-by > 1 :a 2 :b) :numbers (atom (range))}}
    {:cmd :rest :data data}))
