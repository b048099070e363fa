//! What the person who imports chose.

use std::collections::{BTreeMap, HashMap};

use super::slug;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Slugs here by the keys or names of environments there. Others keep their own as slugs.
    pub environments: BTreeMap<String, String>,
    pub buckets: Buckets,
}

/// Which users percentages reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Buckets {
    /// Those of Halyard's own buckets: the shares are the same.
    #[default]
    Own,
    /// The same as at the source, where a state can draw as it does.
    Keep,
}

impl Choices {
    /// The slug that an environment of the source gets.
    pub fn slug_of(&self, source: &str) -> String {
        let chosen = self.environments.get(source);
        chosen.cloned().unwrap_or_else(|| slug(source))
    }

    /// Says what is wrong where the source has no such environment, or where two of its environments would be one here.
    pub fn check<'a>(&self, sources: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
        let mut left: BTreeMap<&str, &str> = self
            .environments
            .iter()
            .map(|(source, slug)| (source.as_str(), slug.as_str()))
            .collect();
        let mut chosen: HashMap<&str, &str> = HashMap::new();
        let mut own: HashMap<String, &str> = HashMap::new();
        for source in sources {
            match left.remove_entry(source) {
                Some((source, slug)) => drop(chosen.insert(slug, source)),
                None if self.environments.contains_key(source) => {}
                None => drop(own.insert(slug(source), source)),
            }
        }
        if let Some((unknown, _)) = left.first_key_value() {
            return Err(format!("environments: the source has no {unknown:?}"));
        }
        let mut chosen: Vec<_> = chosen.into_iter().collect();
        chosen.sort_unstable();
        for (slug, source) in chosen {
            if let Some(other) = own.get(slug) {
                return Err(format!(
                    "environments: {source:?} and {other:?} would both become {slug}"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(environments: &[(&str, &str)]) -> Choices {
        let environments = environments.iter();
        Choices {
            environments: environments
                .map(|(source, slug)| ((*source).to_owned(), (*slug).to_owned()))
                .collect(),
            ..Choices::default()
        }
    }

    #[test]
    fn environments_that_are_not_chosen_keep_their_own_slug() {
        let choices = choices(&[("development", "dev")]);
        assert_eq!(choices.slug_of("development"), "dev");
        assert_eq!(choices.slug_of("QA Europe"), "qa-europe");
    }

    #[test]
    fn an_environment_that_the_source_lacks_is_named() {
        let said = choices(&[("a", "dev"), ("develop", "dev-2")]).check(["a", "b"]);
        assert_eq!(
            said.unwrap_err(),
            "environments: the source has no \"develop\""
        );
    }

    #[test]
    fn two_environments_do_not_become_one() {
        let choices = choices(&[("development", "dev")]);
        let said = choices.check(["Dev", "development"]);
        assert_eq!(
            said.unwrap_err(),
            "environments: \"development\" and \"Dev\" would both become dev"
        );
        assert_eq!(choices.check(["development", "production"]), Ok(()));
    }

    #[test]
    fn slugs_can_change_places() {
        let choices = choices(&[("a", "b"), ("b", "a")]);
        assert_eq!(choices.check(["a", "b"]), Ok(()));
    }
}
