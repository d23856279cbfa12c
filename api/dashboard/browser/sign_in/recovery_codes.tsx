import { CopyButton } from '#api/dashboard/browser/parts/copy_block.tsx';

/** Codes for when the second factor is lost; shown this once. */
export const RecoveryCodesNote = ({ codes, done }: { codes: string[]; done: () => void }) => (
  <>
    <p>
      Store these codes with your passwords. Each lets you sign in once if you lose your app or passkey.{' '}
      <strong>They won’t be shown again.</strong>
    </p>
    <ul class="codes">
      {codes.map(code => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <div class="actions">
      <button type="button" class="main" onClick={done}>
        I saved my codes
      </button>
      <CopyButton text={codes.join('\n')} button="Copy codes" />
    </div>
  </>
);
