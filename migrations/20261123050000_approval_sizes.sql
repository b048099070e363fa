-- The bytes of a payload, so that pages and bounds of approval requests are worked out without reading payloads.

ALTER TABLE approvals ADD COLUMN payload_bytes integer NOT NULL;
