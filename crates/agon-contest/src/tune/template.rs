//! The bot that is tuned: puts the values of parameters into its text, as in `./my_bot {low}`.
//!
//! A tuning makes the two versions of each duel with it.

use std::{cell::OnceCell, sync::Arc};

use agon_arena::BotEntry;
use agon_bots::{BotKind, BotSpec, HostOptions};
use agon_games::{BuiltinBots, GameId, with_game};
use agon_rating::tune::Param;
use anyhow::{Context, Result, bail};

use crate::{
    Tell,
    series::{spec, tell_what_was_read},
};

/// The text of the tuned bot, with its parameters.
pub struct Template {
    text: String,
    params: Vec<Param>,
    is_builtin: bool,
    host: HostOptions,
    /// The first version that was read. Later versions play with the same files.
    first: OnceCell<BotSpec>,
}

impl Template {
    /// Parses the text of a bot.
    ///
    /// # Errors
    /// If it names no bot, or a parameter is there twice or has no place in the text.
    pub fn new(text: &str, params: &[Param], host: HostOptions) -> Result<Template> {
        for (number, param) in params.iter().enumerate() {
            if params[..number].iter().any(|other| other.name == param.name) {
                bail!("--param {param}: `{}` is there twice", param.name);
            }
        }
        let template = Template {
            text: text.trim().to_owned(),
            params: params.to_vec(),
            is_builtin: false,
            host,
            first: OnceCell::new(),
        };
        // With values in it, since braces could be part of a file name.
        let lowest: Vec<i64> = vec![0; params.len()];
        let spec: BotSpec = template.text(&lowest).parse()?;
        if spec.kind() == BotKind::Builtin {
            return Ok(Template { is_builtin: true, ..template });
        }
        for param in params {
            let place = format!("{{{}}}", param.name);
            if !template.text.contains(&place) {
                bail!(
                    "--param {param}: the bot `{text}` does not say where the value goes; put \
                     `{place}` there, as in \"./my_bot --{} {place}\"",
                    param.name
                );
            }
        }
        Ok(template)
    }

    /// Returns whether it is a built-in bot, whose parameters are known.
    pub fn is_builtin(&self) -> bool {
        self.is_builtin
    }

    /// Returns the bot with these values, in steps, as a person would type it.
    pub fn text(&self, steps: &[i64]) -> String {
        let values =
            self.params.iter().zip(steps).map(|(param, &steps)| (&param.name, param.text(steps)));
        if !self.is_builtin {
            return values.fold(self.text.clone(), |text, (name, value)| {
                text.replace(&format!("{{{name}}}"), &value)
            });
        }
        let (bot, given) = self.text.split_once('?').unwrap_or((&self.text, ""));
        let is_tuned = |given: &&str| self.params.iter().any(|param| name_of(given) == param.name);
        let kept = given
            .split('&')
            .filter(|given| !given.is_empty() && !is_tuned(given))
            .map(str::to_owned);
        let all: Vec<String> =
            kept.chain(values.map(|(name, value)| format!("{name}={value}"))).collect();
        format!("{bot}?{}", all.join("&"))
    }

    /// Returns the bot with these values, under `name` if there is one.
    ///
    /// The first call reads the bot's files; later calls use the same ones, even if they changed.
    pub fn entry(
        &self,
        steps: &[i64],
        name: Option<&str>,
        tell: Tell<'_>,
    ) -> Result<Arc<BotEntry>> {
        let spec = spec(&self.text(steps), name)?;
        if let Some(first) = self.first.get() {
            return Ok(BotEntry::of(spec.read_like(first, &self.host)?)?);
        }
        let spec = spec.read(&self.host, &[])?;
        tell_what_was_read(&spec, tell);
        Ok(BotEntry::of(self.first.get_or_init(|| spec).clone())?)
    }

    /// Returns the starting values, in steps.
    ///
    /// A typed value goes first, then the one in the text of a built-in bot, then its default.
    /// Other bots start in the middle of each range.
    ///
    /// # Errors
    /// If one of them is not in its range.
    pub fn start(&self, game: GameId, typed: &[String]) -> Result<Vec<i64>> {
        for given in typed {
            let (name, _) = given.split_once('=').with_context(|| {
                format!("--start {given}: expected NAME=VALUE, as in --start low=12")
            })?;
            if !self.params.iter().any(|param| param.name == name) {
                bail!("--start {given}: there is no --param {name}=LOW..HIGH");
            }
        }
        self.params.iter().map(|param| self.start_of(game, param, typed)).collect()
    }

