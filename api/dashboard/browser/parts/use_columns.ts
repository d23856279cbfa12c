import { useState } from 'preact/hooks';
import type { Column } from './table.tsx';

/** Which columns of a list are shown. What is hidden is kept in the browser, under the name of the list. */
export function useColumns<R>(list: string, columns: Column<R>[]) {
  const setting = `columns_hidden ${list}`;
  const [hidden, setHidden] = useState<readonly string[]>(() => readHidden(setting));
  const put = (names: readonly string[]) => {
    setHidden(names);
    if (names.length > 0) localStorage.setItem(setting, JSON.stringify(names));
    else localStorage.removeItem(setting);
  };
  // The column by which a row is opened stays.
  const named = columns.filter(({ unnamed }) => !unnamed);
  const choosable = named.slice(1).map(({ name }) => name);
  return {
    shown: columns.filter(({ name }) => !choosable.includes(name) || !hidden.includes(name)),
    choosable,
    isShown: (name: string) => !hidden.includes(name),
    toggle: (name: string) => put(hidden.includes(name) ? hidden.filter(other => other !== name) : [...hidden, name]),
    isAll: hidden.length === 0,
    showAll: () => put([]),
  };
}

export type ChosenColumns = Pick<
  ReturnType<typeof useColumns>,
  'choosable' | 'isShown' | 'toggle' | 'isAll' | 'showAll'
>;

function readHidden(setting: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(setting) ?? '[]');
    return Array.isArray(kept) ? kept.filter(name => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
