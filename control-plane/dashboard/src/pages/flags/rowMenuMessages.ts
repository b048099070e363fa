export const rowMenuWords = {
  openTargeting: () => 'Open targeting',
  openHistory: () => 'Open history',
  kill: (environment: string) => `Kill in ${environment}…`,
};
