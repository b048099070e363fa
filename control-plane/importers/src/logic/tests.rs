use super::*;

fn is(attribute: &str, value: &str) -> Expr {
    Expr::is(attribute, "in", [value])
}

/// `attribute operator values` of each condition.
fn shown(list: &List) -> String {
    let conditions = list.conditions.iter().map(|test| {
        let values = test.values.join(" | ");
        format!("{} {} {values}", test.attribute, test.operator)
    });
    let conditions: Vec<_> = conditions.collect();
    format!("{:?}: {}", list.match_type, conditions.join("; "))
}

fn lists(expr: Expr) -> Vec<String> {
    expr.lists().unwrap().iter().map(shown).collect()
}

#[test]
fn one_level_is_one_list() {
    let (de, at, pro) = (is("country", "DE"), is("country", "AT"), is("plan", "pro"));
    for (expr, expected) in [
        (Expr::always(), Some("All: key exists ")),
        (Expr::never(), Some("All: ")),
        (de.clone(), Some("All: country in DE")),
        (
            Expr::any([de.clone(), pro.clone()]),
            Some("Any: country in DE; plan in pro"),
        ),
        (
            Expr::all([Expr::any([de.clone(), at]), pro.clone()]),
            Some("All: country in DE | AT; plan in pro"),
        ),
        (
            Expr::all([Expr::any([de.clone(), pro.clone()]), is("beta", "true")]),
            None,
        ),
    ] {
        assert_eq!(expr.list().as_ref().map(shown).as_deref(), expected);
    }
}

#[test]
fn parts_that_are_always_or_never_met_disappear() {
    let (a, b) = (is("a", "1"), is("b", "2"));
    assert_eq!(Expr::all([Expr::always(), a.clone()]), a);
    assert_eq!(Expr::all([Expr::never(), a.clone()]), Expr::never());
    assert_eq!(Expr::any([Expr::never(), b.clone()]), b);
    assert_eq!(Expr::any([Expr::always(), b]), Expr::always());
}

#[test]
fn several_levels_become_several_lists() {
    let or_missing = |attribute: &str| Expr::any([is(attribute, "1"), Expr::missing(attribute)]);
    assert_eq!(
        lists(Expr::all([or_missing("a"), is("c", "3")])),
        ["All: a in 1; c in 3", "All: a neq ; c in 3"]
    );
    // An attribute is not missing and present.
    assert_eq!(
        lists(Expr::all([or_missing("a"), or_missing("a")])),
        ["Any: a in 1; a neq "]
    );
    let single = Expr::any([
        is("a", "1"),
        is("b", "2"),
        Expr::all([is("c", "3"), is("d", "4")]),
    ]);
    assert_eq!(
        lists(single),
        ["Any: a in 1; b in 2", "All: c in 3; d in 4"]
    );
    assert!(lists(Expr::never()).is_empty());
    assert_eq!(lists(Expr::always()), ["All: "]);
    let many = (0..7).map(|number| or_missing(&number.to_string()));
    assert!(Expr::all(many).lists().is_err());
    let long = (0..1_001).map(|number| is("a", &number.to_string()));
    assert!(Expr::all(long).lists().is_err());
}

#[test]
fn a_negation_also_holds_without_the_attribute() {
    let negated = |expr: Expr| {
        let mut remarks = Remarks::default();
        let expr = expr.not(&mut remarks)?;
        Ok::<_, String>((lists(expr), remarks.is_empty()))
    };
    let number = |operator| Expr::is("age", operator, ["5"]);
    for (expr, expected, is_exact) in [
        (is("a", "1"), "Any: a notIn 1; a neq ", true),
        (is(KEY, "1"), "All: key notIn 1", true),
        (Expr::present("a"), "All: a neq ", true),
        (Expr::missing("a"), "All: a exists ", true),
        (
            Expr::any([is("a", "1"), is("a", "2")]),
            "Any: a notIn 1 | 2; a neq ",
            true,
        ),
        (number("gt"), "Any: age lte 5; age neq ", false),
        (
            Expr::all([number("gte"), number("lte")]),
            "Any: age neq 5; age neq ",
            false,
        ),
    ] {
        assert_eq!(negated(expr), Ok((vec![expected.to_owned()], is_exact)));
    }
    assert_eq!(
        negated(Expr::is("a", "contains", ["b"])),
        Err("a negated `contains` has no counterpart".to_owned())
    );
}

#[test]
fn only_patterns_that_all_dialects_read_alike_are_exact() {
    for exact in ["^admin", r"@acme\.com", ".*@x", "v.+w", "ü@"] {
        assert_eq!(pattern(exact), Some(Pattern::Exact), "{exact}");
    }
    for dialect in [
        "", "a$", r"\d", "(?i)b", "[b]", "b?", "b|c", "true", "-1.5", r"\<b", "b{2}",
    ] {
        assert_eq!(pattern(dialect), Some(Pattern::Dialect), "{dialect}");
    }
    for unusable in ["(?=a)", r"(a)\1", "(", r"\w{1000}{1000}"] {
        assert_eq!(pattern(unusable), None, "{unusable}");
    }
}
