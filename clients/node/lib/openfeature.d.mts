export { HalyardProvider } from './openfeature.js';
