/** The text of the dialog that creates a flag. */

export const newFlagWords = {
  created: (key: string, on: string | null) =>
    on === null ? `Created ${key}. It is off in every environment.` : `Created ${key}. It is on in ${on}.`,
  createdOff: (key: string, environment: string, why: string) =>
    `Created ${key}, but it is still off in ${environment}. ${why}`,
  firstValue: () => 'Default value',
  firstValueText: (type: string) =>
    type === 'boolean'
      ? 'Served when the flag is off or no rule matches.'
      : 'Served when the flag is off or no rule matches. Leave empty for the default of the type.',
  onAtOnce: () => 'Turn on now in',
  keyText: () => 'Your code uses this key. It cannot be changed later.',
  openExisting: (key: string) => `Open the flag ${key} instead`,
  tags: () => 'Tags',
  tagsText: () => 'Separate tags with commas.',
  typeText: () =>
    'An A/B flag serves its variants to users whom no rule matches. Add them in each environment.',
};
