import type { EdgeState } from './rows';

/** A state by its shape and colour: a disc, a triangle, a cross, a ring. The text beside it says the same. */
export function StateShape({ state }: { state: EdgeState }) {
  switch (state) {
    case 'live':
      return <circle r={6} fill="var(--text-good)" />;
    case 'behind':
      return <path d="M0 -7 L7 6 L-7 6 Z" fill="var(--text-warn)" />;
    case 'away':
      return (
        <path
          d="M-5 -5 L5 5 M5 -5 L-5 5"
          stroke="var(--text-danger)"
          strokeWidth={3}
          strokeLinecap="round"
          fill="none"
        />
      );
    case 'never':
      return (
        <circle r={5.5} fill="none" stroke="var(--text-soft)" strokeWidth={2} strokeDasharray="2.5 2.5" />
      );
  }
}

export function StateMark({ state }: { state: EdgeState }) {
  return (
    <svg width={16} height={16} viewBox="-8 -8 16 16" aria-hidden>
      <StateShape state={state} />
    </svg>
  );
}
