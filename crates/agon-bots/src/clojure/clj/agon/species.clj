(ns agon.species
  "Finds the amoeba function of a file."
  (:require [clojure.java.io :as io]
            [clojure.main :as main]
            [clojure.string :as string])
  (:import (clojure.lang Compiler DynamicClassLoader IFn LineNumberingPushbackReader MultiFn RestFn Var)
           (java.io File)
           (java.lang.reflect Method)))

(def ^:private loaded "Files by the names of their namespaces." (atom {}))

(defn- fail [& text] (throw (ex-info (apply str text) {::told true})))

(defn told
  "Describes an error for a person."
  [^Throwable e]
  (cond
    (::told (ex-data e)) (.getMessage e)
    (instance? StackOverflowError e) "its stack overflows"
    (instance? OutOfMemoryError e) "it needs more memory than there is"
    :else (string/trimr (main/ex-str (main/ex-triage (Throwable->map e))))))

(defn- text-of
  "Opens a reader of a file, after the byte order mark that some editors write."
  ^LineNumberingPushbackReader [^File file]
  (let [reader (LineNumberingPushbackReader. (io/reader file :encoding "UTF-8"))
        first-char (.read reader)]
    (when-not (or (neg? first-char) (= 0xFEFF first-char))
      (.unread reader first-char))
    reader))

(defn- first-form [^File file]
  (with-open [reader (text-of file)]
    (try
      (binding [*read-eval* false] (read {:eof nil :read-cond :allow} reader))
      ;; Loading the file reports its errors.
      (catch Exception _ nil))))

