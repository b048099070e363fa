import { useEffect, useRef, useState } from 'react';

// biome-ignore lint/suspicious/noExplicitAny: any function is one of these
type Functions = Record<string, (...args: any[]) => void>;

/** The same functions from render to render, each of which does what the one of the last render does. */
export function useSteady<T extends { [K in keyof T]: Functions[string] }>(current: T): T {
  const latest = useRef(current);
  useEffect(() => {
    latest.current = current;
  });
  const [steady] = useState(
    () =>
      Object.fromEntries(
        Object.keys(current).map(name => [
          name,
          (...args: unknown[]) => latest.current[name as keyof T](...args),
        ]),
      ) as T,
  );
  return steady;
}
