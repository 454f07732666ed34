(ns settlers
  "A species with two castes. Scouts go straight ahead and found settlements; settlers stay close, eat the land bare,
  and defend it together. An amoeba's data tell its caste, and for scouts the way; what a parent knows it hands on to
  its child."
  (:require [amoebas.defs :refer [AttackEnergy HitLoss MaxFuelingEnergy MinDivideEnergy MoveEnergy]]
            [amoebas.lib :refer [AWAY CW CCW Env-Sections Environment Here Neighbor-To-Dir Neighbors
                                 above-division-energy-level contains-friendly? empty-neighbors friendlies
                                 hostiles sections-by-friendlies sections-by-fuel total-fuel]]))

(def journey "How many steps a scout goes." 12)

(defn- caste [amoeba] (get-in amoeba [:data :caste]))

(defn- victim
  "The hostile neighbor to hit: one that dies of it, or else the weakest one if a friend stands by."
  [species env]
  (let [near (hostiles species Neighbors env)
        health #(:health (:occupant (env %)))
        weakest (when (seq near) (apply min-key health near))]
    (when (and weakest
               (or (<= (health weakest) HitLoss)
                   (< 2 (count (friendlies species (conj Neighbors Here) env)))))
      (Neighbor-To-Dir weakest))))

(defn- feed
  "Eats here, or goes where there is more."
  [energy env data]
  (let [richest (last (sections-by-fuel (empty-neighbors env) env))]
    (if (or (<= MaxFuelingEnergy (:fuel (env Here))) (nil? richest) (<= energy MoveEnergy))
      {:cmd :rest :data data}
      {:cmd :move :dir richest :data data})))

(defn- settle
  "The life of a settler. Where the land is crowded its children become scouts."
  [energy species env data]
  (let [free (empty-neighbors env)
        away (first (sections-by-friendlies free env species))
        crowded? (< 10 (count (friendlies species Environment env)))]
    (if (and away (< (above-division-energy-level 0.5) energy))
      {:cmd :divide :dir away :data data
       :child-data (if crowded?
                     {:caste :scout :dir away :steps journey}
                     {:caste :settler})}
      (feed energy env data))))

(defn- travel
  "The life of a scout: straight on, or nearly so; at the end of the way, or in rich land without friends, it settles."
  [energy species env {:keys [dir steps] :as data}]
  (let [free (set (empty-neighbors env))
        ahead (first (filter free [dir (CW dir) (CCW dir)]))
        rich? (< 1200 (total-fuel (Env-Sections dir) env))
        alone? (not-any? #(contains-friendly? species % env) Neighbors)]
    (cond
      (or (zero? steps) (nil? ahead) (and rich? alone?)) (settle energy species env {:caste :settler})
      (< energy (* 2 MoveEnergy)) (feed energy env data)
      :else {:cmd :move :dir ahead :data (update data :steps dec)})))

(defn Evam [energy health species env data]
  (let [target (when (<= AttackEnergy energy) (victim species env))]
    (cond
      target {:cmd :hit :dir target :data data}
      (= :scout (caste (:occupant (env Here)))) (travel energy species env data)
      :else (settle energy species env (or data {:caste :settler})))))
