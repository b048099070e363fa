import { plural } from '../../messages/format';

const LANGUAGES: Record<string, string> = {
  curl: 'Shell, with curl',
  node: 'JavaScript, server',
  python: 'Python, server',
  web: 'JavaScript, browser',
  react: 'React',
};

export const onboarding = {
  title: () => 'First run',
  lead: () => 'From here to a flag that your own program asks for takes about a minute.',
  stepDone: () => 'done',
  stepOpen: () => 'open',
  flagTitle: () => 'A flag to ask for',
  flagText: (key: string, environment: string) => `The flag ${key}, in the environment ${environment}.`,
  createFlag: (key: string) => `Create ${key}`,
  flagThere: (key: string) => `${key} is there.`,
  keyTitle: () => 'A key for your program',
  keyText: () => 'It is shown on this page only, until you leave it. It can be revoked at any time.',
  createKey: () => 'Make a key',
  keyMade: () => 'The key is made. It is filled in below.',
  keyName: () => 'First run',
  key: () => 'API key',
  copyKey: () => 'Copy the key',
  programTitle: () => 'A program that asks',
  language: () => 'Language',
  languageName: (id: string) => LANGUAGES[id] ?? id,
  install: () => 'Install what it needs',
  set: () => 'Tell it where to ask, and with which key',
  run: () => 'Run it',
  paste: () => 'Paste it into a terminal',
  call: (address: string) => `Call it with the address ${address} and the key above`,
  copySetting: () => 'Copy the setting',
  copyProgram: () => 'Copy the program',
  waitTitle: () => 'Your first evaluation',
  waiting: () => 'Waiting for your program to ask.',
  arrived: (count: number | null) =>
    count === null
      ? 'It asked, and was answered.'
      : `It asked: ${plural(count, 'evaluation', 'evaluations')} so far.`,
  toggleTitle: () => 'Now change the answer',
  toggleText: () => 'Switch the flag and run the program again. One that follows changes at once.',
  toggled: (isOn: boolean) =>
    `The flag is ${isOn ? 'on' : 'off'} now. Run the program again: its answer is ${isOn ? 'true' : 'false'}.`,
  toggle: (key: string, environment: string) => `${key} in ${environment}`,
  noEnvironment: () => 'No environment',
  noEnvironmentText: () => 'The project has none, so there is nowhere to ask.',
  finish: () => 'Go to the flags',
};
