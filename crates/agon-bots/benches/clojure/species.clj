;; The species of the benchmark, in the arena and in the plain engine.
(ns species
  (:require [amoebas.examples :as examples]))

(def weakest (examples/create-slightlybrainy 10 70 examples/weakest-target-selector))
(def strongest (examples/create-slightlybrainy 10 70 examples/strongest-target-selector))
(def random (examples/create-slightlybrainy 15 50 examples/random-target-selector))
(def mutating (examples/create-mutating-slightlybrainy 10 70 examples/weakest-target-selector 0.1 5))

(defn rests
  "Does nothing, so that only its host takes time."
  [energy health species env data]
  {:cmd :rest})
