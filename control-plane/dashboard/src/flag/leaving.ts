import { createContext } from 'react';

/** Tells the page of a flag that somebody deletes it here: the stream says that it is gone before the answer does. */
export const LeavingContext = createContext<(isLeaving: boolean) => void>(() => undefined);
