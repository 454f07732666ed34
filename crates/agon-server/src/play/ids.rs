//! Versions as the ladder and the database name them.

use agon_ladder::VersionId;

use crate::store::matches::SeatedMatch;

/// Returns the players of a match, in the order of their seats.
pub(super) fn players(seated: &SeatedMatch) -> Vec<VersionId> {
    seated.seats.iter().map(|seat| version_id(seat.version)).collect()
}

pub(super) fn version_id(id: i64) -> VersionId {
    VersionId(id.cast_unsigned())
}

pub(super) fn id_of(id: VersionId) -> i64 {
    id.0.cast_signed()
}
