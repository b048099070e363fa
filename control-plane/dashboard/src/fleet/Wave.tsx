import { Check, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Spinner } from '../ui/Button';
import { fleet } from './messages';
import styles from './Wave.module.css';
import { type Answer, type Progress, progress, useWaves, waveOf } from './waves';

/** A screen reader announces a text that stood for this long, and the last one at once. */
const SAY_AFTER_MS = 1000;

interface WaveProps {
  envId: string;
  /** When the write was sent, by `performance.now()`. */
  since: number;
  /** The answer to the write with `?wait=edges`, once it is there: `readAnswer(response.headers)`. */
  answer: Answer | null;
  /** A kill takes away; everything else is served. */
  verb?: 'serving' | 'off';
}

/**
 * How far a write has come: "serving on 4 of 5 edges, 41 ms; waiting for eu-3". It follows the event stream where the
 * role receives it, else the answer of the write.
 */
export function Wave({ envId, since, answer, verb = 'serving' }: WaveProps) {
  const known = useWaves();
  const now = progress(waveOf(known, envId, since, answer), answer);
  const text = inWords(now, verb);
  const said = useCoalesced(text, now?.isOver === true);
  const isBehind = now?.isOver === true && now.lagging.length > 0;
  const share = now === null || now.total === 0 ? 0 : now.served / now.total;
  return (
    <div className={styles.wave}>
      <span className={styles.mark}>
        {now?.isOver ? (
          isBehind ? (
            <TriangleAlert size={16} aria-hidden />
          ) : (
            <Check size={16} aria-hidden />
          )
        ) : (
          <Spinner />
        )}
      </span>
      <p aria-hidden>{text}</p>
      <span className="hidden" role="status">
        {said}
      </span>
      <span className={styles.bar} data-behind={isBehind} aria-hidden>
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
    </div>
  );
}

function inWords(now: Progress | null, verb: 'serving' | 'off'): string {
  if (now === null) return fleet.sending();
  if (now.total === 0) return fleet.none();
  const served = fleet[verb](now.served, now.total, now.ms);
  if (now.lagging.length === 0) return served;
  return fleet.both(served, now.isOver ? fleet.lagging(now.lagging) : fleet.waiting(now.lagging));
}

/** The text as it is read aloud: not each step of a wave that lasts a moment, but always the last one. */
function useCoalesced(text: string, isLast: boolean): string {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), isLast ? 0 : SAY_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, isLast]);
  return said;
}
