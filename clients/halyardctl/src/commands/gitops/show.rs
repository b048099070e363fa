//! Changes for people.

use super::{
    changes::{Action, Change, Changes, Kind, Thing},
    folder::Local,
};
use crate::{
    api::Error,
    output::{self, escape},
};

/// Writes what would change in each project.
pub(super) fn changes(all: &[(Local, Changes)]) -> Result<(), Error> {
    let mut text = String::new();
    for (place, (_, changes)) in all.iter().enumerate() {
        if all.len() > 1 {
            let between = if place > 0 { "\n" } else { "" };
            text.push_str(&format!("{between}project {}\n", escape(&changes.project)));
        }
        text.push_str(&of_project(changes));
    }
    output::write(&text)
}

/// The changes of a project: grouped by thing, states below their flag.
pub(super) fn of_project(changes: &Changes) -> String {
    let mut text = String::new();
    if let Some(name) = &changes.is_new {
        push(&mut text, 0, '+', &format!("project {name}"));
    }
    let mut last: Option<&Thing> = None;
    for change in &changes.list {
        let is_below = last.is_some_and(|last| last.key == change.thing.key);
        if change.thing.kind == Kind::State && !is_below {
            push(&mut text, 0, '~', &head(Kind::Flag, change));
        }
        of_change(&mut text, change);
        last = Some(&change.thing).filter(|thing| matches!(thing.kind, Kind::Flag | Kind::State));
    }
    if !changes.kept.is_empty() {
        let kept: Vec<_> = changes.kept.iter().map(name).collect();
        let kept = escape(&kept.join(", "));
        text.push_str(&format!(
            "not in the files, and left alone without --prune: {kept}\n"
        ));
    }
    if changes.is_empty() {
        text.push_str("nothing to change\n");
    } else {
        let [create, update, remove] = changes.counts();
        text.push_str(&format!(
            "{create} to create, {update} to change, {remove} to remove\n"
        ));
    }
    text
}

fn of_change(text: &mut String, change: &Change) {
    let sign = match change.action {
        Action::Create => '+',
        Action::Update => '~',
        Action::Remove => '-',
    };
    let mut indent = 0;
    if change.thing.kind == Kind::State {
        indent = 2;
        let slug = change.thing.environment.as_deref().unwrap_or_default();
        let approval = if change.needs_approval {
            " (needs approval)"
        } else {
            ""
        };
        push(text, indent, sign, &format!("{slug}{approval}"));
    } else {
        push(text, indent, sign, &head(change.thing.kind, change));
    }
    for sentence in &change.sentences {
        push(text, indent + 2, sentence.mark.sign(), &sentence.words);
    }
}

fn head(kind: Kind, change: &Change) -> String {
    let (kind, key) = (kind.name(), &change.thing.key);
    match change.file.as_str() {
        "" => format!("{kind} {key}"),
        file => format!("{kind} {key} ({file})"),
    }
}

/// A thing by its name.
fn name(thing: &Thing) -> String {
    let (kind, key) = (thing.kind.name(), &thing.key);
    match &thing.environment {
        None => format!("{kind} {key}"),
        Some(slug) => format!("{kind} of {key} in {slug}"),
    }
}

fn push(text: &mut String, indent: usize, sign: char, words: &str) {
    let words = escape(words);
    text.push_str(&format!("{:indent$}{sign} {words}\n", ""));
}
