//! The environments of a change.

use super::{Making, problems::Names};
use base::input::Slug;

const FIELDS: [&str; 5] = ["slug", "name", "color", "protected", "required_approvals"];

impl Making<'_> {
    pub(super) fn environments(&mut self) {
        let (given, removal, found) = (self.given, self.removal, self.found);
        let removed = removal.environments.as_deref().unwrap_or_default();
        let mut names = Names::new("environments", removed);
        for (number, env) in given.environments().iter().enumerate() {
            let problems = &mut self.problems;
            let slug = ("slug", env.slug.as_deref());
            let Some((place, slug)) = names.place(number, slug, problems) else {
                continue;
            };
            let Some(before) = found.environments.get(slug) else {
                let new = env.new_one();
                let made = Slug::parse(slug.to_owned()).and_then(|_| new.check(self.now));
                if let Some(made) = problems.keep(&place, &FIELDS, made) {
                    // What every new one has anybody may write down.
                    let guards = made.protected || made.required_approvals != 1;
                    self.plan.environments.new.push((made, guards));
                }
                continue;
            };
            let wish = env.patch(|_| true).and_then(|patch| patch.check());
            let Some(wish) = problems.keep(&place, &FIELDS, wish) else {
                continue;
            };
            let after = wish.apply(before);
            if after == *before {
                self.plan.unchanged += 1;
                continue;
            }
            let differs = |name: &str| match name {
                "name" => after.name != before.name,
                "color" => after.color != before.color,
                "protected" => after.protected != before.protected,
                _ => after.required_approvals != before.required_approvals,
            };
            let wish = env.patch(differs).and_then(|patch| patch.check());
            if let Some(wish) = problems.keep(&place, &FIELDS, wish) {
                self.plan.environments.changed.push((before.id, wish));
            }
        }
        let mut gone: Vec<_> = removed.iter().collect();
        gone.sort_unstable();
        gone.dedup();
        let gone = gone.iter().filter_map(|slug| found.environments.get(*slug));
        self.plan.environments.removed = gone.cloned().collect();
    }
}
