//! Discovery documents (RFC 7643, 5 to 7). Only supported features are announced.

use serde_json::{Value, json};

pub const USER: &str = "urn:ietf:params:scim:schemas:core:2.0:User";

/// Users of a list page.
pub const MAX_RESULTS: i64 = 100;

const SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:Schema";
const RESOURCE_TYPE: &str = "urn:ietf:params:scim:schemas:core:2.0:ResourceType";
const CONFIG: &str = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig";
const LIST: &str = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

/// Supported and unsupported features.
pub fn service_provider_config(base: &str) -> Value {
    json!({
        "schemas": [CONFIG],
        "patch": {"supported": true},
        "bulk": {"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": true, "maxResults": MAX_RESULTS},
        "changePassword": {"supported": false},
        "sort": {"supported": false},
        "etag": {"supported": false},
        "authenticationSchemes": [{
            "type": "oauthbearertoken",
            "name": "Bearer token",
            "description": "A SCIM token of the organization in the header Authorization",
            "specUri": "https://www.rfc-editor.org/info/rfc6750",
            "primary": true,
        }],
        "meta": {"resourceType": "ServiceProviderConfig", "location": format!("{base}/v1/scim/ServiceProviderConfig")},
    })
}

/// The only type of resources.
pub fn user_type(base: &str) -> Value {
    json!({
        "schemas": [RESOURCE_TYPE],
        "id": "User",
        "name": "User",
        "description": "Members of the organization, and those who were",
        "endpoint": "/Users",
        "schema": USER,
        "meta": {"resourceType": "ResourceType", "location": format!("{base}/v1/scim/ResourceTypes/User")},
    })
}

pub fn user_schema(base: &str) -> Value {
    let text = |name, description| attribute(name, "string", description);
    let mut user_name = text(
        "userName",
        "What the user is called by, unique in the organization",
    );
    user_name["required"] = true.into();
    user_name["uniqueness"] = "server".into();
    let mut external_id = text("externalId", "The identity provider's own id of the user");
    external_id["caseExact"] = false.into();
    let mut name = attribute("name", "complex", "The name of the person");
    name["subAttributes"] = json!([
        text("formatted", "In one piece"),
        text("givenName", "The given name"),
        text("familyName", "The family name"),
    ]);
    let mut value = text("value", "The address");
    value["required"] = true.into();
    let mut kind = text("type", "What the address is for");
    kind["canonicalValues"] = json!(["work", "home", "other"]);
    let primary = attribute(
        "primary",
        "boolean",
        "Whether the account has this address; at most one is primary",
    );
    let mut emails = attribute("emails", "complex", "E-mail addresses of the user");
    emails["multiValued"] = true.into();
    emails["subAttributes"] = json!([value, kind, primary]);
    let mut active = attribute(
        "active",
        "boolean",
        "Whether the user is a member of the organization",
    );
    active["required"] = true.into();
    json!({
        "schemas": [SCHEMA],
        "id": USER,
        "name": "User",
        "description": "A member of the organization, or somebody who was one",
        "attributes": [user_name, external_id, name, emails, active],
        "meta": {"resourceType": "Schema", "location": format!("{base}/v1/scim/Schemas/{USER}")},
    })
}

/// A list response (RFC 7644, 3.4.2). `start_index` counts from 1.
pub fn list(total: i64, start_index: i64, resources: Vec<Value>) -> Value {
    json!({
        "schemas": [LIST],
        "totalResults": total,
        "startIndex": start_index,
        "itemsPerPage": resources.len(),
        "Resources": resources,
    })
}

/// An optional, writable attribute.
fn attribute(name: &str, kind: &str, description: &str) -> Value {
    let mut attribute = json!({
        "name": name,
        "type": kind,
        "multiValued": false,
        "description": description,
        "required": false,
        "mutability": "readWrite",
        "returned": "default",
        "uniqueness": "none",
    });
    if kind == "string" {
        attribute["caseExact"] = false.into();
    }
    attribute
}
