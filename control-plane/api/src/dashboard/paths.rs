//! The paths that answer with the page, from the list of the dashboard's own router. Any other path is unknown here too.

/// The paths of the dashboard's router.
const PATHS: &str = include_str!("../../../dashboard/src/routes/paths.json");

/// Templates of the paths, as axum writes them.
///
/// # Panics
/// When the list is not a JSON array of strings, which a test checks.
pub fn templates() -> Vec<String> {
    serde_json::from_str(PATHS).expect("an array of texts")
}
