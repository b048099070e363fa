// The same objects for both kinds of modules.
export { Client, Context, StartError } from './index.js';
