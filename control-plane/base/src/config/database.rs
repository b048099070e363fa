//! The database: where it is, and how many connections requests have.

use std::num::NonZeroU32;

use secrecy::SecretString;
use serving::settings::Reader;

#[derive(Clone, Debug)]
pub struct DatabaseSettings {
    /// `DATABASE_URL`: Postgres 14 or newer.
    pub url: SecretString,
    /// `DATABASE_CONNECTIONS`: connections of requests, besides publishing, jobs, probes and look-ups; 4 to 1,000, default 20.
    pub connections: NonZeroU32,
    /// How many of these stay open while nothing uses them: half.
    pub idle_connections: u32,
    /// Connections for jobs and work left after an answer; deliveries of webhooks use three of them.
    pub work_connections: u32,
}

impl DatabaseSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        let url = super::database_url(reader);
        // Below the least, organizations and sign-ins have none each; no server takes more than the most.
        let [least, default, most] =
            [4, 20, 1_000].map(|number| NonZeroU32::new(number).expect("not zero"));
        let connections = reader.number("DATABASE_CONNECTIONS", default, least..=most);
        Self {
            url,
            connections,
            idle_connections: connections.get() / 2,
            work_connections: 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn connections(text: &str) -> Result<u32, String> {
        let pairs = [
            ("DATABASE_URL", "postgres://localhost/halyard"),
            ("DATABASE_CONNECTIONS", text),
        ];
        let source: BTreeMap<_, _> = pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let mut reader = Reader::new(&source);
        let settings = DatabaseSettings::load(&mut reader);
        reader.finish().map_err(|problems| problems.to_string())?;
        Ok(settings.connections.get())
    }

    #[test]
    fn requests_have_twenty_connections_or_as_many_as_can_be_shared() {
        assert_eq!(connections(""), Ok(20));
        assert_eq!(connections("4"), Ok(4));
        assert_eq!(connections("1000"), Ok(1_000));
        for text in ["0", "3", "1001", "many"] {
            let problems = connections(text).unwrap_err();
            assert!(
                problems.ends_with("must be a whole number from 4 to 1000"),
                "{problems}"
            );
        }
    }
}
