/** Asks again and again until there is an answer. For what a page does not show: pages are waited for by `expect`. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, seconds = 20): Promise<T> {
  const end = Date.now() + seconds * 1000;
  let pause = 20;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`no ${what} within ${seconds} s`);
    await new Promise(resolve => setTimeout(resolve, pause));
    pause = Math.min(pause * 1.5, 500);
  }
}
