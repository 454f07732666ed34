//! A parameter and its possible values, as in `agon tune --param NAME=LOW..HIGH`.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// A number of a bot and its range.
///
/// Values are whole multiples of a unit, such as 0.01, so that they are printed in the form in
/// which they were typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// The least value, in units.
    low: i64,
    /// The greatest value, in units; the range is a multiple of the step.
    high: i64,
    /// The distance of two values, in units.
    step: i64,
    /// The number of decimals of a unit: 2 for 0.01.
    decimals: u32,
}

/// Text that is no parameter with a range.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseParamError {
    /// It has another form.
    #[error(
        "`{0}` is not of the form NAME=LOW..HIGH or NAME=LOW..HIGH:STEP, as in low=5..40 or \
         rate=0..1:0.05"
    )]
    Form(String),
    /// A bound or the step is no number.
    #[error(
        "`{number}` in `{text}` is not a number with at most 9 digits on either side of the point"
    )]
    Number {
        /// The given text.
        text: String,
        /// The part that is no number.
        number: String,
    },
    /// There are no values to choose from.
    #[error("the range of `{0}` is empty: give a lower bound that is less than the upper one")]
    Empty(String),
    /// Bounds with fractions, and no step.
    #[error("`{0}` has fractions: add a step, as in rate=0..1:0.05")]
    NoStep(String),
    /// The step does not lead from one bound to the other.
    #[error(
        "the step of `{0}` is not greater than 0, or does not lead from the lower bound to the \
         upper one"
    )]
    Step(String),
}

/// The most digits on either side of the point. Twice as many fit into 64 bits.
const MAX_DIGITS: usize = 9;

impl Param {
    /// Returns the number of values beside the first.
    pub fn steps(&self) -> i64 {
        (self.high - self.low) / self.step
    }

    /// Returns the value this many steps above the least, as text.
    pub fn text(&self, steps: i64) -> String {
        self.written(self.low + steps * self.step)
    }

    /// Returns how many steps a value is above the least, if it is a valid value.
    pub fn steps_of(&self, text: &str) -> Option<i64> {
        let above = units(text, self.decimals)? - self.low;
        (above >= 0 && above <= self.high - self.low && above % self.step == 0)
            .then_some(above / self.step)
    }

    /// Returns the mean of values as text, with one more decimal than a value has.
    pub fn mean_text(&self, steps: f64) -> String {
        let unit = 10i64.pow(self.decimals) as f64;
        let value = (self.low as f64 + steps * self.step as f64) / unit;
        format!("{value:.*}", self.decimals as usize + 1)
    }

    fn written(&self, units: i64) -> String {
        let unit = 10i64.pow(self.decimals);
        let whole = units.abs() / unit;
        let part = units.abs() % unit;
        let sign = if units < 0 { "-" } else { "" };
        match self.decimals as usize {
            0 => format!("{sign}{whole}"),
            decimals => format!("{sign}{whole}.{part:0decimals$}"),
        }
    }
}

/// Reads a number in units of this many decimals; `None` if it is no number, or finer.
fn units(text: &str, decimals: u32) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number =
        |text: &str| text.len() <= MAX_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) || digits.ends_with('.') {
        return None;
    }
    let missing = (decimals as usize).checked_sub(part.len())?;
    let units: i64 = format!("{whole}{part}{}", "0".repeat(missing)).parse().ok()?;
    Some(sign * units)
}

fn decimals_of(text: &str) -> u32 {
    text.split_once('.').map_or(0, |(_, part)| part.len() as u32)
}

impl FromStr for Param {
    type Err = ParseParamError;

