/** Text of the page about a deleted thing. */
import { dateTime, sentence } from '../../messages/format';
import { thing } from '../../messages/states';

/** An action of the audit trail in words: `flag.state_updated` is "state updated". */
function deed(action: string): string {
  return action.slice(action.indexOf('.') + 1).replaceAll('_', ' ');
}

export const goneWords = {
  goneTitle: (kind: string, key: string) => `There is no ${thing(kind)} “${key}”`,
  gone: () => `It may have been deleted, belong to another organization, or be spelled differently.`,
  deletedTitle: (kind: string, key: string) => `The ${thing(kind)} “${key}” was deleted`,
  trail: () => 'What happened to it',
  deed: (action: string) => sentence(deed(action)),
  by: (name: string | null) => name ?? 'The system',
  at: (iso: string) => dateTime(iso),
  noTrail: () => 'Your role may not read the audit trail, which says who deleted it.',
};
