//! What the API does not show or cannot set up: statements on the control plane's database.

use sqlx::{Decode, Postgres, Type};

use crate::app::App;

impl App {
    /// Runs a statement with these texts as its parameters.
    ///
    /// # Panics
    /// When the database refuses it.
    pub async fn execute(&self, statement: &'static str, texts: &[&str]) {
        let mut query = sqlx::query(statement);
        for text in texts {
            query = query.bind(*text);
        }
        query.execute(self.pool()).await.expect(statement);
    }

    /// The one value that a query with these texts as its parameters gives.
    ///
    /// # Panics
    /// When the database refuses it, or there is no row.
    pub async fn value<T>(&self, query: &'static str, texts: &[&str]) -> T
    where
        T: for<'row> Decode<'row, Postgres> + Type<Postgres> + Send + Unpin,
    {
        let mut asked = sqlx::query_scalar(query);
        for text in texts {
            asked = asked.bind(*text);
        }
        asked.fetch_one(self.pool()).await.expect(query)
    }
}
