;; Compiles the arena's own namespaces into a folder, and puts all of it into a jar: `java -cp SOURCES:CLASSES:CLOJURE
;; clojure.main SOURCES/agon/build.clj CLASSES JAR`. An archive of classes can only have classes from jars.
(ns agon.build
  (:require [clojure.java.io :as io])
  (:import (java.io File)
           (java.util.jar JarEntry JarOutputStream)))

(let [[classes jar] *command-line-args*
      root (.toPath (io/file classes))]
  (binding [*compile-path* classes]
    (compile 'agon.host)
    ;; The main namespace does not load it: most matches need no classes for painting.
    (compile 'amoebas.display))
  (with-open [out (JarOutputStream. (io/output-stream jar))]
    (doseq [^File file (sort (file-seq (io/file classes))) :when (.isFile file)]
      (.putNextEntry out (JarEntry. (str (.relativize root (.toPath file)))))
      (io/copy file out)
      (.closeEntry out))))
