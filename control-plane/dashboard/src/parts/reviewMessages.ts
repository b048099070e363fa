export const reviewWords = {
  note: () => 'Note',
  approve: () => 'Approve',
  reject: () => 'Reject',
};
