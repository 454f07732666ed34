//! The version of the messages between an arena and its zygote. An arena notices a zygote of
//! another build by it.

/// A hash of the sources that define the dialogue.
///
/// So programs of different builds never mistake one descriptor for another.
pub(crate) const DIALOGUE: [u8; 8] = agon_parts::dialogue(&[
    include_str!("confinement.rs"),
    include_str!("launcher.rs"),
    include_str!("lib.rs"),
    include_str!("message.rs"),
    include_str!("order.rs"),
    include_str!("snapshot.rs"),
    include_str!("supervisor/init.rs"),
    include_str!("supervisor/mod.rs"),
])
.to_le_bytes();
