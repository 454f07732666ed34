# Starts the bot. The time of all threads of the JVM counts, so none may work long in the background:
# the serial collector has no threads of its own, and level 1 leaves out the compiler that takes longest.
JAVA_TOOL_OPTIONS="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 $JAVA_TOOL_OPTIONS" exec clojure main.clj "$@"
