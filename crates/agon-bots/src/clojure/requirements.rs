//! The environment variables and the package for Java and Clojure, for the search and for error
//! messages.

/// Names the program `java`; the default is that of `JAVA_HOME`, or the one on `PATH`.
pub(crate) const JAVA_VARIABLE: &str = "AGON_JAVA";

/// More arguments for `java`, such as `-Xmx2g`, with the quoting of a shell.
pub(crate) const OPTIONS_VARIABLE: &str = "AGON_JAVA_OPTS";

/// The class path with Clojure and other libraries for species, divided by `:`.
pub(crate) const CLASSPATH_VARIABLE: &str = "AGON_CLOJURE";

/// The Debian packages.
pub(crate) const CLOJURE_PACKAGE: &str = "clojure";
pub(crate) const JAVA_PACKAGE: &str = "default-jre-headless";
