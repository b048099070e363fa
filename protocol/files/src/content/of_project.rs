//! The content of files.

use super::{Content, Environment, Flag, Segment, State};
use crate::project::{Project, Written, WrittenFlag, WrittenState};

/// Environments that no file lists are left out.
impl From<&Project> for Content {
    fn from(project: &Project) -> Self {
        let environments = project.environments.iter();
        let listed = environments.filter(|written| !written.file.is_empty());
        Self {
            environments: listed.map(environment).collect(),
            segments: project
                .segments
                .iter()
                .map(|(key, written)| (key.clone(), segment(written)))
                .collect(),
            flags: project
                .flags
                .iter()
                .map(|(key, written)| (key.clone(), flag(written)))
                .collect(),
        }
    }
}

fn environment(written: &Written<definition::environments::model::Environment>) -> Environment {
    let made = &written.made;
    Environment {
        slug: made.slug.clone(),
        name: made.name.clone(),
        color: made.color.clone(),
        protected: made.protected,
        required_approvals: made.required_approvals.into(),
    }
}

fn segment(written: &Written<definition::segments::model::Segment>) -> Segment {
    use definition::segments::model::MatchType;
    let made = &written.made;
    let match_type = match made.match_type {
        MatchType::All => "all",
        MatchType::Any => "any",
    };
    Segment {
        key: made.key.clone(),
        name: made.name.clone(),
        description: made.description.clone(),
        match_type: match_type.to_owned(),
        rules: made.rules.clone(),
    }
}

fn flag(written: &WrittenFlag) -> Flag {
    let made = &written.flag.made;
    let states = written.states.iter();
    Flag {
        key: made.key.clone(),
        name: made.name.clone(),
        description: made.description.clone(),
        flag_type: made.flag_type,
        default_value: made.default_value.clone(),
        tags: made.tags.clone(),
        prerequisites: made.prerequisites.clone(),
        mutual_exclusion_group: made.mutual_exclusion_group.clone(),
        permanent: made.permanent,
        archived: written.archived,
        states: states
            .map(|(slug, state)| (slug.clone(), of_state(state)))
            .collect(),
    }
}

fn of_state(written: &WrittenState) -> State {
    let made = &written.made;
    let mut rules = made.rules.clone();
    for place in &written.unnamed {
        rules[*place].id.clear();
    }
    State {
        enabled: made.enabled,
        default_value: made.default_value.clone(),
        rules,
        percentage_rollout: made.percentage_rollout.map(Into::into),
        variants: made.variants.clone(),
        bucketing: made.bucketing.clone(),
        scheduled_enable_at: made.scheduled_enable_at,
        scheduled_disable_at: made.scheduled_disable_at,
    }
}
