//! What building and examining a version found, as `agon check` shows it.

use std::io::{self, Write};

use agon_console::{BAD, CAUTION, DIM, GOOD};
use agon_ladder::api::{Examination, ExaminationStatus, Report};
use agon_text::{escape, escape_lines};

/// Prints a report.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn report(report: &Report, out: &mut impl Write) -> io::Result<()> {
    if !report.output.is_empty() {
        writeln!(out, "{DIM}the build wrote:{DIM:#}")?;
        indented(&report.output, "  ", out)?;
    }
    for examination in &report.examinations {
        print_line(examination, out)?;
    }
    Ok(())
}

fn print_line(examination: &Examination, out: &mut impl Write) -> io::Result<()> {
    let (style, status) = match examination.status {
        ExaminationStatus::Passed => (GOOD, "passed"),
        ExaminationStatus::Warning => (CAUTION, "warning"),
        ExaminationStatus::Failed => (BAD, "failed"),
        ExaminationStatus::NotApplicable => (DIM, "not applicable"),
    };
    let topic = escape(&examination.topic);
    let mut lines = examination.found.lines().map(escape);
    let first = lines.next().unwrap_or_default();
    writeln!(out, "{:>2}  {topic:<13}  {style}{status:<14}{style:#}  {first}", examination.number)?;
    for line in lines {
        writeln!(out, "    {line}")?;
    }
    if let Some(remedy) = &examination.remedy {
        writeln!(out, "    {DIM}remedy:{DIM:#} {}", escape(remedy))?;
    }
    if !examination.output.is_empty() {
        indented(&examination.output, "      ", out)?;
    }
    Ok(())
}

/// Prints a text of others, with a margin, so that nobody takes it for ours.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn indented(text: &str, margin: &str, out: &mut impl Write) -> io::Result<()> {
    let text = escape_lines(text.trim_end());
    text.split('\n').try_for_each(|line| writeln!(out, "{margin}{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_looks_like_that_of_check() {
        let examination = Examination {
            number: 3,
            topic: "first answer".to_owned(),
            status: ExaminationStatus::Failed,
            found: "it ended with exit code 1".to_owned(),
            output: "Traceback\n\u{1b}[2J  line 1\n".to_owned(),
            remedy: Some("start it".to_owned()),
        };
        let whole = Report {
            output: "cc: no".to_owned(),
            examinations: vec![examination],
            ..Report::default()
        };
        let mut out = Vec::new();
        report(&whole, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("  cc: no\n") && text.contains(" 3  first answer"), "{text}");
        assert!(text.contains("      Traceback\n      \\u001b[2J  line 1\n"), "{text}");
    }
}
