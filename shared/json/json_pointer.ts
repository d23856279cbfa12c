/** RFC 6901 pointer to a place in a JSON document; names over 100 characters are cut, so that an answer never repeats a large input. */
export function pointerTo(path: readonly PropertyKey[]): string {
  let pointer = '';
  for (const step of path) pointer += '/' + escapeStep(String(step));
  return pointer;
}

function escapeStep(name: string): string {
  const short = name.length > 100 ? `${name.slice(0, 100).toWellFormed()}…` : name.toWellFormed();
  return short.includes('~') || short.includes('/') ? short.replaceAll('~', '~0').replaceAll('/', '~1') : short;
}
