import { useCopy } from './use_copy.ts';

/** Lines to be copied whole: a command, a signed note. `label` says what they are. */
export function CopyBlock({ text, label }: { text: string; label: string }) {
  const { copy, said } = useCopy(text);
  return (
    <div class="copy-block">
      <pre class="wrap" tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <p>
        <button type="button" onClick={copy}>
          Copy
        </button>
        <span class="copied" role="status">
          {said}
        </span>
      </p>
    </div>
  );
}
