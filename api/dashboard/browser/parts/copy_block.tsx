import { useState } from 'preact/hooks';

/** Lines to be copied whole: a command, a signed note. `label` says what they are. */
export function CopyBlock({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <div class="copy-block">
      <pre class="wrap" tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <p>
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
        <span class="copied" role="status">
          {copied ? 'copied' : ''}
        </span>
      </p>
    </div>
  );
}
