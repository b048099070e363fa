//! The changes that an import would make.

use super::target::{Compared, Standing};
use crate::dry_run::model::{DryRun, PlannedChange};

impl Compared {
    /// Everything new, in the order in which it would be imported.
    pub fn dry_run(&self) -> DryRun {
        let environments = self.environments.iter();
        let environments = environments.filter(|(_, reused)| reused.is_none());
        let is_new = |standing: &Standing| *standing == Standing::New;
        let segments = self.segments.iter().filter(|(_, one)| is_new(one));
        let flags = self.flags.iter().filter(|(_, one)| is_new(one));
        let states = flags.clone().map(|(flag, _)| flag.made.states.len());
        let total = environments.clone().count()
            + segments.clone().count()
            + flags.clone().count()
            + states.sum::<usize>();

        let environments = environments.map(|(fit, _)| PlannedChange {
            env_slug: Some(fit.made.slug.clone()),
            ..PlannedChange::created(&fit.made)
        });
        let segments = segments.map(|(fit, _)| PlannedChange {
            segment_key: Some(fit.made.key.clone()),
            ..PlannedChange::created(&fit.made)
        });
        let flags = flags.flat_map(|(fit, _)| {
            let flag_key = Some(fit.made.flag.key.clone());
            let own = PlannedChange {
                flag_key: flag_key.clone(),
                ..PlannedChange::created(&fit.made.flag)
            };
            let states = fit.made.states.iter().map(move |(slug, state)| {
                let mut known = self.environments.iter();
                let known = known.find(|(fit, _)| fit.made.slug == *slug);
                PlannedChange {
                    flag_key: flag_key.clone(),
                    env_id: known.and_then(|(_, reused)| *reused),
                    env_slug: Some(slug.clone()),
                    ..PlannedChange::created(state)
                }
            });
            std::iter::once(own).chain(states)
        });
        DryRun::of(total, environments.chain(segments).chain(flags))
    }
}
