/** Flags in React components, which are rendered again when a flag that they use changes, and not when others do. */
import {
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  useContext,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { Client, Detail } from './types.js';

const Provided = createContext<Client | undefined>(undefined);

/** Gives `client` to the hooks in `children`. Whoever made the client closes it. */
export function HalyardProvider(props: { client: Client; children?: ReactNode }): ReactNode {
  return createElement(Provided.Provider, { value: props.client }, props.children);
}

/** The client of the nearest provider; throws where there is none. */
export function useClient(): Client {
  const client = useContext(Provided);
  if (!client) throw new Error('no <HalyardProvider> is around this component');
  return client;
}

/** The value of a flag of the type that `fallback` has. On a server, and while its page is taken over, it is `fallback`. */
export function useFlag(key: string, fallback: boolean): boolean;
export function useFlag(key: string, fallback: string): string;
export function useFlag(key: string, fallback: number): number;
export function useFlag<T extends object | null>(key: string, fallback: T): T;
export function useFlag<T extends object | null>(key: string, fallback: T): T {
  const client = useClient();
  return useSyncExternalStore(
    useChanges(client, key),
    () => client.detail(key, fallback).value,
    () => fallback,
  );
}

/** Like `useFlag`, with where the value comes from. */
export function useFlagDetail(key: string, fallback: boolean): Detail<boolean>;
export function useFlagDetail(key: string, fallback: string): Detail<string>;
export function useFlagDetail(key: string, fallback: number): Detail<number>;
export function useFlagDetail<T extends object | null>(key: string, fallback: T): Detail<T>;
export function useFlagDetail<T extends object | null>(key: string, fallback: T): Detail<T> {
  const client = useClient();
  const last = useRef<Detail<T>>(undefined);
  /** The last one while it says the same: React compares by identity. */
  const kept = (detail: Detail<T>): Detail<T> => {
    const before = last.current;
    const isSame =
      before &&
      before.value === detail.value &&
      before.reason === detail.reason &&
      before.variant === detail.variant &&
      before.error === detail.error;
    if (!isSame) last.current = detail;
    return isSame ? before : detail;
  };
  return useSyncExternalStore(
    useChanges(client, key),
    () => kept(client.detail(key, fallback)),
    () => kept({ value: fallback, reason: 'ERROR', error: 'NOT_READY' }),
  );
}

/** Subscribes to one flag. */
function useChanges(client: Client, key: string) {
  return useCallback(
    (changed: () => void) => client.on('change', keys => keys.includes(key) && changed()),
    [client, key],
  );
}
