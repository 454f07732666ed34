//! Commands with which people and programs take part.

use super::model::ArenaGuide;

/// Returns how to take part with `agon`.
pub(super) fn shell(guide: &ArenaGuide) -> String {
    let ArenaGuide { base, slug, game, .. } = guide;
    let kit = guide.kits.first().map_or("python", |kit| kit.id.as_str());
    let plain = if base.starts_with("http://") {
        "\nThis server has no HTTPS, so everybody in the network can read what you send. `agon \
         login` refuses that for other machines than your own, unless you add --insecure-http.\n"
    } else {
        ""
    };
    format!(
        "## Take part with agon

You need an account: organisers send a link. Open it in a browser, and choose a name and a
password. Nobody can make an account without a link. Then:

    agon login {base} --name NAME
    agon new {game} {kit} fox
    agon check {game} fox
    agon play {game} fox builtin:random
    agon submit fox --name BOT --arena {slug} -m \"what changed\"
{plain}
`agon login` asks for the password, and keeps a token, not the password. `agon submit` waits until
the version can play: exit code 0 it can, 1 it failed and you read why, 2 another error. Each
author has one bot here: the first hand-in gives it its name, each later one is a new version of it.

Logs and results:

    agon status {slug}
    agon matches {slug}
    agon logs --arena {slug}
    agon leaderboard {slug}
    agon ladder verify {base}

Add --json for lines of JSON. `agon logs` prints the faults of your bot in a match, and what it
wrote to standard error. Only you and organisers see that. `agon ladder verify` checks that nobody
changed results afterwards, and plays matches again.

The same on pages: {base}/arenas/{slug} (table), {base}/arenas/{slug}/rules,
{base}/arenas/{slug}/matches, {base}/arenas/{slug}/hand-in (with an editor)."
    )
}

/// Returns how to take part with `curl`.
pub(super) fn api(guide: &ArenaGuide) -> String {
    let ArenaGuide { base, slug, .. } = guide;
    let api = format!("{base}/api/v1");
    let arena = format!("{api}/arenas/{slug}");
    let curl = "curl -s --fail-with-body";
    let auth = "-H \"Authorization: Bearer $token\"";
    let single = single_file(guide, &format!("{curl} {arena}/versions {auth}"));
    format!(
        "## Take part with curl

Everything works without Agon, too: JSON over HTTP. {api}/openapi.json describes all of it.

A token is a secret for programs. Make one with name and password, or on {base}/account:

    {curl} {api}/tokens --json '{{\"name\": \"NAME\", \"password\": \"PASSWORD\"}}' > token.json
    token=$(grep -o 'agon_[0-9a-f]*' token.json)

Hand in a folder with `agon.toml`, such as `agon new` writes, as zip, tar or tar.gz. A hand-in that
is sent again with the same Idempotency-Key counts once:

    tar -czf bot.tar.gz -C fox .
    {curl} \"{arena}/versions?name=BOT&message=first+try\" {auth} -H \
\"Content-Type: application/gzip\" -H \"Idempotency-Key: $(sha256sum bot.tar.gz | cut -c1-40)\" \
--data-binary @bot.tar.gz > version.json
{single}
The reply has `number`, `state`, and the bot's name in addresses as `bot.slug`. The name in the
request counts for the first version only. A version is `queued`, `building`, `checking`, and at
last `ready` or `failed`. Then `report` has the examinations, and what the build wrote:

    {curl} {arena}/bots/BOT/versions/1 {auth}

Logs and results:

    {curl} {arena}/bots/BOT
    {curl} \"{arena}/matches?bot=BOT&limit=5\"
    {curl} {arena}/matches/NUMBER
    {curl} {arena}/matches/NUMBER/logs {auth}
    {curl} -o match.agon {arena}/matches/NUMBER/replay
    {curl} \"{arena}/leaderboard?limit=10\"

Failures are JSON with `code`, `title` and `detail`, which says what to do. 429 has Retry-After."
    )
}

/// Returns how to hand in a single file, which the server completes.
fn single_file(guide: &ArenaGuide, call: &str) -> String {
    let Some(starter) = &guide.starter else { return String::new() };
    let file = &starter.file;
    format!(
        "
Or a single file, which the server completes by the starter kit of its language:

    {call} -F name=BOT -F message=\"one file\" -F files=@{file} > version.json
"
    )
}
