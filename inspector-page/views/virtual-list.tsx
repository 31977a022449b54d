// A list of which only the rows in sight are in the document. Rows may have any height: it is estimated until it is known.

import { useCallback, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

interface Props<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item, index: number) => string;
  /** Pixels, as long as the row has not been seen. */
  readonly heightOf: (item: Item) => number;
  /** Every row has the height that was estimated. */
  readonly isFixed?: boolean;
  readonly row: (item: Item, index: number) => ReactNode;
  readonly label: string;
  readonly role?: 'list' | 'tree' | 'listbox';
  /** Stays at the end while the end is in sight. */
  readonly follows?: boolean;
  /** Brought into sight when it changes. */
  readonly current?: number | undefined;
  /** Stands above the rows and stays there. */
  readonly header?: ReactNode;
  readonly minWidth?: number;
  readonly className?: string;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly activeId?: string | undefined;
}

const overscan = 240;

/** The list. */
export function VirtualList<Item>(props: Props<Item>) {
  const {
    items,
    keyOf,
    heightOf,
    isFixed = false,
    row,
    label,
    role = 'list',
    follows = false,
    current,
    header,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const measured = useRef(new Map<string, number>());
  const isAtEnd = useRef(true);
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const [measurements, setMeasurements] = useState(0);

  const offsets = useMemo(() => {
    const list = new Float64Array(items.length + 1);
    let top = 0;
    for (const [index, item] of items.entries()) {
      list[index] = top;
      const known = isFixed ? undefined : measured.current.get(keyOf(item, index));
      top += known ?? heightOf(item);
    }
    list[items.length] = top;
    return list;
    // KeyOf and heightOf are the same for the life of a list.
  }, [items, measurements, isFixed]);
  const total = offsets[items.length] ?? 0;
  const from = Math.max(0, indexAt(offsets, scroll.top - overscan));
  const to = Math.min(items.length, indexAt(offsets, scroll.top + scroll.height + overscan) + 1);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const read = () => setScroll({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(read);
    observer.observe(element);
    read();
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && follows && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [total, follows]);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || current === undefined || current < 0) return;
    const [top = 0, bottom = 0] = [offsets[current], offsets[current + 1]];
    const head = element.querySelector('.list-header')?.clientHeight ?? 0;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom + head > element.scrollTop + element.clientHeight) {
      element.scrollTop = bottom + head - element.clientHeight;
    }
    // Only a new place moves the list, not rows that become known.
  }, [current]);

  // Heights come from the browser after it has laid the rows out anyway; to ask for them would make it do so at once.
  const rowObserver = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let hasChanged = false;
        for (const { target, borderBoxSize } of entries) {
          const key = target instanceof HTMLElement ? target.dataset['key'] : undefined;
          const height = borderBoxSize[0]?.blockSize ?? 0;
          if (key === undefined || height === 0 || Math.abs((measured.current.get(key) ?? -1) - height) < 1) continue;
          measured.current.set(key, height);
          hasChanged = true;
        }
        if (hasChanged) setMeasurements((count) => count + 1);
      }),
    [],
  );
  const observeRow = useCallback(
    (element: HTMLElement | null) => {
      if (element === null || isFixed) return;
      rowObserver.observe(element);
      return () => rowObserver.unobserve(element);
    },
    [rowObserver, isFixed],
  );

  return (
    <div
      ref={box}
      className={`list ${props.className ?? ''}`}
      role={role}
      aria-label={label}
      aria-activedescendant={props.activeId}
      tabIndex={0}
      onKeyDown={props.onKeyDown}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 24;
        setScroll({ top: scrollTop, height: clientHeight });
      }}
    >
      {header !== undefined && <div className="list-header">{header}</div>}
      <div className="list-rows" style={{ height: total, minWidth: props.minWidth }}>
        {items.slice(from, to).map((item, position) => {
          const index = from + position;
          const key = keyOf(item, index);
          return (
            <div
              key={key}
              ref={observeRow}
              data-key={key}
              {...(role === 'list'
                ? { role: 'listitem', 'aria-posinset': index + 1, 'aria-setsize': items.length }
                : { role: 'presentation' })}
              className="list-row"
              style={{ transform: `translateY(${offsets[index]}px)` }}
            >
              {row(item, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

// The last row that begins no later than there.
function indexAt(offsets: Float64Array, top: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((offsets[middle] ?? 0) <= top) low = middle;
    else high = middle - 1;
  }
  return low;
}
