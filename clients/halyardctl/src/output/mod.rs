//! What people and programs read: answers on standard output, messages on standard error.

mod escape;
mod table;
mod yaml;

use std::io::{self, ErrorKind, IsTerminal, Write};

use clap::ValueEnum;
use serde_json::Value;

use crate::{
    api::{Answer, Error},
    environment,
};

pub use escape::escape;
pub use table::{Column, cell};

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
    Yaml,
}

/// Writes answers in one format.
#[derive(Clone, Copy, Debug)]
pub struct Printer {
    format: Format,
    /// The width of the terminal, in columns; `None` where there is none.
    width: Option<u16>,
    colours: bool,
}

impl Printer {
    /// A printer for standard output as it is.
    #[must_use]
    pub fn new(format: Format) -> Self {
        let terminal = io::stdout().is_terminal();
        let width = terminal_size::terminal_size().map(|(width, _)| width.0);
        Self {
            format,
            width: width.filter(|_| terminal),
            colours: terminal && environment::text("NO_COLOR").is_none(),
        }
    }

    /// The format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Writes a list: the items in `data`, or the answer itself, a row each.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn list(&self, answer: &Value, columns: &[Column]) -> Result<(), Error> {
        let items = answer["data"].as_array().or_else(|| answer.as_array());
        let rows = items.into_iter().flatten();
        let rows = rows.map(|item| columns.iter().map(|column| column.of(item)).collect());
        self.table(answer, columns.iter().map(|column| column.title), rows)
    }

    /// Writes a table of rows, or the answer they are made of.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn table<'a>(
        &self,
        answer: &Value,
        titles: impl Iterator<Item = &'a str>,
        rows: impl Iterator<Item = Vec<String>>,
    ) -> Result<(), Error> {
        match self.format {
            Format::Table => write(&table::table(titles, rows, self.width, self.colours)),
            Format::Json | Format::Yaml => self.value(answer),
        }
    }

    /// Writes one thing, a line for each field.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn item(&self, answer: &Value) -> Result<(), Error> {
        match self.format {
            Format::Table => write(&table::fields(answer)),
            Format::Json | Format::Yaml => self.value(answer),
        }
    }

    /// Writes what a change answered: the thing in the formats for programs, a message in that for people.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn changed(&self, answer: &Answer, done: &str) -> Result<(), Error> {
        let value: Value = answer.json()?;
        if value["dry_run"] == true {
            return self.planned(&value);
        }
        match self.format {
            Format::Table => message(&escape(done)),
            Format::Json | Format::Yaml if value.is_null() => {}
            Format::Json | Format::Yaml => self.value(&value)?,
        }
        told_of_change(answer, &value);
        Ok(())
    }

    fn planned(&self, answer: &Value) -> Result<(), Error> {
        const COLUMNS: &[Column] = &[
            Column::new("FLAG", "/flag_key"),
            Column::new("SEGMENT", "/segment_key"),
            Column::new("ENV", "/env_slug"),
            Column::new("CHANGES", "/changed"),
            Column::new("BEFORE", "/before"),
            Column::new("AFTER", "/after"),
        ];
        if self.format != Format::Table {
            return self.value(answer);
        }
        let changes = answer["changes"].as_array().into_iter().flatten();
        let rows = changes.map(|change| COLUMNS.iter().map(|column| column.of(change)).collect());
        self.table(answer, COLUMNS.iter().map(|column| column.title), rows)?;
        message("nothing was changed (--dry-run)");
        Ok(())
    }

    /// Writes a value as JSON or YAML; as JSON also where tables are asked for.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn value(&self, value: &Value) -> Result<(), Error> {
        match self.format {
            Format::Yaml => write(&yaml::document(value)),
            Format::Json | Format::Table => {
                let text = serde_json::to_string_pretty(value);
                let text = text.map_err(|why| Error::while_doing("the answer", why))?;
                write(&format!("{}\n", escape::json(&text)))
            }
        }
    }
}

/// What a change's answer says besides: warnings, and which edges have it.
pub fn told_of_change(answer: &Answer, value: &Value) {
    for warning in value["warnings"].as_array().into_iter().flatten() {
        let text = match (warning["place"].as_str(), warning["message"].as_str()) {
            (Some(place), Some(text)) => format!("{place}: {text}"),
            _ => cell(warning),
        };
        message(&format!("warning: {}", escape(&text)));
    }
    let edges = [
        ("x-edges-acknowledged", "served by"),
        ("x-edges-lagging", "not yet served by"),
    ];
    for (header, words) in edges {
        if let Some(names) = answer.header(header).filter(|names| !names.is_empty()) {
            let names = escape(&names.replace(',', ", "));
            message(&format!("{words}: {names}"));
        }
    }
}

/// Writes to standard output. A reader that has gone is no mistake.
///
/// # Errors
/// When it cannot be written, such as to a full disk.
pub fn write(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            Err(Error::while_doing("standard output", why))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes text that is neither JSON nor ours.
///
/// # Errors
/// As [`write()`].
pub fn write_lines(text: &str) -> Result<(), Error> {
    write(&escape::lines(text))
}

/// Writes a line to standard error.
pub fn message(text: &str) {
    // There is nowhere else to tell that it failed.
    drop(writeln!(io::stderr(), "{text}"));
}