(defn- namespace-of [^File file]
  (let [form (first-form file)]
    (when (and (seq? form) (contains? '#{ns clojure.core/ns in-ns clojure.core/in-ns} (first form)))
      (let [name (second form)]
        (cond
          (symbol? name) (with-meta name nil)
          (and (seq? name) (= 'quote (first name))) (second name))))))

(defn- root-of
  "Returns the folder that a file's namespace is found from, if its path fits the namespace."
  ^File [^File file namespace]
  (let [path (string/replace (munge (str namespace)) "." File/separator)
        absolute (.getPath file)
        end (str File/separator path ".clj")]
    (when (string/ends-with? absolute end)
      (io/file (subs absolute 0 (- (count absolute) (count end)))))))

(defn- add-roots!
  "Lets the file require others: from the root of its own namespace, its folder, and `src` here."
  [^File file namespace]
  (let [^DynamicClassLoader loader (.getContextClassLoader (Thread/currentThread))]
    (doseq [^File root [(when namespace (root-of file namespace)) (.getParentFile file) (io/file "src")]
            :when (and root (.isDirectory root))]
      (.addURL loader (.toURL (.toURI (.getCanonicalFile root)))))))

(defn load-path
  "Loads a file, once, and returns its namespace; `:taken` if another file has defined the same namespace."
  [path]
  (let [file (.getCanonicalFile (io/file path))
        name (or (namespace-of file) (symbol (str "agon.file." (string/replace (.getName file) #"\W" "_"))))
        known (get @loaded name)]
    (cond
      (= known file) (find-ns name)
      (or known (and (find-ns name) (not (re-find #"^(user$|agon\.file\.)" (str name))))) :taken
      :else (let [namespace (create-ns name)]
              (swap! loaded assoc name file)
              (add-roots! file name)
              (binding [*ns* namespace
                        *warn-on-reflection* *warn-on-reflection*
                        *unchecked-math* *unchecked-math*]
                (when-not (namespace-of file) (refer 'clojure.core))
                (with-open [reader (text-of file)]
                  (Compiler/load reader (.getAbsolutePath (io/file path)) (.getName file))))
              namespace))))

(defn- takes?
  "Returns whether something can be called with this many arguments."
  [n f]
  (cond
    (instance? Var f) (takes? n (deref f))
    (instance? MultiFn f) true
    (and (instance? RestFn f) (<= (.getRequiredArity ^RestFn f) n)) true
    (fn? f) (boolean (some (fn [^Method m] (and (= "invoke" (.getName m)) (= n (.getParameterCount m))))
                           (.getDeclaredMethods (class f))))
    :else false))

(def ^:private takes-five?
  "Returns whether something can be called with an amoeba function's five arguments."
  (partial takes? 5))

(defn- factory? [^Var v] (string/starts-with? (name (.sym v)) "create-"))

(defn- by-line [vars] (sort-by (fn [^Var v] [(:line (meta v) 0) (str (.sym v))]) vars))

(defn- tournament? "Whether `tournament` has made a function." [f] (boolean (:amoebas.run/tournament (meta f))))

(defn- candidates
  "Returns the public vars of a namespace that may be its amoeba function, in the order of the file."
  [namespace]
  (->> (vals (ns-publics namespace))
       (filter (fn [^Var v] (and (.isBound v) (not (:macro (meta v))) (not (factory? v)) (not (tournament? @v))
                                 (takes-five? @v))))
       by-line))

(defn- names [vars] (string/join ", " (map (fn [^Var v] (name (.sym v))) vars)))

(defn- named [namespace ^String text]
  (let [wanted (symbol text)
        ^Var v (try (ns-resolve namespace wanted) (catch Exception _ nil))]
    (cond
      (not (var? v)) (fail "it defines no `" text "`; its functions of five arguments are: "
                           (names (candidates namespace)))
      (not (and (.isBound v) (takes-five? @v)))
      (fail "`" text "` is no function of the five arguments [energy health species env data]")
      :else v)))

(defn- without-species
  "Says what to do about a namespace without an amoeba function."
  [namespace]
  (let [all (vals (ns-publics namespace))
        of-name (fn [^Var v] (.sym v))
        played (first (by-line (filter (fn [^Var v] (and (.isBound v) (tournament? @v))) all)))
        made (seq (filter factory? all))]
    (cond
      played (str "; it defines tournaments: `agon amoebas FILE --fn " (of-name played) "` plays one")
      made (str " (" (names made) " make functions; define one, such as (def Evam (" (of-name (first made)) " ...)))")
      :else "; and no tournament, such as (def Final (tournament {:red Evam :blue Other}))")))

(defn- chosen [namespace ^String stem]
  (let [all (candidates namespace)
        called (fn [text] (filter (fn [^Var v] (.equalsIgnoreCase ^String text (name (.sym v)))) all))
        classic (filter #(some #{'[energy health species env data]} (:arglists (meta %))) all)
        segment (last (string/split (str (ns-name namespace)) #"\."))
        one (fn [vars] (when (= 1 (count vars)) (first vars)))]
    (or (first (filter (fn [^Var v] (= 'Evam (.sym v))) all))
        (one (called stem))
        (one (called segment))
        (one all)
        (one classic)
        (if (empty? all)
          (fail "it defines no amoeba function: no public function of the five arguments [energy health species env "
                "data]" (without-species namespace))
          (fail "which of its functions is the amoeba function? Name it behind the file, as in `"
                stem ".clj?fn=" (.sym ^Var (first all)) "`, or call it `Evam`; there are: " (names all))))))

(defn function-of
  "Returns the amoeba function of a file's namespace: the named one, or the only possible one."
  [namespace path fn-name]
  (let [stem (string/replace (.getName (io/file path)) #"\.clj[cs]?$" "")
        ^Var v (if fn-name (named namespace fn-name) (chosen namespace stem))]
    {:name (str (.sym v)) :function @v}))

(defn species?
  "Returns whether a file's namespace has an amoeba function without a name."
  [namespace path]
  (try
    (boolean (function-of namespace path nil))
    (catch Exception _ false)))

;; Tournaments.

(def ^:private ^:const most-names "Names of functions that are told." 100)

(defn tournament-names
  "Returns the names of a file's tournament functions, in the order of the file: those made by `tournament`, or else
  all that take rounds and flags."
  [namespace]
  (let [all (filter (fn [^Var v] (and (.isBound v) (not (:macro (meta v))))) (vals (ns-publics namespace)))
        made (filter #(tournament? @%) all)]
    (map (fn [^Var v] (name (.sym v)))
         (take most-names (by-line (or (seq made) (filter #(and (fn? @%) (not (factory? %)) (takes? 2 @%)) all)))))))

(defn tournament-function
  "Returns a file's tournament function by its name; `:unknown` if there is none of this name, `:unfit` if it takes no
  rounds and flags."
  [namespace ^String text]
  (let [^Var v (try (ns-resolve namespace (symbol text)) (catch Exception _ nil))]
    (cond
      (not (and (var? v) (.isBound v))) :unknown
      (and (fn? @v) (not (:macro (meta v))) (or (tournament? @v) (takes? 2 @v))) @v
      :else :unfit)))
