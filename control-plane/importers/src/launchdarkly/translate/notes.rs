//! Differences, with the places that they concern. What is the same in several places is said once, with all of them.

use std::collections::HashMap;

use crate::plan::{Fidelity, Remarks, copies::Weight};

/// A part of a flag's configuration, or of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Place {
    Whole,
    Targets,
    /// Counted from 1.
    Rule(usize),
    Fallthrough,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) fidelity: Fidelity,
    pub(super) text: String,
}

impl Weight for Note {
    fn weight(&self) -> usize {
        self.text.weight()
    }
}

impl Note {
    pub(super) fn approximate(text: impl Into<String>) -> Self {
        Self {
            fidelity: Fidelity::Approximated,
            text: text.into(),
        }
    }

    pub(super) fn drop(text: impl Into<String>) -> Self {
        Self {
            fidelity: Fidelity::Dropped,
            text: text.into(),
        }
    }
}

/// An environment, and what of it a difference concerns.
type Concerned = (String, Vec<Place>);

/// The differences of one item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes(Vec<(String, Place, Note)>);

impl Notes {
    /// An empty `environment`: all of them are concerned alike.
    pub(super) fn add(&mut self, environment: &str, place: Place, note: Note) {
        self.0.push((environment.to_owned(), place, note));
    }

    /// What is said, wherever.
    pub(super) fn notes(&self) -> impl Iterator<Item = &Note> {
        self.0.iter().map(|(_, _, note)| note)
    }

    /// One remark for each text, in the order in which they were first made.
    pub(super) fn into_remarks(self) -> Remarks {
        let mut order: Vec<(Note, Vec<Concerned>)> = Vec::new();
        let mut known: HashMap<(bool, String), usize> = HashMap::new();
        for (environment, place, note) in self.0 {
            let key = (note.fidelity == Fidelity::Dropped, note.text.clone());
            let index = *known.entry(key).or_insert_with(|| {
                order.push((note, Vec::new()));
                order.len() - 1
            });
            let concerned = &mut order[index].1;
            match concerned.last_mut() {
                Some((last, places)) if *last == environment => {
                    if places.last() != Some(&place) {
                        places.push(place);
                    }
                }
                _ => concerned.push((environment, vec![place])),
            }
        }
        let mut remarks = Remarks::default();
        for (note, concerned) in order {
            let text = format!("{}{}", places(concerned), note.text);
            match note.fidelity {
                Fidelity::Approximated => remarks.approximate(text),
                Fidelity::Dropped => remarks.drop(text),
            }
        }
        remarks
    }
}

/// `production and test, rule 3: `; environments with different places are apart from each other.
fn places(concerned: Vec<(String, Vec<Place>)>) -> String {
    let mut groups: Vec<(Vec<Place>, Vec<String>)> = Vec::new();
    for (environment, places) in concerned {
        match groups.iter_mut().find(|(same, _)| *same == places) {
            Some((_, environments)) => environments.push(environment),
            None => groups.push((places, vec![environment])),
        }
    }
    let said: Vec<String> = groups
        .into_iter()
        .filter_map(|(places, mut environments)| {
            environments.retain(|environment| !environment.is_empty());
            let parts = [listed(&environments), named(&places)];
            let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            (!parts.is_empty()).then(|| parts.join(", "))
        })
        .collect();
    if said.is_empty() {
        String::new()
    } else {
        format!("{}: ", said.join("; "))
    }
}

fn named(places: &[Place]) -> String {
    let rules: Vec<String> = places
        .iter()
        .filter_map(|place| match place {
            Place::Rule(number) => Some(number.to_string()),
            Place::Whole | Place::Targets | Place::Fallthrough => None,
        })
        .collect();
    let mut names = Vec::new();
    if places.contains(&Place::Targets) {
        names.push("targets".to_owned());
    }
    match rules.as_slice() {
        [] => {}
        [only] => names.push(format!("rule {only}")),
        several => names.push(format!("rules {}", listed(several))),
    }
    if places.contains(&Place::Fallthrough) {
        names.push("default rule".to_owned());
    }
    listed(&names)
}

/// `a, b and c`.
pub(super) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(notes: Notes) -> Vec<String> {
        let remarks = notes.into_remarks();
        remarks.iter().map(|remark| remark.text.clone()).collect()
    }

    #[test]
    fn a_difference_is_said_once_with_all_its_places() {
        let mut notes = Notes::default();
        for environment in ["production", "test"] {
            for rule in [1, 2, 2, 4] {
                notes.add(
                    environment,
                    Place::Rule(rule),
                    Note::approximate("it differs"),
                );
            }
        }
        notes.add("dev", Place::Fallthrough, Note::approximate("it differs"));
        notes.add("dev", Place::Fallthrough, Note::drop("it differs"));
        notes.add("", Place::Whole, Note::approximate("everywhere"));
        notes.add("dev", Place::Whole, Note::approximate("here"));
        assert_eq!(
            texts(notes),
            [
                "production and test, rules 1, 2 and 4; dev, default rule: it differs",
                "dev, default rule: it differs",
                "everywhere",
                "dev: here",
            ]
        );
    }
}
