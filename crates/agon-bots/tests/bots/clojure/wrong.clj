(ns wrong)

(def answers
  "Wrong answers."
  [nil 5 [] {} {:cmd "rest"} {:cmd :eat} {:cmd :move} {:cmd :move :dir 9} {:cmd :hit :dir -1} {:cmd :divide :dir 7/2}
   {:cmd :move :dir 2.0} {:cmd :move :dir "3"} {:cmd :divide :dir 3 :function 5}])

(def turn (atom -1))

(defn Evam
  "Gives one wrong answer after another, then a right one."
  [energy health species env data]
  (get answers (swap! turn inc) {:cmd :move :dir 4294967299N :data [:turn 13]}))
