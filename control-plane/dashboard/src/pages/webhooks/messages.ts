import { ago, dateTime, list, number, plural } from '../../messages/format';
import type { Delivery, Format } from './queries';
import type { SnippetId } from './snippets';

const FORMATS: Record<Format, string> = {
  json: 'JSON, the whole event',
  slack: 'Slack message',
  discord: 'Discord message',
  teams: 'Microsoft Teams card',
};

const FORMAT_TEXTS: Record<Format, string> = {
  json: 'For your own services. Every field of the event, signed with a secret.',
  slack: 'Use the address of an incoming webhook in Slack.',
  discord: 'Use the address of a webhook in the settings of a Discord channel.',
  teams: 'Use the address of a Teams workflow that posts to a channel when a webhook request is received.',
};

const AREAS: Record<string, string> = {
  flag: 'Flags',
  approval: 'Approvals',
  change_set: 'Change sets',
  grant: 'Grants',
  segment: 'Segments',
  environment: 'Environments',
  api_key: 'API keys',
  project: 'Projects',
  member: 'Members',
};

const LANGUAGES: Record<SnippetId, string> = { node: 'Node.js', python: 'Python' };

function area(name: string): string {
  return AREAS[name] ?? name;
}

function eventName(event: string): string {
  return event.endsWith('.*') ? `all events of ${area(event.slice(0, -2))}` : event;
}

