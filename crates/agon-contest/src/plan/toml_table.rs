//! Reads the TOML of a plan, and collects all its problems with their lines and columns.
//!
//! So `agon tournament` reports everything that is wrong with a plan at once.

use std::{cell::RefCell, ops::Range, path::Path};

use agon_core::{did_you_mean, text::escape};
use anyhow::{Result, ensure};
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Something that is wrong in a plan.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PlanProblem {
    /// The line, from 1.
    line: usize,
    /// The column, from 1.
    column: usize,
    /// What is wrong, and what would be right.
    reason: String,
}

/// Problems of a file, collected while it is read.
#[derive(Debug)]
pub(super) struct Problems<'a> {
    file: &'a Path,
    text: &'a str,
    /// Where lines begin.
    lines: Vec<usize>,
    list: RefCell<Vec<PlanProblem>>,
}

/// The most problems that are kept.
const MAX_LISTED: usize = 1_000;

impl<'a> Problems<'a> {
    pub(super) fn new(file: &'a Path, text: &'a str) -> Problems<'a> {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Problems {
            file,
            text,
            lines: std::iter::once(0).chain(ends).collect(),
            list: RefCell::default(),
        }
    }

    /// Notes a problem with the text at `span`.
    pub(super) fn add(&self, span: Range<usize>, reason: impl Into<String>) {
        if self.list.borrow().len() == MAX_LISTED {
            return;
        }
        let line = self.line(span.start);
        let before = self.text.get(self.lines[line - 1]..span.start).unwrap_or_default();
        let column = before.chars().count() + 1;
        self.list.borrow_mut().push(PlanProblem { line, column, reason: reason.into() });
    }

    /// Returns the line of a place, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start <= offset)
    }

    /// Fails with a line for each problem, if there are any: `plan.toml:3:1: ...`.
    pub(super) fn finish(self) -> Result<()> {
        let file = self.file.display();
        let mut problems = self.list.into_inner();
        problems.sort();
        let line =
            |PlanProblem { line, column, reason }| format!("{file}:{line}:{column}: {reason}");
        let lines: Vec<String> = problems.into_iter().map(line).collect();
        ensure!(lines.is_empty(), "{}", lines.join("\n"));
        Ok(())
    }
}

/// A table of the file. It remembers the keys that were asked for, to find unknown ones.
pub(super) struct Section<'a> {
    /// As in the file: `[format]`; empty for the top.
    name: &'static str,
    table: Option<&'a DeTable<'a>>,
    span: Range<usize>,
    asked: Vec<&'static str>,
    problems: &'a Problems<'a>,
}

impl<'a> Section<'a> {
    pub(super) fn new(
        name: &'static str,
        table: &'a DeTable<'a>,
        span: Range<usize>,
        problems: &'a Problems<'a>,
    ) -> Section<'a> {
        Section { name, table: Some(table), span, asked: Vec::new(), problems }
    }

    /// Returns a table in this one, empty if it is not there.
    pub(super) fn section(&mut self, key: &'static str, name: &'static str) -> Section<'a> {
        let (table, span) = match self.get(key) {
            Some(value) => {
                (value.expect(value.value.get_ref().as_table(), "a table"), value.span())
            }
            None => (None, self.span.clone()),
        };
        Section { name, table, span, asked: Vec::new(), problems: self.problems }
    }

    pub(super) fn exists(&self) -> bool {
        self.table.is_some()
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Notes a problem with the whole section.
    pub(super) fn problem(&self, reason: impl Into<String>) {
        self.problems.add(self.span.clone(), reason);
    }

    /// Notes a problem with a part of it.
    pub(super) fn problem_at(&self, span: Range<usize>, reason: impl Into<String>) {
        self.problems.add(span, reason);
    }

    pub(super) fn get(&mut self, key: &'static str) -> Option<Item<'a>> {
        self.asked.push(key);
        let value = self.table?.get(key)?;
        Some(Item { what: key, value, problems: self.problems })
    }

    pub(super) fn string(&mut self, key: &'static str) -> Option<String> {
        self.get(key)?.string()
    }

    pub(super) fn boolean(&mut self, key: &'static str) -> Option<bool> {
        let item = self.get(key)?;
        item.expect(item.value.get_ref().as_bool(), "true or false")
    }

    pub(super) fn number(
        &mut self,
        key: &'static str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        self.get(key)?.number(range)
    }

    /// Returns all pairs, for tables whose keys are not known here.
    pub(super) fn all(&mut self) -> Vec<(String, Range<usize>, Value)> {
        let Some(table) = self.table.take() else { return Vec::new() };
        let pair = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let key: &std::borrow::Cow<'_, str> = key.get_ref();
            match json(value.get_ref()) {
                Ok(value_) => Some((key.to_string(), value.span(), value_)),
                Err(reason) => {
                    self.problems.add(value.span(), format!("`{}` {reason}", escape(key)));
                    None
                }
            }
        };
        table.iter().filter_map(pair).collect()
    }

    /// Notes keys that nobody asked for as problems.
    pub(super) fn finish(self) {
        for (key, _) in self.table.into_iter().flatten() {
            let name: &str = key.get_ref();
            if self.asked.contains(&name) {
                continue;
            }
            let hint = match did_you_mean(name, self.asked.iter().copied()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("there are: {}", self.asked.join(", ")),
            };
            let place = if self.name.is_empty() { "a plan" } else { self.name };
            self.problems.add(key.span(), format!("{place} has no `{}`; {hint}", escape(name)));
        }
    }
}