    fn from_str(text: &str) -> Result<Param, ParseParamError> {
        let form = || ParseParamError::Form(text.to_owned());
        let (name, range) = text.split_once('=').ok_or_else(form)?;
        let (low, rest) = range.split_once("..").ok_or_else(form)?;
        let (high, step) =
            rest.split_once(':').map_or((rest, None), |(high, step)| (high, Some(step)));
        let name = name.trim();
        let low = low.trim();
        let high = high.trim();
        let step = step.map(str::trim);
        if name.is_empty() || name.contains(['{', '}', '&', '?', '=']) {
            return Err(form());
        }
        let texts = || [Some(low), Some(high), step].into_iter().flatten();
        let decimals = texts().map(decimals_of).max().unwrap_or(0);
        let number = |number: &str| {
            let error =
                || ParseParamError::Number { text: text.to_owned(), number: number.to_owned() };
            units(number, decimals)
                .filter(|_| decimals_of(number) <= MAX_DIGITS as u32)
                .ok_or_else(error)
        };
        let (low, high) = (number(low)?, number(high)?);
        if low >= high {
            return Err(ParseParamError::Empty(text.to_owned()));
        }
        let step = match step {
            Some(step) => number(step)?,
            None if decimals > 0 => return Err(ParseParamError::NoStep(text.to_owned())),
            None => 1,
        };
        if step <= 0 || (high - low) % step != 0 {
            return Err(ParseParamError::Step(text.to_owned()));
        }
        Ok(Param { name: name.to_owned(), low, high, step, decimals })
    }
}

/// Writes it in the form for typing, without a step of 1.
impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}..{}", self.name, self.written(self.low), self.written(self.high))?;
        if (self.step, self.decimals) == (1, 0) {
            Ok(())
        } else {
            write!(f, ":{}", self.written(self.step))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(text: &str) -> Param {
        text.parse().unwrap()
    }

    #[test]
    fn values_are_written_as_they_were_typed() {
        let low = param("low=5..40");
        assert_eq!((low.steps(), low.text(0), low.text(35)), (35, "5".into(), "40".into()));
        assert_eq!(
            (low.steps_of("12"), low.steps_of("41"), low.steps_of("5.5")),
            (Some(7), None, None)
        );
        assert_eq!(low.mean_text(7.25), "12.2");
        let rate = param("rate=-0.5..1:0.25");
        assert_eq!(
            (0..=6).map(|n| rate.text(n)).collect::<Vec<_>>().join(" "),
            "-0.50 -0.25 0.00 0.25 0.50 0.75 1.00"
        );
        assert_eq!(
            (rate.steps_of("-0.5"), rate.steps_of("0.3"), rate.steps_of("1")),
            (Some(0), None, Some(6))
        );
        assert_eq!(param("n=-10..-4:2").steps(), 3);
    }

    #[test]
    fn what_is_printed_is_the_same_parameter() {
        for text in ["low=5..40", "rate=-0.50..1.00:0.25", "n=-10..-4:2", "x=0.0..9.0:1.0"] {
            assert_eq!(param(text).to_string(), text);
            assert_eq!(param(&param(text).to_string()), param(text));
        }
    }

    #[test]
    fn errors_name_the_remedy() {
        let error = |text: &str| text.parse::<Param>().unwrap_err();
        for text in ["low", "low=5", "=1..2", "{low}=1..2"] {
            assert_eq!(error(text), ParseParamError::Form(text.into()));
        }
        assert_eq!(error("low=5..5"), ParseParamError::Empty("low=5..5".into()));
        assert_eq!(error("low=9..5"), ParseParamError::Empty("low=9..5".into()));
        assert_eq!(error("low=0..0.5"), ParseParamError::NoStep("low=0..0.5".into()));
        for text in ["low=0..10:0", "low=0..10:3", "low=0..10:-5"] {
            assert_eq!(error(text), ParseParamError::Step(text.into()));
        }
        for (text, number) in
            [("a=x..5", "x"), ("a=1..5.", "5."), ("a=1..12345678901", "12345678901")]
        {
            assert_eq!(
                error(text),
                ParseParamError::Number { text: text.into(), number: number.into() }
            );
        }
    }
}
