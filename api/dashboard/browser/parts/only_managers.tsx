import type { ComponentChildren } from 'preact';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { wordsOf } from './format.ts';
import { Empty, Page } from './page.tsx';

/** A page for admins and owners; others are told so, as `says` has it, and nothing is asked for that they may not read. */
export function OnlyManagers({ title, says, children }: { title: string; says: string; children: ComponentChildren }) {
  const { me, may } = useSession();
  if (may('administer')) return <>{children}</>;
  return (
    <Page title={title}>
      <Empty title={says}>
        <p>Your role is {wordsOf(me.role)}.</p>
      </Empty>
    </Page>
  );
}
