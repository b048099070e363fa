// The same objects for both kinds of modules.
export { HalyardProvider } from './openfeature.js';
