"use strict";

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#document",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  // Nothing is sent to a validator elsewhere.
  validatorUrl: null,
  // The page has no origin, and so no credentials to try anything with.
  supportedSubmitMethods: [],
});
