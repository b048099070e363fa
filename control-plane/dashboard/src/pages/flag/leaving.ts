import { createContext } from 'react';

/**
 * Tells the page of a flag that somebody deletes it here: the stream says so before the answer does, and what is gone is not
 * asked for again.
 */
export const LeavingContext = createContext<(isLeaving: boolean) => void>(() => undefined);
