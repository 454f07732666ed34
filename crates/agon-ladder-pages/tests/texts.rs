//! What pages say.

use agon_ladder_pages::{
    FILES, POLICY,
    model::{
        ArenaForm, ArenaHead, ArenaValues, BotRef, Context, Front, HandIn, Leaderboard,
        LeaderboardRow, Log, MatchPage, MatchSeat, Matrix, Paging, Role, Tally, Trial, TrialState,
        VersionPage, Viewer,
    },
    pages,
};

use crate::{
    dom::parse,
    sample::{Kind, pages as samples},
};

fn context(role: Role) -> Context {
    let viewer = Viewer { name: "grace".to_owned(), role, csrf: "t".to_owned() };
    Context { viewer, path: "/arenas/a b?page=2".to_owned(), ..Context::default() }
}

fn sample(name: &str) -> String {
    let found = samples(Kind::Full).into_iter().find(|(other, _)| other == name);
    found.unwrap_or_else(|| panic!("there is no {name}")).1
}

#[test]
fn code_in_the_editor_comes_back_unchanged() {
    let code = "\n\tx = \"</textarea>\u{200b}&amp;\" # \u{202e}\r\nend\n";
    let model = HandIn { code: code.to_owned(), ..HandIn::default() };
    let html = pages::hand_in(&context(Role::Author), &model).into_string();
    let page = parse(&html);
    let areas = page.all("textarea");
    let area = areas.iter().find(|area| area.attribute("name").as_deref() == Some("code"));
    // Browsers drop the first line end; this parser does, too.
    assert_eq!(area.unwrap().text(), code.replace("\r\n", "\n"));
}

#[test]
fn the_script_learns_whose_text_it_keeps() {
    let page = |closed: bool| {
        let closed = closed.then(|| "The deadline has passed.".to_owned());
        let model = HandIn { closed, draft: "7/1".to_owned(), ..HandIn::default() };
        pages::hand_in(&context(Role::Author), &model).into_string()
    };
    assert!(page(false).contains(" data-draft=\"7/1\"") && !page(false).contains("data-sent"));
    assert!(page(true).contains(" data-drafts=\"7/1\" hidden"), "what was typed can be copied");
}

#[test]
fn fields_come_back_unchanged() {
    let text = "\nfirst \u{200b}line\n</textarea>\"";
    let values =
        ArenaValues { about: text.to_owned(), title: text.to_owned(), ..Default::default() };
    let model = ArenaForm { values, ..ArenaForm::default() };
    let html = pages::arena_form(&context(Role::Organiser), &model).into_string();
    let page = parse(&html);
    let named = |tag: &str, name: &str| {
        let fields = page.all(tag);
        fields.into_iter().find(|field| field.attribute("name").as_deref() == Some(name)).unwrap()
    };
    assert_eq!(named("textarea", "about").text(), text);
    assert_eq!(named("input", "title").attribute("value").as_deref(), Some(text));
}

#[test]
fn visitors_are_led_back_after_signing_in() {
    let html = pages::front(&context(Role::Visitor), &Front::default()).into_string();
    assert!(html.contains("href=\"/sign-in?next=/arenas/a%20b%3Fpage%3D2\""), "{html}");
    assert!(!html.contains("/sign-out"));
}

#[test]
fn only_organisers_see_their_forms() {
    let model = MatchPage { number: 7, ..MatchPage::default() };
    for (role, sees) in [(Role::Visitor, false), (Role::Author, false), (Role::Organiser, true)] {
        let html = pages::match_page(&context(role), &model).into_string();
        assert_eq!(html.contains("/annul"), sees, "{role:?}");
        assert_eq!(html.contains("/matches/7/check"), sees, "{role:?}");
    }
    assert!(!sample("bot").contains("/activate"));
    assert!(sample("bot-own").contains("/activate"));
    assert!(!sample("bot-own").contains("/disqualify"));
    assert!(sample("bot-organiser").contains("/disqualify"));
}

#[test]
fn pages_that_change_say_so_to_the_script() {
    let html = sample("leaderboard");
    let page = parse(&html);
    let events = page.all("main")[0].attribute("data-events");
    assert_eq!(events.as_deref(), Some("/arenas/autumn-2026/events"));
    assert!(!sample("leaderboard-published").contains("data-events"));
    let live = |live| {
        let model = VersionPage { live, ..VersionPage::default() };
        pages::version(&context(Role::Author), &model).into_string()
    };
    assert!(live(true).contains("id=\"live\" data-live=\"true\""));
    assert!(live(true).contains(">Reload<") && !live(true).contains("http-equiv"));
    assert!(live(false).contains("id=\"live\" data-live=\"false\""));
    for (state, live) in [(TrialState::Queued(3), true), (TrialState::Over, false)] {
        assert_eq!(Trial { state, ..Trial::default() }.is_live(), live);
    }
}

