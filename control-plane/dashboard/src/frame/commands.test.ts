import { expect, it } from 'vitest';
import { type Command, match } from './commands';

const commands: Command[] = [
  { id: 'flags', title: 'Flags', section: 'pages', keys: 'g f', run: () => {} },
  { id: 'keys', title: 'Keys', section: 'actions', keys: '?', run: () => {} },
  { id: 'none', title: 'None', section: 'actions', run: () => {} },
];

it.each([
  [['?'], 'run', 'keys'],
  [['g', 'f'], 'run', 'flags'],
  [['g'], 'more', undefined],
  [['g', 'x'], 'none', undefined],
  [['f'], 'none', undefined],
])('%j means %s', (pressed, kind, id) => {
  const found = match(commands, pressed);
  expect(found.kind).toBe(kind);
  expect(found.kind === 'run' ? found.command.id : undefined).toBe(id);
});
