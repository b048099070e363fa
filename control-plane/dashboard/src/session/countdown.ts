import { useEffect, useState } from 'react';

/** Whole seconds from `now` until `until`, both in milliseconds; never negative. */
export function secondsLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1000));
}

/** Counts down to `until` (milliseconds of the clock). A sleeping tab shows the right number when it wakes. */
export function useSecondsLeft(until: number | null): number {
  const [left, setLeft] = useState(() => (until === null ? 0 : secondsLeft(until, Date.now())));
  useEffect(() => {
    const update = () => setLeft(until === null ? 0 : secondsLeft(until, Date.now()));
    update();
    if (until === null) return;
    const timer = setInterval(() => {
      update();
      if (Date.now() >= until) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [until]);
  return left;
}
