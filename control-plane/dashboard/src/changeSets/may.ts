/** Any one of them is enough to draft; what a change set does is checked part by part. */
const WRITES = [
  'flags.create',
  'flags.update',
  'flags.delete',
  'flags.toggle',
  'flags.edit_rules',
  'segments.write',
  'environments.create',
  'environments.delete',
];

/** Whether this person may draft change sets, and apply them. */
export function mayDraft(me: { permissions: readonly string[] }): boolean {
  return WRITES.some(key => me.permissions.includes(key));
}
