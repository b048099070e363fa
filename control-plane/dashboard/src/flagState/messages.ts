import { number, plural } from '../messages/format';

/** The text of a switch and its result. */
export const switching = {
  undo: () => 'Undo',
  changedMeanwhile: (key: string, environment: string) =>
    `Someone else changed ${key} in ${environment} a moment ago. The page now shows the stored state: check it and try again.`,
  failed: (key: string, environment: string, why: string) =>
    `${key} in ${environment} was not changed. ${why}`,
  lagging: (key: string, environment: string, isOn: boolean, edges: string) =>
    `${key} is ${isOn ? 'on' : 'off'} in ${environment}. Edges that do not serve it yet: ${edges}.`,
  served: (key: string, environment: string, isOn: boolean, edges: number) =>
    edges === 0
      ? `${key} is ${isOn ? 'on' : 'off'} in ${environment}. No edge is connected to serve it.`
      : `${key} is ${isOn ? 'on' : 'off'} in ${environment}. Serving on ${number(edges)} of ${plural(edges, 'edge', 'edges')}.`,
};
