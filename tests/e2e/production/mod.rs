//! `docs/production.md`, followed by [`settings`] and [`walk`]. What they leave out is followed by `upgrade/`, `rewind/`, `proxies/`,
//! `deploy/container/test.py` and `deploy/helm/check.py`.

mod machine;
mod settings;
mod walk;

const PAGE: &str = include_str!("../../../docs/production.md");

/// The block of the page that begins with this.
fn block(language: &str, beginning: &str) -> &'static str {
    let fence = format!("```{language}\n");
    let mut blocks = PAGE
        .match_indices(&fence)
        .filter_map(|(at, _)| PAGE[at + fence.len()..].split("```").next());
    let found = blocks.find(|block| block.starts_with(beginning));
    found.unwrap_or_else(|| panic!("the page has no block that begins with {beginning}"))
}

/// The page's block of settings.
fn settings_of_the_page() -> &'static str {
    block("sh", "# Refuses insecure defaults.\nAPP_ENV=")
}