#[test]
fn the_row_of_the_viewer_is_marked_in_words() {
    let row = LeaderboardRow { own: true, rank: Some(1), ..LeaderboardRow::default() };
    let model = Leaderboard { rows: vec![row], ..Leaderboard::default() };
    let html = pages::leaderboard(&context(Role::Author), &model).into_string();
    assert!(parse(&html).with_class("own").unwrap().text().contains("yours"));
    assert!(sample("leaderboard").contains(">boss<"));
}

#[test]
fn pages_of_lists_keep_the_search() {
    let paging = Paging { page: 2, pages: 3, total: 250, query: "tab=published&q=a".to_owned() };
    let row = LeaderboardRow::default();
    let model = Leaderboard { paging, rows: vec![row], ..Leaderboard::default() };
    let html = pages::leaderboard(&context(Role::Visitor), &model).into_string();
    assert!(html.contains("href=\"?tab=published&amp;q=a&amp;page=3\""), "{html}");
}

#[test]
fn a_number_of_the_matrix_leads_to_its_matches() {
    let bot = |slug: &str| BotRef { slug: slug.to_owned(), ..BotRef::default() };
    let tally = Some(Tally { wins: 3, ties: 0, losses: 1 });
    let (bots, rows) = (vec![bot("fox"), bot("owl")], vec![vec![None, tally], vec![None, None]]);
    let arena = ArenaHead { slug: "cup".to_owned(), ..ArenaHead::default() };
    let model = Matrix { arena, bots, rows, left_out: 0 };
    let html = pages::matrix(&context(Role::Visitor), &model).into_string();
    let link = "<a href=\"/arenas/cup/matches?bot=fox&amp;against=owl\">75</a>";
    assert!(html.contains(link), "{html}");
    assert!(!html.contains("bot=owl&amp;against=fox"), "they did not meet: {html}");
}

#[test]
fn lists_of_matches_say_what_they_have() {
    let html = sample("matches-of-bot");
    for words in [", in which it committed a fault", "&amp;before=700\"", "Show all"] {
        assert!(html.contains(words), "{words}: {html}");
    }
    assert!(!html.contains("data-events"), "an older page does not change: {html}");
}

#[test]
fn the_embed_code_is_html_of_its_own() {
    let html = sample("match");
    let page = parse(&html);
    let areas = page.all("textarea");
    let code = areas[0].text();
    let frame = parse(&format!("<!doctype html><title>x</title>{}", code.trim()));
    let source = frame.all("iframe")[0].attribute("src").unwrap();
    let expected = "https://agon.example/viewer/?replay=/arenas/autumn-2026/matches/1284770/\
                    replay.agon&turn=31";
    assert_eq!(source, expected);
}

#[test]
fn static_files_are_named_by_their_contents() {
    let html = sample("front");
    for file in FILES {
        assert!(html.contains(&file.address()), "{}", file.path);
    }
    let script = FILES.iter().find(|file| file.path.ends_with(".js")).unwrap();
    assert!(!script.text.contains("eval(") && !script.text.contains("innerHTML"));
    assert!(POLICY.contains("default-src 'none'") && !POLICY.contains("unsafe"));
}

#[test]
fn organisers_read_whose_output_they_see() {
    let heading = |own: [bool; 2], logs: usize| {
        let seats = own.map(|own| MatchSeat { own, ..MatchSeat::default() }).to_vec();
        let model = MatchPage { seats, logs: vec![Log::default(); logs], ..MatchPage::default() };
        let html = pages::match_page(&context(Role::Organiser), &model).into_string();
        let page = parse(&html);
        let headings = page.all("h2");
        headings.into_iter().map(|h| h.text()).find(|text| text.starts_with("stderr")).unwrap()
    };
    assert_eq!(heading([true, false], 1), "stderr of your bot");
    assert_eq!(heading([true, false], 2), "stderr of the bots");
    assert_eq!(heading([false, false], 1), "stderr of the bot");
}

#[test]
fn remedies_stand_above_the_evidence() {
    let html = sample("version");
    let (remedy, output) = (html.find("What to do:").unwrap(), html.find("aria-label=\"time\""));
    assert!(output.is_none_or(|output| remedy < output), "{html}");
}
