import { useEffect, useRef, useState } from 'react';
import type { Outcome } from '../api/client';
import { ask, type Draft, type Extras, look, type WhatIfAnswer } from './queries';

/** How often it is looked for what edges say after the first answer. */
const AGAIN_MS = 1000;

export interface Place {
  envId: string;
  extras: Extras;
}

interface Asking {
  /** What is known of each environment that was asked about. */
  outcomes: ReadonlyMap<string, Outcome<WhatIfAnswer>>;
  isPending: boolean;
  /** When the next question may be asked, in milliseconds of the clock. */
  until: number | null;
  run: (places: readonly Place[]) => Promise<void>;
}

/** Asks about one environment after another, since an organization has one question open at a time. */
export function useAsking(projectId: string, draft: Draft): Asking {
  const [outcomes, setOutcomes] = useState<Asking['outcomes']>(new Map());
  const [isPending, setPending] = useState(false);
  const [until, setUntil] = useState<number | null>(null);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);

  async function run(places: readonly Place[]) {
    setPending(true);
    setOutcomes(new Map());
    for (const { envId, extras } of places) {
      let known = await ask(projectId, envId, draft, extras);
      for (;;) {
        if (!isShown.current) return;
        const shown = known;
        setOutcomes(before => new Map(before).set(envId, shown));
        if (!known.ok || !known.data.is_open) break;
        await new Promise(resolve => setTimeout(resolve, AGAIN_MS));
        const next = await look(known.data, projectId);
        if (!next.ok) break;
        known = next;
      }
      if (!known.ok && known.refusal.kind === 'wait') {
        setUntil(Date.now() + (known.refusal.seconds ?? 0) * 1000);
        break;
      }
    }
    setPending(false);
  }

  return { outcomes, isPending, until, run };
}
