(ns wrong)

(def answers
  "Wrong answers, and what they are."
  [nil 5 [] {} {:cmd "rest"} {:cmd :eat} {:cmd :move} {:cmd :move :dir 9} {:cmd :hit :dir -1} {:cmd :divide :dir 7/2}
   {:cmd :move :dir 2.0} {:cmd :move :dir "3"} {:cmd :divide :dir 3 :function 5}])

(defn Evam
  "Gives one wrong answer after another, and remembers in its data which is next; since they are not used, in a var."
  [energy health species env data]
  (def turn (inc (or (some-> (resolve 'wrong/turn) deref) -1)))
  (get answers turn {:cmd :move :dir 4294967299N :data [:turn turn]}))
