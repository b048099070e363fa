import { lazyRouteComponent } from '@tanstack/react-router';

/**
 * A page that is loaded when it is first opened. Where that fails the router would reload the document by itself, also while nothing
 * answers; in other words the error is shown, with a button that reloads.
 */
export function page<Module extends object, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        const words = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`a page did not arrive: ${words}`, { cause });
      }),
    name,
  );
}
