(ns amoebas.display
  "Pictures of a world."
  (:require [amoebas.defs :refer :all]
            [amoebas.simulation :refer [cell-fuel]]
            [amoebas.util :refer [bound]])
  (:import (java.awt Color Graphics)
           (java.awt.image BufferedImage)))

(def CellSize "Pixels of a cell, in each direction." 4)

(def FuelRGB "The color of a cell that is full of fuel." [0 255 0])

(defn scale-rgb
  "A color, brighter or darker by a factor."
  [r rgb]
  (mapv #(bound 0 (int (* r %)) 255) rgb))

(defn fill-cell
  "Paints a cell."
  [^Graphics g x y rgb]
  (let [[red green blue] rgb]
    (.setColor g (Color. (int red) (int green) (int blue)))
    (.fillRect g (int (* CellSize x)) (int (* CellSize y)) (int CellSize) (int CellSize))))

(defn draw-world
  "Paints fuel in green, and amoebas in the colors that `species-rgb` gives their species."
  [g world population species-rgb]
  (doseq [y (range WorldSize) x (range WorldSize)]
    (fill-cell g x y (scale-rgb (/ (cell-fuel world [x y]) MaxCellEnergy) FuelRGB)))
  (doseq [[[x y] amoeba] population]
    (fill-cell g x y (or (species-rgb (:species amoeba)) [255 255 255]))))

(defn render-world
  "The same, all at once: `g` shows nothing of it before it is complete."
  [^Graphics g world population species-rgb]
  (let [side (int (* CellSize WorldSize))
        image (BufferedImage. side side BufferedImage/TYPE_INT_RGB)
        own (.createGraphics image)]
    (draw-world own world population species-rgb)
    (.dispose own)
    (.drawImage g image (int 0) (int 0) nil)))

(defn create-frame
  "Nil: there is no display here. The arena shows tournaments itself."
  [name world popref species-rgb]
  nil)
