import { useLocation } from 'preact-iso';

/** The filters of a page, which stand in its address, so that it can be sent to somebody. Setting one begins at the first page again. */
export function useQuery() {
  const { path, query, route } = useLocation();
  const go = (next: Record<string, string | undefined>, replace: boolean) => {
    const text = queryText(next);
    route(text ? `${path}?${text}` : path, replace);
  };
  return {
    query: query as Record<string, string | undefined>,
    /** Sets filters; an empty value takes one away. */
    set: (changed: Record<string, string | undefined>) => go({ ...query, cursor: undefined, ...changed }, true),
    /** The next page; the browser's way back is the page before. */
    turn: (cursor: string | undefined) => go({ ...query, cursor }, false),
    /** Takes all filters away; how the list is shown and sorted is none. */
    clear: () => {
      const { view, sort, direction, order } = query;
      go({ view, sort, direction, order }, true);
    },
  };
}

/** An address's query as text, without what is empty. */
export const queryText = (query: Record<string, string | undefined>): string =>
  new URLSearchParams(Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))).toString();