    fn start_of(&self, game: GameId, param: &Param, typed: &[String]) -> Result<i64> {
        let value_in = |given: &str| given.split_once('=').map(|(_, value)| value.to_owned());
        let is_it = |given: &&str| name_of(given) == param.name;
        let typed = typed.iter().map(String::as_str).rfind(is_it).and_then(value_in);
        if let Some(value) = typed {
            let error =
                || format!("--start {}={value}: that is no value of --param {param}", param.name);
            return param.steps_of(&value).with_context(error);
        }
        if !self.is_builtin {
            return Ok(param.steps() / 2);
        }
        let in_text =
            self.text.split_once('?').and_then(|(_, given)| given.split('&').rfind(is_it));
        let Some(value) = in_text.and_then(value_in).or_else(|| self.default_of(game, param))
        else {
            // Opening the bot reports the unknown parameter.
            return Ok(param.steps() / 2);
        };
        let name = &param.name;
        let text = &self.text;
        param.steps_of(&value).with_context(|| {
            format!(
                "--param {param}: {text} begins with {name}={value}, which is no value of that \
                 range; widen it, or begin elsewhere with --start {name}=VALUE"
            )
        })
    }

    fn default_of(&self, game: GameId, param: &Param) -> Option<String> {
        let (bot, _) = self.text.split_once('?').unwrap_or((&self.text, ""));
        let (_, name) = bot.rsplit_once("builtin:")?;
        let params = with_game!(game, G => {
            let builtin = G::BUILTINS.iter().find(|builtin| builtin.name == name.trim())?;
            builtin.params
        });
        let known = params.iter().find(|known| known.name == param.name)?;
        Some(known.default.to_owned())
    }
}

fn name_of(given: &str) -> &str {
    given.split_once('=').map_or(given, |(name, _)| name)
}

#[cfg(test)]
mod tests {

    use super::*;

    fn template(text: &str, params: &[&str]) -> Result<Template> {
        let params: Vec<Param> = params.iter().map(|text| text.parse().unwrap()).collect();
        Template::new(text, &params, HostOptions::default())
    }

    #[test]
    fn values_go_where_they_belong() {
        let bot = template(
            "a=builtin:slightly-brainy?low=9&target=weakest",
            &["low=5..40", "divide=30..90:10"],
        );
        let bot = bot.unwrap();
        assert_eq!(bot.text(&[0, 2]), "a=builtin:slightly-brainy?target=weakest&low=5&divide=50");
        assert_eq!(bot.start(GameId::Amoebas, &[]).unwrap(), [4, 4]);
        assert_eq!(bot.start(GameId::Amoebas, &["low=7".into()]).unwrap(), [2, 4]);
        let bot =
            template("python3 'my bot.py' {x} --y={y} {x}", &["x=0..1:0.25", "y=-3..3"]).unwrap();
        assert_eq!(bot.text(&[1, 0]), "python3 'my bot.py' 0.25 --y=-3 0.25");
        assert_eq!(bot.start(GameId::Amoebas, &[]).unwrap(), [2, 3]);
        assert!(!bot.is_builtin());
    }

    #[test]
    fn errors_name_the_remedy() {
        let error = |text: &str, params: &[&str]| template(text, params).err().unwrap().to_string();
        assert!(error("./bot {x}", &["x=0..9", "y=0..9"]).contains("put `{y}` there"));
        assert!(error("builtin:nasty", &["x=0..9", "x=1..9"]).contains("`x` is there twice"));
        let start = |typed: &str| {
            let bot = template("builtin:slightly-brainy", &["divide=30..60"]).unwrap();
            bot.start(GameId::Amoebas, &[typed.to_owned()]).unwrap_err().to_string()
        };
        assert!(start("low=5").contains("there is no --param low"));
        assert!(start("divide=61").contains("no value of --param divide=30..60"));
        let bot = template("builtin:slightly-brainy", &["divide=30..60"]).unwrap();
        assert!(
            bot.start(GameId::Amoebas, &[])
                .unwrap_err()
                .to_string()
                .contains("begins with divide=70")
        );
    }
}
