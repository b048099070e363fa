import { dateTime } from '../../messages/format';

/** Text of the page of one edge, and of the dialogs that add and revoke edges. */
export const edgePage = {
  back: () => 'All edges',
  absentTitle: (name: string) => `No edge named ${name}`,
  absent: () => 'It was revoked, its certificate ended, or it serves another data region.',
  connection: () => 'Connection',
  holds: () => 'What it holds',
  holdsLead: (connected: boolean) =>
    connected
      ? 'Your environments, with the version that it serves and the latest one.'
      : 'It is away. It answers from its last copy as long as it runs.',
  ofRelay: (relay: string) => `${relay} knows what this edge holds of each environment.`,
  nothingHeld: () => 'It holds none of your environments.',
  environment: () => 'Environment',
  serves: () => 'Serves',
  latest: () => 'Latest',
  behind: () => 'Behind',
  waves: () => 'Its last changes',
  noWaves: () => 'It has not been sent a change since the control plane started.',
  change: () => 'Change',
  took: () => 'Served after',
  notServed: () => 'Not served',
  atRelay: (relay: string) => `${relay} answers for this edge: its times count for both.`,
  revokeTitle: () => 'Revoke',
  revokeText: () =>
    'A revoked edge receives no more changes, and keeps answering from its copy until you stop it. Take it out of the traffic first.',
  revoke: () => 'Revoke this edge',
  revokeConfirm: (name: string) => `Revoke ${name}?`,
  revokeButton: () => 'Revoke',
  revoked: (name: string) => `${name} is revoked. Stop it, and delete its folder.`,
  revokeAsk: () => 'Only an operator of this service can revoke an edge. Send them this command:',
  commandLabel: () => 'Command',
  copyCommand: () => 'Copy the command',
  builtIn: () => 'This edge is part of the control plane. It cannot be revoked.',

  addTitle: () => 'Add an edge',
  addText: () => 'The edge joins with a certificate of its own, which it renews.',
  name: () => 'Name',
  nameText: () => 'Letters, digits, dots and hyphens, such as fra-1.',
  region: () => 'Data region',
  regionText: () => 'The edge holds only organizations of this region.',
  allRegions: () => 'All regions',
  add: () => 'Create the certificate',
  addAsk: () =>
    'Only an operator of this service can issue the certificate. Send them this command, to run where the control plane runs:',
  filesTitle: (name: string) => `Files for ${name}`,
  filesText: (name: string) =>
    `Save the three files in a folder named ${name} on the edge's machine. The key is shown once.`,
  download: (file: string) => `Download ${file}`,
  until: (iso: string) => `The certificate ends on ${dateTime(iso)}; the edge renews it before.`,
  startTitle: () => 'Start it',
  startText: () => 'Run this next to the folder.',
  waiting: (name: string) => `Waiting for ${name} to join`,
  joined: (name: string) => `${name} has joined`,
  saved: () => "I've saved the files",
  done: () => 'Done',
  close: () => 'Close',
};
