-- The bytes of a payload, so that pages and bounds of approval requests are worked out without reading payloads. Requests from
-- before have none: theirs are measured when they are listed.

ALTER TABLE approvals ADD COLUMN payload_bytes integer;
