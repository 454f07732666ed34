//! What the rules say of the final.

use maud::{Markup, html};

use crate::{
    model::{ArenaLink, Final, FinalOf, FinalState, Rules},
    parts::{bot, link, number::counted},
};

/// Explains the ranking of a final.
pub(super) const RANKING: [&str; 3] = [
    "Everybody meets everybody equally often, and each pair or group sits equally often on each \
     seat. A seed decides which match comes when.",
    "Live ratings change with each match. After the last one, the published ratings are the \
     result: they explain all matches at once, with 95 % intervals. The range of ranks says which \
     ranks the results allow. An open end, as in ≥ 1800, means that no result bounds the rating on \
     that side. Bots with the same rating share a rank.",
    "In a match with more than two bots, each pair counts as a result. The server plays a match \
     again if it stood still itself. Only the rules of the game punish faults: a bot that keeps \
     failing plays on, and loses.",
];

/// Writes what the arena has of a final.
pub(super) fn finals(model: &Rules) -> Markup {
    html! {
        @if let Some(of) = &model.final_of { (is_final(of)) }
        @if let Some(of) = &model.finals { (has_final(of)) }
    }
}

fn to(arena: &ArenaLink) -> Markup {
    html! { a href=(link::arena(&arena.slug)) { (bot::shown(&arena.title, "the arena")) } }
}

fn is_final(of: &FinalOf) -> Markup {
    html! {
        section aria-labelledby="final-of" {
            h2 #final-of { "A final" }
            p {
                "This is the final of " (to(&of.season)) ": "
                (counted(of.matches, "match", "matches")) " of versions that cannot change any \
                 more. Its matches and their seeds follow from the seed " code { (of.seed) }
                @if of.minutes == 0 {
                    ". The organisers chose not to wait for it, so the people who run the server \
                     could try other versions before the deadline. "
                } @else {
                    ", which nobody could choose. "
                }
                code { "agon ladder verify" } " checks all of it."
            }
        }
    }
}

fn has_final(of: &Final) -> Markup {
    let games = u64::from(of.games);
    html! {
        section aria-labelledby="final" {
            h2 #final { "Final" }
            p {
                @match &of.state {
                    FinalState::Promised => {
                        "At the freeze all versions are fixed. Then the best "
                        (counted(u64::from(of.most), "bot", "bots"))
                        " of authors and all of Agon's own play a final: everybody meets \
                         everybody, in " (counted(games, "match", "matches"))
                        " for each pair or group. Bots with a rank come first, then those that \
                         have played. One that has not played takes only a place that is left."
                    }
                    FinalState::Drawing(percent) => {
                        "All versions are fixed. The seed of the final is being computed: "
                        b { (percent) " %" } "."
                    }
                    FinalState::Played(arena) => { "The final is played: " (to(arena)) "." }
                }
            }
            details {
                summary { "Why nobody can choose its seed" }
                p {
                    "The seed decides who has which seat when. It is made of a secret of this \
                     server, of all versions that take part, and of a secret number of each author \
                     who handed in with " code { "agon submit" } ". All of them are fixed before \
                     they are known: the public log has their digests. The digest of the server's \
                     secret is"
                }
                p { code.digest { (of.pledge) } }
                p {
                    "From these the seed is computed by hashing "
                    @if of.minutes == 0 {
                        "a short time only. The organisers chose not to wait, so the people who \
                         run the server could try several versions of a bot before the deadline."
                    } @else {
                        "for about " (counted(of.minutes, "minute", "minutes")) ", one hash after \
                         the other. Each try with another version would take as long."
                    }
                }
                p {
                    "What remains possible: an author can withhold the secret number after the \
                     deadline. Who also knows the server's secret has the choice between two \
                     seeds in that way. The log shows who withheld it."
                }
            }
        }
    }
}
