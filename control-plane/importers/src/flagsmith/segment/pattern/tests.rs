use super::*;

fn text(python: &str) -> String {
    Pattern::translate(python).unwrap().text
}

#[test]
fn what_both_read_alike_stays_as_it_is() {
    for python in [
        "b",
        "^D",
        "[a-z]+",
        r"\d{2,3}?",
        "(?:a|b)*c",
        r"a\.b-c",
        "(?P<x>a)",
    ] {
        assert_eq!(text(python), format!("^(?:{python})"));
    }
}

#[test]
fn what_python_reads_otherwise_is_said_otherwise() {
    for (python, expected) in [
        ("a$", r"a\n?\z"),
        (r"a\Z", r"a\z"),
        (r"\w", r"[_\p{L}\p{N}]"),
        (r"[\w.]", r"[_\p{L}\p{N}.]"),
        (r"\S", r"[^\x1c-\x1f\s]"),
        ("a{2", r"a\{2"),
        ("a{,2}", "a{0,2}"),
        ("[[&~]", r"[\[\&\~]"),
        ("[]a]", r"[\]a]"),
        (r"\<", "<"),
    ] {
        assert_eq!(text(python), format!("^(?:{expected})"), "{python}");
    }
}

#[test]
fn what_only_python_has_is_refused() {
    for python in [
        "(?=a)",
        "(?!a)",
        "(?<=a)b",
        "(?>a)",
        "(a)\\1",
        "a*+",
        "a++",
        "(?#a)",
        "(?x)a",
        "\\N{DIGIT ONE}",
        "(",
        ")",
        "[a",
        "\\",
        "*",
        "[a--b]",
    ] {
        assert!(Pattern::translate(python).is_err(), "{python}");
    }
    assert!(Pattern::translate(&"(".repeat(10_000)).is_err());
}

#[test]
fn a_pattern_for_texts_has_a_letter_that_no_number_and_no_boolean_has() {
    for (python, expected) in [
        (".*@x", true),
        ("(@|x)", true),
        ("(@|a)", false),
        ("@?", false),
        ("@{0,2}", false),
        ("@{1,2}", true),
        ("[@]", false),
        ("true", false),
        ("", false),
        (r"\@", true),
    ] {
        assert_eq!(
            Pattern::translate(python).unwrap().is_for_texts,
            expected,
            "{python}"
        );
    }
}
