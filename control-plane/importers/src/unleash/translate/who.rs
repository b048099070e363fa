//! What is said about whom percentages and splits reach.

use super::{candidate::Candidate, strategy::Stickiness};
use crate::plan::Remarks;

const WHO: &str = "which users a percentage reaches differs, since users are hashed in another way; the shares are the same";

/// Remarks on percentages and splits: which users they reach, and where the shares of several strategies together differ.
pub(super) fn say_who(candidates: &[Candidate], flag: &str, remarks: &mut Remarks) {
    let mut partial: Vec<&Candidate> = Vec::new();
    for candidate in candidates
        .iter()
        .filter(|candidate| candidate.understanding.percentage > 0)
    {
        let understanding = &candidate.understanding;
        if !understanding.is_partial() && !candidate.is_split() {
            continue;
        }
        remarks.approximate(WHO);
        match &understanding.dice.stickiness {
            Stickiness::Key => {}
            Stickiness::Random => remarks.approximate(format!(
                "{}: users are chosen at random with each evaluation there, and by their key here",
                candidate.place
            )),
            Stickiness::Attribute(name) => remarks.approximate(format!(
                "{}: users are chosen by {name} there, and by their key here",
                candidate.place
            )),
        }
        if understanding.is_partial()
            && understanding.dice.group != flag
            && understanding.dice.stickiness != Stickiness::Random
        {
            remarks.approximate(format!("{}: its groupId is not kept", candidate.place));
        }
        let independent = |earlier: &&&Candidate| {
            let dice = &earlier.understanding.dice;
            *dice != understanding.dice
                || dice.stickiness == Stickiness::Random
                || candidate.is_split()
        };
        if let Some(earlier) = partial.iter().find(independent) {
            remarks.approximate(format!(
                "{} and {} choose users independently there, and the same ones here: of users who meet both, another share is served",
                earlier.place, candidate.place
            ));
        }
        let is_new = |earlier: &&Candidate| earlier.understanding.dice != understanding.dice;
        if understanding.is_partial() && partial.len() < 2 && partial.iter().all(is_new) {
            // Two that differ are enough to find one that differs from whatever follows.
            partial.push(candidate);
        }
    }
}
