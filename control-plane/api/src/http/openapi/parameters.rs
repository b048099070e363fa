//! Meanings of path parameters, shared by all paths.

use super::examples::ID;
use serving::document::operations;
use utoipa::openapi::{
    OpenApi, RefOr,
    path::{ParameterBuilder, ParameterIn},
};

/// Name, meaning, and an example.
const MEANINGS: [(&str, &str, &str); 26] = [
    ("projectID", "The id or the slug of the project.", ID),
    (
        "envID",
        "The id of the environment, or its slug where the path names the project.",
        ID,
    ),
    ("flagKey", "The key or the id of the flag.", "new-checkout"),
    ("version", "A version of the flag's history.", "3"),
    ("segmentKey", "The key or the id of the segment.", "beta"),
    ("memberID", "The id of the membership, not of the user.", ID),
    ("approvalID", "The id of the approval request.", ID),
    ("changeSetID", "The id of the change set.", ID),
    ("grantID", "The id of the grant.", ID),
    ("questionID", "The id of the question.", ID),
    ("keyID", "The id of the API key.", ID),
    ("edgeName", "The name of the edge.", "fra-1"),
    ("webhookID", "The id of the webhook.", ID),
    ("deliveryID", "The id of the delivery.", ID),
    ("roleID", "The id of the role.", ID),
    ("sessionID", "The id of the session.", ID),
    ("providerID", "The id of the sign-in provider.", ID),
    ("domainID", "The id of the domain.", ID),
    ("tokenID", "The id of the SCIM token.", ID),
    ("accessTokenID", "The id of the access token.", ID),
    (
        "serviceAccountID",
        "The id of the service account, as a member.",
        ID,
    ),
    ("repositoryID", "The id of the repository.", ID),
    ("userID", "The id of the user.", ID),
    (
        "id",
        "The id of the import, or of the schema or type of resources.",
        ID,
    ),
    (
        "envKey",
        "The slug or the id of the API key's environment.",
        "production",
    ),
    ("key", "The key of the flag.", "new-checkout"),
];

/// Describes the parameters of paths that have no description of their own.
pub(super) fn describe(document: &mut OpenApi) {
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            for parameter in operation.parameters.iter_mut().flatten() {
                let RefOr::T(parameter) = parameter else {
                    continue;
                };
                let mut meanings = MEANINGS.into_iter();
                let meaning = meanings.find(|(name, ..)| *name == parameter.name);
                let (ParameterIn::Path, Some((_, says, example))) =
                    (&parameter.parameter_in, meaning)
                else {
                    continue;
                };
                if parameter.description.is_none() {
                    parameter.description = Some(says.to_owned());
                }
                *parameter = ParameterBuilder::from(parameter.clone())
                    .example(Some(example.into()))
                    .build();
            }
        }
    }
}
