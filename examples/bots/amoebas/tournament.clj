;; A tournament, run by `agon amoebas examples/bots/amoebas/tournament.clj`. The species are found in this folder.
(ns tournament
  (:require [amoebas.examples :refer [create-slightlybrainy strongest-target-selector]]
            [amoebas.run :refer [Color tournament]]
            [hermit]
            [settlers]))

(def genesis
  {:hermit hermit/Evam
   :settlers settlers/Evam
   :brainy (create-slightlybrainy 15 50 strongest-target-selector)})

(def colors {:hermit (Color :cyan) :settlers (Color :orange) :brainy [128 0 64]})

(println "Who lives on?")
((tournament genesis colors) 200 {:report-extinctions true :last-gen-stats true})
