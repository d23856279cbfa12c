/** A value as JSON, to be read. Only ever as text: what agents send is nobody's markup. */
export const JsonText = ({ value, label }: { value: unknown; label: string }) => (
  <pre class="wrap json" tabIndex={0} role="region" aria-label={label}>
    {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
  </pre>
);
