;; Starts the bot: clojure main.clj
(load-file "json.clj")
(load-file "agon.clj")
(load-file "bot.clj")
(agon/run bot/game bot/player *command-line-args*)
