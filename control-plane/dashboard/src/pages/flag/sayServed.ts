import { names } from '../../fleet/edges';
import { list } from '../../messages/format';
import { say, warn } from '../../ui/say';
import { flagWords } from './messages';

/** Says that a write with `?wait=edges` is done, and whether the edges serve it. */
export function sayServed(done: string, headers: Headers): void {
  const lagging = names(headers.get('x-edges-lagging'));
  if (lagging.length > 0) warn(flagWords.doneLagging(done, list(lagging)));
  else say(flagWords.doneServed(done, names(headers.get('x-edges-acknowledged')).length));
}
