export { DefaultsHook, HalyardProvider } from './openfeature.js';
