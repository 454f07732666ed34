(ns amoebas.util
  "What fits nowhere else."
  (:refer-clojure :exclude [abs])
  (:require [amoebas.defs :refer :all]
            [clojure.string :as string])
  (:import (java.io File)))

(defn bound
  "The number x, or the nearest end of the range from a to b."
  [a x b]
  (cond
    (< x a) a
    (< b x) b
    :else x))

(defn sum "The sum of numbers." [s] (apply + s))

(defn abs "A number without its sign." [r] (if (neg? r) (- r) r))

(defn population-stats
  "How many amoebas each species has, and their energy, of a map of positions to amoebas."
  [p]
  (let [amoebas (group-by :species (vals p))]
    {:size (into {} (for [[species all] amoebas] [species (count all)]))
     :energy (into {} (for [[species all] amoebas] [species (sum (map :energy all))]))
     :live-species (keys amoebas)}))

(defn random-location "Any position in the world." [] [(rand-int WorldSize) (rand-int WorldSize)])

(defn get-png-imagewriter
  "A writer for PNG pictures."
  []
  (.next (javax.imageio.ImageIO/getImageWritersByFormatName "png")))

(defn create-directory
  "Makes a folder unless it is there."
  [dir]
  (.mkdir (File. (str dir))))

(defn save-frame
  "Saves what a window shows as dir/gNNNNN.png; nothing if there is no window."
  [^java.awt.Component frame dir gen]
  (when frame
    (let [image (java.awt.image.BufferedImage. (.getWidth frame) (.getHeight frame)
                                               java.awt.image.BufferedImage/TYPE_INT_RGB)]
      (.paint frame (.getGraphics image))
      (javax.imageio.ImageIO/write image "png" (File. (str dir) (format "g%05d.png" gen))))))

(defn write-csv-stats
  "Writes popsize.csv and energy.csv: a header of species, then a row per entry; extinct species have empty fields."
  [dir species statsv]
  (let [row (fn [fields] (str (string/join "," fields) "\n"))
        table (fn [key] (apply str (row species) (for [stats statsv] (row (map #(get (key stats) %) species)))))]
    (create-directory dir)
    (spit (File. (str dir) "popsize.csv") (table :size))
    (spit (File. (str dir) "energy.csv") (table :energy))))
