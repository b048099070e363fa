import { expect, type Locator, type Page } from '@playwright/test';

/** Fills the page of `/login` in and sends it. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Chooses from a list that a button opens. */
export async function choose(page: Page, name: string | RegExp, option: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.getByRole('option', { name: option }).click();
}

/** As many presses as a person has patience for. */
const PRESSES = 60;

/** Moves the focus as somebody without a pointer does, until it is there; wherever it comes by, it can be seen. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses <= PRESSES; presses += 1) {
    const { isThere, unseen } = await target.evaluate(lookAt);
    expect(unseen, 'the focus is seen').toBeNull();
    if (isThere) return;
    await page.keyboard.press('Tab');
  }
  await expect(target, `reached by ${PRESSES} presses of Tab`).toBeFocused();
}

/** Whether the focus is at the target, and what has it without a mark or out of view. */
function lookAt(target: Element): { isThere: boolean; unseen: string | null } {
  const focused = document.activeElement;
  const isThere = target === focused;
  // A dialog that opens has the focus itself, which is at no control yet.
  if (!(focused instanceof HTMLElement) || focused.tabIndex < 0) return { isThere, unseen: null };
  const isMarked = (element: Element | null) => {
    if (element === null) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  };
  // The mark of a control whose input is hidden is on what is shown in its place.
  const around = focused.closest('label, [data-focus-visible], [role="group"]');
  const shown = [focused, focused.parentElement, around, ...(around?.querySelectorAll('*') ?? [])];
  const { top, bottom, left, right } = focused.getBoundingClientRect();
  const isInView = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  return { isThere, unseen: isInView && shown.some(isMarked) ? null : focused.outerHTML.slice(0, 300) };
}