/// A value of the file.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    what: &'a str,
    value: &'a Spanned<DeValue<'a>>,
    problems: &'a Problems<'a>,
}

impl<'a> Item<'a> {
    pub(super) fn span(&self) -> Range<usize> {
        self.value.span()
    }

    pub(super) fn problem(&self, reason: impl Into<String>) {
        self.problems.add(self.span(), reason);
    }

    fn expect<T>(&self, value: Option<T>, expected: &str) -> Option<T> {
        if value.is_none() {
            let found = self.value.get_ref().type_str();
            self.problem(format!("`{}` is {expected}, not of type {found}", self.what));
        }
        value
    }

    pub(super) fn string(&self) -> Option<String> {
        self.expect(self.value.get_ref().as_str(), "a text in quotes").map(str::to_owned)
    }

    pub(super) fn number(&self, range: std::ops::RangeInclusive<u64>) -> Option<u64> {
        let number = self.expect(self.value.get_ref().as_integer(), "a whole number")?;
        match u64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) if range.contains(&number) => Some(number),
            _ => {
                let (low, high) = (range.start(), range.end());
                let fits = match *high {
                    u64::MAX => format!("{low} or more"),
                    high if high == *low => format!("{low} here"),
                    high => format!("{low} to {high}"),
                };
                self.problem(format!("`{}` is a whole number: {fits}", self.what));
                None
            }
        }
    }

    pub(super) fn is_number(&self) -> bool {
        self.value.get_ref().is_integer()
    }

    pub(super) fn list(&self) -> Vec<Item<'a>> {
        let list = self.expect(self.value.get_ref().as_array(), "a list").into_iter().flatten();
        list.map(|value| Item { value, ..*self }).collect()
    }

    pub(super) fn table(&self, name: &'static str) -> Option<Section<'a>> {
        let table = self.expect(self.value.get_ref().as_table(), "a table")?;
        Some(Section::new(name, table, self.span(), self.problems))
    }

    /// Reads the value as one of some words.
    pub(super) fn word<T: Copy>(&self, words: &[(&str, T)]) -> Option<T> {
        let text = self.string()?;
        let found = words.iter().find(|(word, _)| *word == text).map(|&(_, value)| value);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
            let hint = did_you_mean(&text, known.iter().copied()).map_or_else(
                || format!("it is one of: {}", known.join(", ")),
                |word| format!("did you mean `{word}`?"),
            );
            self.problem(format!("`{}` cannot be `{text}`; {hint}", self.what));
        }
        found
    }
}

/// Turns a value into JSON.
fn json(value: &DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => {
            let text = number.as_str();
            let radix = number.radix();
            let signed = || i64::from_str_radix(text, radix).map(Value::from);
            u64::from_str_radix(text, radix)
                .map(Value::from)
                .or_else(|_| signed())
                .map_err(|_| "is too great")?
        }
        DeValue::Float(number) => {
            let float: f64 = number.as_str().parse().map_err(|_| "is no number")?;
            serde_json::Number::from_f64(float).map(Value::Number).ok_or("is no finite number")?
        }
        DeValue::Datetime(_) => return Err("is a date, which no setting is".to_owned()),
        DeValue::Array(list) => {
            Value::Array(list.iter().map(|v| json(v.get_ref())).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => {
            let pair =
                |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
                    Ok::<_, String>((key.get_ref().to_string(), json(value.get_ref())?))
                };
            Value::Object(table.iter().map(pair).collect::<Result<_, _>>()?)
        }
    })
}
