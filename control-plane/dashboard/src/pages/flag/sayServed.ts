import { names } from '../../fleet/edges';
import { list } from '../../messages/format';
import { say, warn } from '../../ui/say';
import type { SaidAction } from '../../ui/Toast';
import { flagWords } from './messages';

/** Says that a write with `?wait=edges` is done, and whether the edges serve it; `undo` may take it back. */
export function sayServed(done: string, headers: Headers, undo?: SaidAction): void {
  const lagging = names(headers.get('x-edges-lagging'));
  if (lagging.length > 0) warn(flagWords.doneLagging(done, list(lagging)));
  else say(flagWords.doneServed(done, names(headers.get('x-edges-acknowledged')).length), undo);
}
