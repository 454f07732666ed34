(ns amoebas.run
  "Tournaments."
  (:require [amoebas.simulation :as simulation]
            [amoebas.util :refer [population-stats]]
            [clojure.set]))

(def Color
  "Names for colors, as red, green and blue from 0 to 255."
  {:red [255 0 0] :blue [0 0 255] :yellow [255 255 0] :white [255 255 255]
   :gray [128 128 128] :orange [255 128 0] :magenta [255 0 255] :cyan [0 255 255]})

(def Default-RGB-Map "The color of each species that is called like a color." Color)

(defn step-all-and-set
  "Plays a round on two references, to a map of positions to fuel and to one of positions to amoebas; returns the
  statistics."
  [worldref popref]
  (dosync
   (let [[world population] (simulation/step-all @worldref @popref)]
     (ref-set worldref world)
     (ref-set popref population)
     (population-stats population))))

(def ^{:private true :dynamic true} *play*
  "Plays a tournament: called with genesis, colors, number of rounds, and flags. The host sets it."
  (fn [& _] (throw (IllegalStateException. "tournaments play in the arena: `agon amoebas FILE.clj`"))))

(defn tournament
  "A function of a number of rounds and of flags, which plays a tournament. `genesis` maps species to their amoeba
  functions, `rgb-map` species to colors."
  ([genesis] (tournament genesis Default-RGB-Map))
  ([genesis rgb-map]
   (with-meta
     (fn [n flags]
       (*play* genesis rgb-map n flags)
       nil)
     {::tournament true})))
