//! Makes links for forgotten passwords from the shell, beside a server that runs or not.

use std::io::{self, Write};
use std::process::ExitCode;

use agon_console::serve_options::ResetLinkOptions;
use anyhow::{Context, Result};

use crate::database::{Guest, Place, Row, check_ladder};
use crate::store::links::{Purpose, RESET};
use crate::store::{audit, links, now};
use crate::{accounts::token::Token, backup, logs::say};

/// The fact with the address of the server's pages, for links.
pub(crate) const ADDRESS: &str = "address";

/// Makes a link, and prints it.
pub(crate) fn make(options: &ResetLinkOptions) -> Result<ExitCode> {
    let ResetLinkOptions { name, data, database } = options;
    check_ladder(data)?;
    let place = Place::of(data, database)?;
    let runtime = backup::runtime().context("the system does not start threads")?;
    let made = runtime.block_on(async {
        let mut guest = Guest::open(&place).await?;
        make_for(&mut guest, name).await
    })?;
    match made {
        Ok(link) => {
            writeln!(io::stdout(), "{link}").context("the link cannot be printed")?;
            Ok(ExitCode::SUCCESS)
        }
        Err(why) => {
            say(&format!("error: {why}"));
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Makes a link for a person, or says why there is none.
async fn make_for(guest: &mut Guest, name: &str) -> Result<Result<String, String>> {
    let sql = "SELECT id, name, disabled, erased FROM people WHERE name = $1";
    let rows = guest.read(sql, vec![name.to_lowercase().into()]).await?;
    let person = rows.first().map(Row::read::<(i64, String, Option<i64>, Option<i64>)>);
    let shown = agon_core::text::escape(name);
    let Some((id, name, disabled, None)) = person.transpose()? else {
        let advice = "Organise → People lists all names";
        return Ok(Err(format!("nobody has the name `{shown}`; {advice}")));
    };
    if disabled.is_some() {
        let advice = "an administrator enables it at Organise → People";
        return Ok(Err(format!("the account `{shown}` is disabled; {advice}")));
    }
    let sql = "SELECT value FROM facts WHERE name = $1";
    let rows = guest.read(sql, vec![ADDRESS.into()]).await?;
    let address: String = rows.first().map(Row::read).transpose()?.unwrap_or_default();
    let code = Token::fresh();
    let statements = vec![
        links::take_back(id),
        links::make(&code, &Purpose::Reset(id), None, now() + RESET, 1, ""),
        audit::note(None, "person.reset-link", &name, "by `agon serve reset-link`"),
    ];
    guest.write(statements).await?;
    Ok(Ok(format!("{address}/reset/{code}")))
}
