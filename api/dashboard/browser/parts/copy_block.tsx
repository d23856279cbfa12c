import { useCopy } from './use_copy.ts';

/** Lines to be copied whole: a command, a signed note, a link. `label` says what they are, `button` what the button under them does. */
export const CopyBlock = ({ text, label, button }: { text: string; label: string; button?: string }) => (
  <div class="copy-block">
    <pre class="wrap" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
    <p>
      <CopyButton text={text} button={button} />
    </p>
  </div>
);

/** A button that copies a text, and says beside it whether that worked. */
export function CopyButton({ text, button = 'Copy' }: { text: string; button?: string | undefined }) {
  const { copy, said } = useCopy(text);
  return (
    <>
      <button type="button" onClick={copy}>
        {button}
      </button>
      <span class="copied" role="status">
        {said}
      </span>
    </>
  );
}