export const webhooks = {
  title: () => 'Webhooks',
  lead: () =>
    'A webhook posts to an address of yours when something changes: to a chat channel, or to your own service.',
  create: () => 'Create a webhook',
  table: () => 'Webhooks of this organization',
  webhook: () => 'Webhook',
  events: () => 'Events',
  status: () => 'Status',
  changed: () => 'Changed',
  ago: (iso: string, now: number) => ago(iso, now),
  enabled: () => 'Enabled',
  paused: () => 'Paused',
  emptyTitle: () => 'No webhooks yet',
  empty: () =>
    'Get a message in Slack, Discord or Teams when someone kills a flag, or let your own service react to changes.',
  everything: () => 'All events',
  everyName: (events: readonly string[]) => list(events.map(eventName)),
  chosen: (events: readonly string[]) =>
    events.length > 3 ? plural(events.length, 'event', 'events') : list(events.map(eventName)),

  nameText: () => 'For example “Deployments channel”.',
  url: () => 'URL',
  urlText: () => 'A public http or https address. Private addresses and localhost are refused.',
  format: () => 'Format',
  formatName: (format: Format) => FORMATS[format],
  formatText: (format: Format) => FORMAT_TEXTS[format],
  which: () => 'Send',
  allEvents: () => 'All events',
  allEventsText: () => 'Including types added in later versions.',
  someEvents: () => 'Selected events',
  someEventsText: () => 'Choose areas or single types.',
  areaName: (name: string) => area(name),
  areaAll: (name: string) => `All events of ${area(name)}`,
  chooseOne: () => 'Select at least one event.',
  signing: () => 'Signature',
  signingChoice: (choice: string) =>
    choice === 'new' ? 'Generate a secret' : choice === 'own' ? 'Use my own secret' : 'Do not sign',
  signingText: (choice: string) =>
    choice === 'new'
      ? 'Recommended. The secret is shown once, after this step.'
      : choice === 'own'
        ? 'At most 255 characters.'
        : 'Chat tools do not check signatures. Your own service should.',
  secret: () => 'Secret',
  secretMissing: () => 'Enter a secret, or let one be generated.',
  created: (name: string) => `${name} is created. It gets events from now on.`,
  save: () => 'Save',
  saved: (name: string) => `${name} is saved.`,
  field: (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value)),
  seePlans: () => 'See plans',

  secretTitle: () => 'Copy the secret now',
  secretOnce: () => 'It is shown only once. If you lose it, replace it by a new one.',
  copySecret: () => 'Copy the secret',
  secretKept: () => "I've saved it",

  back: () => 'All webhooks',
  details: () => 'Settings',
  edit: () => 'Edit',
  editTitle: (name: string) => `Edit ${name}`,
  pause: () => 'Pause',
  resume: () => 'Enable',
  isPaused: (name: string) => `${name} is paused. Events are not kept for it.`,
  isEnabled: (name: string) => `${name} is enabled. It gets events from now on.`,
  pausedText: () => 'It is paused: it gets nothing, and events that happen now are not sent later.',
  delete: () => 'Delete',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: () =>
    'Events that wait for it are dropped, and its list of deliveries is deleted. This cannot be undone.',
  deleteConfirm: () => 'Delete the webhook',
  deleted: (name: string) => `${name} is deleted.`,
  createdAt: () => 'Created',
  at: (iso: string) => dateTime(iso),
  signed: () => 'Signed with a secret',
  unsigned: () => 'Not signed',

  test: () => 'Send a test',
  testing: () => 'Sending a test. A receiver that fails is tried three times, which takes about 15 seconds.',
  testGood: (status: number, took: number | null) =>
    took === null
      ? `The test arrived: the receiver answered ${status}.`
      : `The test arrived: the receiver answered ${status} in ${number(took)} ms.`,
  testBad: (reason: string) => `The test failed: ${reason}.`,
  testShow: () => 'Show the delivery',

  deliveries: () => 'Deliveries',
  deliveriesLead: () => 'The last 50. Each is tried three times, and events arrive in order.',
  deliveriesTable: () => 'Deliveries of this webhook',
  noDeliveries: () => 'Nothing was sent yet. Send a test to see the first delivery.',
  result: () => 'Result',
  event: () => 'Event',
  time: () => 'Time',
  attempts: () => 'Attempts',
  answer: () => 'Answer',
  attemptCount: (count: number | null) => (count === null ? '–' : number(count)),
  delivered: () => 'Delivered',
  failed: () => 'Failed',
  dropped: () => 'Not sent',
  statusOf: ({ response_status, error }: Delivery) =>
    response_status > 0 ? number(response_status) : (error ?? 'no answer'),
  took: (ms: number) => `${number(ms)} ms`,
  open: () => 'Details',
  openOf: (event: string, iso: string) => `Details of ${event}, ${dateTime(iso)}`,
  again: () => 'Send again',
  againOf: (event: string, iso: string) => `Send again: ${event}, ${dateTime(iso)}`,
  queued: () => 'It is sent again, and appears here when it has ended.',
  allAgain: (failed: number) => `Send ${plural(failed, 'failed delivery', 'failed deliveries')} again`,
  allQueued: (count: number) =>
    count === 0
      ? 'There is nothing to send again: it was repeated already, or its body is no longer kept.'
      : `${plural(count, 'delivery is', 'deliveries are')} sent again.`,

  deliveryTitle: (event: string) => `Delivery of ${event}`,
  id: () => 'Delivery',
  repeats: () => 'Repeats',
  error: () => 'Error',
  duration: () => 'Duration',
  body: () => 'Body sent',
  noBody: () => 'The body is no longer kept, so it cannot be shown or sent again.',
  response: () => 'Answer of the receiver',
  noResponse: () =>
    'It had no content, or the receiver has a private address: answers of those are not shown.',
  copyBody: () => 'Copy the body',

  signature: () => 'Verify the signature',
  signatureText: () =>
    'Each delivery has the header X-Service-Signature-V2: the time (t), the id of the delivery (id), and the HMAC-SHA256 (v1) of time, id and body with your secret. Verify it before you parse the body, reject anything older than five minutes, and reject an id that you have seen before.',
  signatureHeader: () => 'Header',
  signatureOld: () =>
    'X-Service-Signature has the HMAC-SHA256 of the body alone. It never expires, so prefer the other one.',
  unsignedText: () =>
    'Deliveries of this webhook are not signed, so a receiver cannot tell who sent them. Add a secret for your own services.',
  language: () => 'Language',
  languageName: (id: SnippetId) => LANGUAGES[id],
  program: () => 'Program that verifies a delivery',
  copyProgram: () => 'Copy the program',
  addSecret: () => 'Add a secret',
  replaceSecret: () => 'Replace the secret',
  removeSecret: () => 'Remove the secret',
  addText: () => 'A secret is generated and shown once. Deliveries are signed with it from now on.',
  replaceTitle: () => 'Replace the secret?',
  replaceText: () =>
    'A new secret is generated, and deliveries are signed with it right away. Receivers that verify with the old one refuse them until you change it there.',
  removeTitle: () => 'Remove the secret?',
  removeText: () => 'Deliveries are no longer signed. Receivers that verify them will refuse them.',
  removed: () => 'Deliveries are no longer signed.',
};
