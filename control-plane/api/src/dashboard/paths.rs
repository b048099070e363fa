//! The paths that answer with the page: those that its own router knows, from the same list. Any other is unknown here too.

/// The list that the dashboard's router is made of.
const PATHS: &str = include_str!("../../../dashboard/src/routes/paths.json");

/// Templates of the paths, as axum writes them.
///
/// # Panics
/// When the list is no JSON array of texts, which a test would have seen.
pub fn templates() -> Vec<String> {
    serde_json::from_str(PATHS).expect("an array of texts")
}
