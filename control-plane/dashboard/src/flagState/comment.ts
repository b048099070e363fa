/** The query of a write that waits for the edges, with the comment on it if there is one. */
export function waiting(comment = ''): { wait: 'edges'; comment?: string } {
  const text = comment.trim();
  return text === '' ? { wait: 'edges' } : { wait: 'edges', comment: text };
}
