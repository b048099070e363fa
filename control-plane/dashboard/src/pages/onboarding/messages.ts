import { plural } from '../../messages/format';

const LANGUAGES: Record<string, string> = {
  curl: 'Shell, with curl',
  node: 'JavaScript, server',
  python: 'Python, server',
  web: 'JavaScript, browser',
  react: 'React',
};

export const onboarding = {
  title: () => 'Get started',
  lead: () => 'Your own code calls its first flag in about a minute.',
  stepDone: () => 'done',
  stepOpen: () => 'open',
  flagTitle: () => 'Create a flag',
  flagText: (key: string, environment: string) =>
    `Creates the flag ${key}. You use it in the environment ${environment}.`,
  createFlag: (key: string) => `Create ${key}`,
  mayNotCreate: () => 'You can view flags, not create them. Ask a developer or an admin to create it.',
  flagThere: (key: string) => `${key} is created.`,
  keyTitle: () => 'Create an API key',
  keyText: () =>
    'Your code uses it to read flags. It is shown on this page until you leave it, and you can revoke it at any time.',
  createKey: () => 'Create a key',
  keyEarlier: (prefix: string) =>
    `You created the key ${prefix}… earlier. Its text cannot be shown again. If you did not save it, replace it: the old key then stops working.`,
  replaceKey: () => 'Replace the key',
  keyMade: () => 'The key is created and filled in below.',
  keyName: () => 'Get started',
  key: () => 'API key',
  copyKey: () => 'Copy the key',
  programTitle: () => 'Call it from your code',
  language: () => 'Language',
  languageName: (id: string) => LANGUAGES[id] ?? id,
  install: () => 'Install the packages',
  set: () => 'Set the address and the key',
  run: () => 'Run it',
  paste: () => 'Paste it into a terminal',
  call: (address: string) => `Call it with the address ${address} and the key above`,
  copySetting: () => 'Copy the setting',
  copyProgram: () => 'Copy the program',
  waitTitle: () => 'See your first evaluation',
  waiting: () => 'Waiting for the first call of your code.',
  arrived: (count: number | null) =>
    count === null
      ? 'Your code called the flag, and got an answer.'
      : `Your code called the flag: ${plural(count, 'evaluation', 'evaluations')} so far.`,
  toggleTitle: () => 'Toggle it and watch',
  toggleText: () =>
    'Switch the flag and run the code again. Code that follows changes gets the new value by itself.',
  toggled: (isOn: boolean) =>
    `The flag is ${isOn ? 'on' : 'off'}. Run the code again: it gets ${isOn ? 'true' : 'false'}.`,
  toggle: (key: string, environment: string) => `${key} in ${environment}`,
  noEnvironment: () => 'No environment',
  noEnvironmentText: () => 'The project has no environment yet. Create one to continue.',
  finish: () => 'Go to the flags',
};
