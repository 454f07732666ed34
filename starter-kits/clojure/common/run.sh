# Starts the bot, from any folder. The time of all threads of the JVM counts, so none may work long in the background:
# the serial collector has no threads of its own, and level 1 leaves out the compiler that takes longest.
cd "$(dirname "$0")" || exit 1
JAVA_TOOL_OPTIONS="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 $JAVA_TOOL_OPTIONS" exec clojure main.clj "$@"
