import { createContext } from 'react';

/**
 * Marks the flag as being deleted by this page: the event may come before the answer, and the deleted flag is not
 * requested again.
 */
export const LeavingContext = createContext<(isLeaving: boolean) => void>(() => undefined);
