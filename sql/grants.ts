import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { SERVICE_ROLE } from '#shared/platform/service_role.ts';

/**
 * Makes the service's role where it is missing, which belongs to the server and not to the database, and lets whoever migrates act as it. A
 * dump does not carry it. Another database's migration may make it at the same moment.
 */
export const ensureRole = (client: pg.Client) =>
  client.query(`
    do $$ declare
      may_act boolean;
    begin
      if not exists (select from pg_roles where rolname = '${SERVICE_ROLE}') then
        begin
          create role ${SERVICE_ROLE} nologin;
        exception when duplicate_object or unique_violation then null;
        end;
      end if;
      if current_user = '${SERVICE_ROLE}' then return; end if;
      if current_setting('server_version_num')::integer >= 160000 then
        may_act := pg_has_role('${SERVICE_ROLE}', 'SET');
      else
        may_act := pg_has_role('${SERVICE_ROLE}', 'MEMBER');
      end if;
      if may_act then return; end if;
      begin
        execute format('grant ${SERVICE_ROLE} to %I', current_user);
      exception when unique_violation then null;
      end;
    end $$`);

/**
 * Gives the role again what the migrations gave it and a restore lost, or another role's hands took: the statements of grants.sql that do not
 * hold. Nothing where a newer version has migrated, which knows better. Returns what was missing.
 */
export async function mendGrants(client: pg.Client, newest: string): Promise<string[]> {
  const { rows } = await client.query<{ is_newer: boolean }>(
    'select exists (select from migrations where name > $1) as is_newer',
    [newest],
  );
  if (rows[0]?.is_newer) return [];
  const held = new Set(await describeGrants(client));
  const missing = readGrants().filter(statement => !held.has(statement));
  if (missing.length > 0) await client.query(`begin; ${missing.join('\n')} commit;`);
  return missing;
}

const readGrants = (): string[] =>
  readFileSync(new URL('./grants.sql', import.meta.url), 'utf8')
    .split('\n')
    .filter(line => /^(grant|revoke|alter) /.test(line));

/** The file: what the migrations have come to. */
export const grantsFile = (statements: readonly string[]): string =>
  `-- What the service's role may do, written by \`npm run schema\` from the migrations. \`npm run migrate\` mends with it what a restore has lost.\n${statements.map(statement => `${statement}\n`).join('')}`;

/** What the role was given in this database, as the statements that give it; and what everybody was denied of functions. */
export async function describeGrants(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(grants, [SERVICE_ROLE]);
  return rows.map(({ statement }) => statement);
}

const grants = `
  with role as (select oid from pg_roles where rolname = $1),
  functions as (
    select p.oid::regprocedure::text as name, p.proacl from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  )
  select statement from (
    select format('grant %s on schema public to %s;', lower(a.privilege_type), $1) as statement
    from pg_namespace n, aclexplode(n.nspacl) a, role where n.nspname = 'public' and a.grantee = role.oid
    union all
    select format('grant %s on %I to %s;', string_agg(lower(a.privilege_type), ', ' order by a.privilege_type), c.relname, $1)
    from pg_class c, aclexplode(c.relacl) a, role
    where c.relnamespace = 'public'::regnamespace and a.grantee = role.oid group by c.relname
    union all
    select format('grant %s (%s) on %I to %s;', lower(a.privilege_type), string_agg(quote_ident(t.attname), ', ' order by t.attname), c.relname, $1)
    from pg_attribute t join pg_class c on c.oid = t.attrelid, aclexplode(t.attacl) a, role
    where c.relnamespace = 'public'::regnamespace and a.grantee = role.oid group by c.relname, a.privilege_type
    union all
    select format('revoke all on function %s from public;', f.name) from functions f
    where f.proacl is not null and not exists (select from aclexplode(f.proacl) a where a.grantee = 0)
    union all
    select format('grant execute on function %s to %s;', f.name, $1) from functions f, aclexplode(f.proacl) a, role where a.grantee = role.oid
    union all
    select format('alter default privileges in schema public grant %s on tables to %s;',
      string_agg(lower(a.privilege_type), ', ' order by a.privilege_type), $1)
    from pg_default_acl d, aclexplode(d.defaclacl) a, role
    where d.defaclnamespace = 'public'::regnamespace and d.defaclobjtype = 'r' and a.grantee = role.oid
      and d.defaclrole = (select oid from pg_roles where rolname = current_user)
    group by d.oid
  ) s order by statement collate "C"`;
