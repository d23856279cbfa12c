import type { ComponentChildren } from 'preact';

/** One number that matters, what it is, and what to compare it with. With `href` it leads to what is counted. */
export function Tile({
  name,
  value,
  href,
  children,
}: {
  name: string;
  value: ComponentChildren;
  href?: string;
  children?: ComponentChildren;
}) {
  const inside = (
    <>
      <span class="quiet">{name}</span>
      <strong>{value}</strong>
      {children && <span class="quiet">{children}</span>}
    </>
  );
  return href ? (
    <a class="tile" href={href}>
      {inside}
    </a>
  ) : (
    <div class="tile">{inside}</div>
  );
}
