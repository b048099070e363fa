//! From the names of things, as the service places problems, to lines of files.

use files::{Document, Path, Problem, Step, tree};

use super::folder::Local;

/// A problem with what the service calls `place`: in the file that has it, or without a file if none does.
pub(super) fn problem(local: &Local, place: &str, message: &str) -> Problem {
    located(local, place, message)
        .unwrap_or_else(|| Problem::of_file("", format!("{place}: {message}")))
}

fn located(local: &Local, place: &str, message: &str) -> Option<Problem> {
    let (list, rest) = place.split_once('.')?;
    let project = &local.project;
    let (file, base, tail) = match list {
        "flags" => {
            let (key, tail) = named(project.flags.keys(), rest)?;
            let file = &project.flags[key].flag.file;
            (file, thing(file, list, key), of_flag(tail))
        }
        "segments" => {
            let (key, tail) = named(project.segments.keys(), rest)?;
            let file = &project.segments[key].file;
            (file, thing(file, list, key), field(tail))
        }
        "environments" => {
            let listed = project.environments.iter();
            let slugs = listed.clone().map(|one| &one.made.slug);
            let (slug, tail) = named(slugs, rest)?;
            let file = &listed.clone().find(|one| one.made.slug == *slug)?.file;
            let at = Path::root().key(slug.clone());
            (file, at, field(tail))
        }
        _ => return None,
    };
    let document = document(local, file)?;
    let base = match (list, base.steps()) {
        ("environments", [Step::Key(slug)]) => in_list(&document, slug)?,
        _ => base,
    };
    let inner = within(&tail, message);
    let path = base.steps().iter().cloned().chain(inner).collect();
    Some(document.problem(&path, message))
}

fn document(local: &Local, file: &str) -> Option<Document> {
    let file: &tree::File = local.files.iter().find(|one| one.name == file)?;
    file.parse().ok()
}

/// The name that a text begins with, the longest if there are several, and what follows its dot.
fn named<'a, 't>(
    names: impl Iterator<Item = &'a String>,
    text: &'t str,
) -> Option<(&'a String, &'t str)> {
    let fits = names.filter_map(|name| {
        let rest = text.strip_prefix(name.as_str())?;
        match rest.strip_prefix('.') {
            Some(tail) => Some((name, tail)),
            None => rest.is_empty().then_some((name, rest)),
        }
    });
    fits.max_by_key(|(name, _)| name.len())
}

/// Where a thing is in its file, which has a folder if it is the only one there.
fn thing(file: &str, list: &str, key: &str) -> Path {
    if file.contains('/') {
        Path::root()
    } else {
        Path::root().key(list).key(key)
    }
}

fn in_list(document: &Document, slug: &str) -> Option<Path> {
    let below = Path::root().key("environments");
    let at = document.get(&below).map_or_else(Path::root, |_| below);
    let list = document.get(&at)?.as_array()?;
    let place = list.iter().position(|one| one["slug"] == slug)?;
    Some(at.index(place))
}

fn field(tail: &str) -> Vec<Step> {
    match tail {
        "" => Vec::new(),
        field => vec![Step::Key(field.to_owned())],
    }
}

/// `states.production.rules`, as the file has it: below `environments`.
fn of_flag(tail: &str) -> Vec<Step> {
    let Some(state) = tail.strip_prefix("states.") else {
        return field(tail);
    };
    let (slug, rest) = state.split_once('.').unwrap_or((state, ""));
    let mut steps: Vec<_> = ["environments", slug]
        .map(|key| Step::Key(key.to_owned()))
        .into();
    steps.extend(field(rest));
    steps
}

/// The steps, and those further in that the message begins with: `rules[0].conditions[1]`.
fn within(steps: &[Step], message: &str) -> Vec<Step> {
    let words = message.split_whitespace().next().unwrap_or_default();
    let named: Path = words.parse().unwrap_or_default();
    let mut steps = steps.to_vec();
    if named.steps().len() > 1 && steps.last() == named.steps().first() {
        steps.pop();
        steps.extend(named.steps().iter().cloned());
    }
    steps
}
