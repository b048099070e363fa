//! Signing in: the cost of hashing a password, and the lockout.

use std::time::Duration;

use argon2::Params;
use serving::settings::{
    Reader,
    spans::{DAY, SECOND},
};

#[derive(Clone, Debug)]
pub struct SignInSettings {
    /// `ARGON2_MEMORY_KIB`, `ARGON2_ITERATIONS`, `ARGON2_PARALLELISM`: memory, passes and lanes of argon2id; default
    /// 19456, 2, 1. Raised values apply to an account from its next login on.
    pub argon2: Params,
    pub lockout: LockoutSettings,
}

#[derive(Clone, Copy, Debug)]
pub struct LockoutSettings {
    /// `LOCKOUT_FAILURES`: consecutive failed logins that lock an address; default 10.
    pub failures: u32,
    /// `LOCKOUT_WINDOW`: the time within which they occur, and how long the lock lasts after the last of them; default
    /// `15m`.
    pub window: Duration,
}

impl SignInSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            argon2: argon2(reader),
            lockout: LockoutSettings::load(reader),
        }
    }
}

impl LockoutSettings {
    fn load(reader: &mut Reader<'_>) -> Self {
        let failures = reader.parse("LOCKOUT_FAILURES", 10);
        // Each failure is stored with its time.
        if !(1..=1_000).contains(&failures) {
            reader.problem("LOCKOUT_FAILURES", "must be between 1 and 1000");
        }
        let window = reader.duration(
            "LOCKOUT_WINDOW",
            Duration::from_secs(15 * 60),
            SECOND..=30 * DAY,
        );
        Self { failures, window }
    }
}

fn argon2(reader: &mut Reader<'_>) -> Params {
    let memory_kib = reader.parse("ARGON2_MEMORY_KIB", Params::DEFAULT_M_COST);
    let iterations = reader.parse("ARGON2_ITERATIONS", Params::DEFAULT_T_COST);
    let parallelism = reader.parse("ARGON2_PARALLELISM", Params::DEFAULT_P_COST);
    Params::new(memory_kib, iterations, parallelism, None).unwrap_or_else(|error| {
        reader.problem(
            "ARGON2_MEMORY_KIB",
            format!("cannot be used with ARGON2_ITERATIONS and ARGON2_PARALLELISM: {error}"),
        );
        Params::DEFAULT
    })
}
