/** Text of the list of keys, loaded with it. */
export const keys = {
  text: () => 'Shortcuts work while no text field has the focus.',
};
