import { type PointerEvent, useCallback, useEffect, useRef, useState } from 'react';
import { placeAt } from './edit';

/** Near the edge of the window a drag scrolls it. */
const EDGE = 60;
const STEP = 12;

interface Drag {
  id: string;
  /** Where it would land. */
  place: number;
}

/** Dragging cards of a list by their handles. Escape leaves all as it was. */
export function useDrag(list: () => HTMLElement | null, onDrop: (id: string, place: number) => void) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const current = useRef({ list, onDrop });
  useEffect(() => {
    current.current = { list, onDrop };
  });
  const id = drag?.id;

  useEffect(() => {
    if (id === undefined) return;
    let last: Drag | null = null;
    const onMove = (event: globalThis.PointerEvent) => {
      last = { id, place: placeAt(event.clientY, middles(current.current.list(), id)) };
      setDrag(last);
      if (event.clientY < EDGE) window.scrollBy(0, -STEP);
      else if (event.clientY > window.innerHeight - EDGE) window.scrollBy(0, STEP);
    };
    const onUp = () => {
      setDrag(null);
      if (last !== null) current.current.onDrop(id, last.place);
    };
    const onStop = () => setDrag(null);
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onStop();
    };
    window.addEventListener('pointermove', onMove);
    window.addEventListener('pointerup', onUp);
    window.addEventListener('pointercancel', onStop);
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('pointermove', onMove);
      window.removeEventListener('pointerup', onUp);
      window.removeEventListener('pointercancel', onStop);
      window.removeEventListener('keydown', onKey);
    };
  }, [id]);

  const start = useCallback((event: PointerEvent<HTMLButtonElement>, ruleId: string, place: number) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ id: ruleId, place });
  }, []);
  return { drag, start };
}

/** The middles of the cards beside the one that is dragged. */
function middles(list: HTMLElement | null, id: string): number[] {
  const cards = list?.querySelectorAll<HTMLElement>(':scope > [data-rule]') ?? [];
  return [...cards]
    .filter(card => card.dataset.rule !== id)
    .map(card => {
      const { top, height } = card.getBoundingClientRect();
      return top + height / 2;
    });
}
