//! What the README shows is what is compiled.

#[test]
fn the_readme_shows_the_example() {
    let example = include_str!("../examples/first_flag.rs");
    let (_, shown) = example.split_once("from here …\n").expect("a beginning");
    let (shown, _) = shown.split_once("    // … to here").expect("an end");
    let shown = shown.replace("\n    ", "\n");
    let shown = shown.trim();
    assert!(shown.lines().count() <= 8, "short enough to be read");
    let readme = include_str!("../README.md");
    assert!(readme.contains(shown), "the README does not show:\n{shown}");
}
