//! Who asks: half of them are in one country, and a third have the plan.

/// How many there are.
pub const USERS: usize = 64;
/// Those whom both conditions admit.
pub const ADMITTED: usize = 11;
/// The countries that the flag is for.
pub const COUNTRIES: [&str; 3] = ["DE", "FR", "PL"];
/// The plan that it is for.
pub const PLAN: &str = "pro";

/// Somebody.
pub struct User {
    pub key: String,
    pub country: &'static str,
    pub plan: &'static str,
    pub email: String,
}

/// All of them, by number.
pub fn users() -> impl Iterator<Item = User> {
    (0..USERS).map(|number| User {
        key: format!("user-{number}"),
        country: ["DE", "US"][number % 2],
        plan: [PLAN, "free", "enterprise"][number % 3],
        email: format!("user{number}@team{}.test", number % 20),
    })
}

/// The key of a flag.
pub fn key_of(number: usize) -> String {
    format!("flag-{number:05}")
}
