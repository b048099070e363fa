/** Halyard's flags in a page: what was last known at once, then what is, then each change. */
export { createClient } from './client.js';
export type {
  Client,
  Context,
  Detail,
  Events,
  FlagError,
  Json,
  Kept,
  Options,
  ProblemCode,
  Status,
  Timing,
} from './types.js';
export { Problem } from './types.js';
