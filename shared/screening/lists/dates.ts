/**
 * A date of birth as publishers write it (`10 Mar 1957`, `Mar 1957`, `circa 1955`, `1955 to 1958`, `10/03/1957`, `00/00/1957`,
 * `dd/mm/1957`, `1957-03-10`, `1950s`) in the form of an entry: `1957-03-10`, `1957-03`, `1957`, or years `1955/1958`. About a
 * year is two years either way. Null where no year between 1800 and 2100 can be read.
 */
export function birthDate(text: string): string | null {
  const date = text.trim();
  if (!date || date.length > 100) return null;
  const about = /\b(circa|approx\w*|about|around|ca?\.|estimated|est\.)/i.test(date);
  if (about) return yearsAround(date, 2);
  return exactDate(date) ?? yearsAround(date, 0);
}

/** From one year to another, in either order: `1955/1958`, or `1955` where they are one. */
export function yearRange(from: number, to: number): string {
  const [first, last] = [Math.min(from, to), Math.max(from, to)];
  return first === last ? String(first) : `${first}/${last}`;
}

function exactDate(text: string): string | null {
  const iso = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T[\d:.]+Z?)?$/.exec(text);
  if (iso) return fromParts(iso[1], iso[2], iso[3]);
  const slashed = /^([\dd]{1,2})[/.]([\dm]{1,2})[/.](\d{4})$/i.exec(text);
  if (slashed) return fromParts(slashed[3], slashed[2], slashed[1]);
  const worded = /^(?:(\d{1,2})(?:st|nd|rd|th)?[\s.-]+)?([a-z]{3,9})\.?,?[\s-]+(\d{4})$/i.exec(text);
  const month = worded && months.get(worded[2]?.slice(0, 3).toLowerCase() ?? '');
  return month ? fromParts(worded?.[3], String(month), worded?.[1]) : null;
}

/** As much of the date as is right: a day needs a month, and both must exist. */
function fromParts(year = '', month = '', day = ''): string | null {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (!isYear(y)) return null;
  if (!(m >= 1 && m <= 12)) return year;
  const to = `${year}-${String(m).padStart(2, '0')}`;
  return d >= 1 && d <= new Date(Date.UTC(y, m, 0)).getUTCDate() ? `${to}-${String(d).padStart(2, '0')}` : to;
}

/** All years that are named, from the earliest to the latest, widened. */
function yearsAround(text: string, margin: number): string | null {
  const years = [...text.matchAll(/(?<!\d)(\d{4})(s?)(?!\d)/g)].flatMap(([, year = '', decade]) =>
    decade ? [Number(year), Number(year) + 9] : [Number(year)],
  );
  const plausible = years.filter(isYear);
  if (plausible.length === 0) return null;
  return yearRange(Math.min(...plausible) - margin, Math.max(...plausible) + margin);
}

const isYear = (year: number) => year >= 1800 && year <= 2100;

const months = new Map(
  'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ').map((name, index) => [name, index + 1] as const),
);
