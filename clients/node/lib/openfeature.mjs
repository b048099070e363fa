// The same objects for both kinds of modules.
export { DefaultsHook, HalyardProvider } from './openfeature.js';
