/** Parts of a page that are loaded by themselves, in a quiet moment or when they are needed. */
import { type ComponentType, lazy } from 'react';

/** By then the page works, and what may be needed next is fetched while the service still has it. */
const QUIET_AFTER_MS = 2000;

type Loaded<Props> = Promise<{ default: ComponentType<Props> }>;

const failed = new Set<() => void>();

/**
 * A component that is loaded later, as `lazy` does, and fetched ahead once the page is quiet. It goes inside of `Optional`, which
 * loads it again after a failure.
 */
export function part<Props extends object>(load: () => Loaded<Props>): ComponentType<Props> {
  const make = () =>
    lazy(() =>
      load().catch((error: unknown) => {
        failed.add(() => {
          current = make();
        });
        throw error;
      }),
    ) as unknown as ComponentType<Props>;
  let current = make();
  fetchAhead(load);
  return function Part(props: Props) {
    const Current = current;
    return <Current {...props} />;
  };
}

/** Lets parts that did not arrive be loaded again; React would keep the failure. */
export function forgetFailures(): void {
  for (const again of failed) again();
  failed.clear();
}

/** Fetches what may be needed next, after the page itself. Where that fails, it is loaded when it is needed. */
export function fetchAhead(load: () => Promise<unknown>): void {
  // Tests of rules import components without a browser around them.
  if (typeof window === 'undefined') return;
  const quietly = () => void load().catch(() => {});
  setTimeout(() => {
    if (typeof requestIdleCallback === 'undefined') quietly();
    else requestIdleCallback(quietly, { timeout: QUIET_AFTER_MS });
  }, QUIET_AFTER_MS);
}
