;; Loads the bot and lets it play; run.sh starts this.
(load-file "json.clj")
(load-file "agon.clj")
(load-file "bot.clj")
(agon/run bot/game bot/player *command-line-args*)
