/** Commands of the palette and the keyboard. Pages add theirs while they are open. */
import { useEffect } from 'react';
import { createStore } from '../ui/createStore';

export type Section = 'pages' | 'projects' | 'actions';

export interface Command {
  id: string;
  title: string;
  section: Section;
  /** Keys pressed one after another, separated by blanks: `g f`, `?`. */
  keys?: string;
  run: () => void;
}

const added = new Map<symbol, readonly Command[]>();
const all = createStore<readonly Command[]>([]);

function changed(): void {
  all.set([...added.values()].flat());
}

/** Adds commands while the component is there. The list has to be the same one from render to render. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    const owner = Symbol();
    added.set(owner, commands);
    changed();
    return () => {
      added.delete(owner);
      changed();
    };
  }, [commands]);
}

export const useAllCommands = all.use;
export const allCommands = all.get;

export type Pressed = { kind: 'run'; command: Command } | { kind: 'more' } | { kind: 'none' };

/** The meaning of the keys pressed so far: a command, the beginning of one, or nothing. */
export function match(commands: readonly Command[], pressed: readonly string[]): Pressed {
  const typed = pressed.join(' ');
  const command = commands.find(candidate => candidate.keys === typed);
  if (command !== undefined) return { kind: 'run', command };
  const isBeginning = commands.some(candidate => candidate.keys?.startsWith(`${typed} `));
  return isBeginning ? { kind: 'more' } : { kind: 'none' };
}
