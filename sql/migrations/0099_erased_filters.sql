-- The filters of an export may name somebody who is erased, and so may what the audit log has of them.

-- Within JSON only in members that hold what somebody wrote: another may be read by a program.
create or replace function without_words_in(doc jsonb, pattern text, is_text boolean) returns jsonb language plpgsql immutable set search_path = public, pg_temp as $$
begin
  return case jsonb_typeof(doc)
    when 'string' then case
      when is_text and doc #>> '{}' not in ('low', 'medium', 'high', 'critical', 'open', 'investigating', 'closed')
      then to_jsonb(without_words(doc #>> '{}', pattern)) else doc end
    when 'array' then (
      select coalesce(jsonb_agg(without_words_in(item, pattern, is_text) order by n), '[]') from jsonb_array_elements(doc) with ordinality as t (item, n))
    when 'object' then (
      select coalesce(jsonb_object_agg(name, without_words_in(value, pattern, name = any(array[
        'title', 'text', 'note', 'closing_note', 'reason', 'name', 'explanation', 'description', 'message', 'label', 'key', 'aliases', 'external_id',
        'external_ref', 'domain', 'website', 'value', 'address', 'from', 'to', 'lead_title',
        'q', 'payee_key', 'payment_id']))), '{}')
      from jsonb_each(doc) as t (name, value))
    else doc end;
end
$$;

create or replace function erase_next_words(of_org text, of_environment text, of_erasure text, of_table text, after_word text, after text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  of_event text := 'exists (select from events e join erased_events x on x.org_id = $1 and x.environment = $2 and x.chain_seq = e.chain_seq
    where e.org_id = $1 and e.environment = $2 and e.id = %1$s and x.erasure_id = $6)';
  of_alert text := 'exists (select from alert_events n join erased_events x on x.org_id = $1 and x.environment = $2 and x.chain_seq = n.chain_seq
    where n.org_id = $1 and n.environment = $2 and n.alert_id = %1$s and x.erasure_id = $6)';
  of_case text := 'exists (select from case_links k where k.org_id = $1 and k.environment = $2 and k.case_id = %1$s
      and (k.kind = ''event'' and ' || format(of_event, 'k.target_id') || ' or k.kind = ''alert'' and ' || format(of_alert, 'k.target_id') || '))
    or exists (select from alerts a where a.org_id = $1 and a.environment = $2 and a.case_id = %1$s and ' || format(of_alert, 'a.id') || ')';
  of_filters text := '%1$s ->> ''q'' ~* $5 and btrim(%1$s ->> ''q'') !~ ''\s'' or jsonb_path_exists(%1$s, ''$.* ? (@ == $id)'', jsonb_build_object(''id'', $7))';
  subject text;
  patterns record;
  place record;
  pattern text;
  last text;
begin
  perform need_erasure(of_org, of_environment, of_erasure);
  select s.subject_id into subject from erasures s
  where s.org_id = of_org and s.environment = of_environment and s.id = of_erasure;
  select p.everywhere, p.linked into patterns from erased_pattern(of_org, of_environment, of_erasure, after_word) p;
  select p.key, p.linked, array(select format('%1$I = without_words(%1$I, $5)', c) from unnest(p.texts) c)
      || array(select format('%1$I = without_words_in(%1$I, $5, false)', c) from unnest(p.jsons) c) as sets,
    array(select format('%I ~* $5', c) from unnest(p.texts) c) || array(select format('%I::text ~* $5', c) from unnest(p.jsons) c) as finds
  into place from (values
    ('alerts', 'id', '{title,explanation}'::text[], '{}'::text[], format(of_alert, 't.id')),
    ('alert_actions', 'alert_id', '{reason}', '{}', format(of_alert, 't.alert_id')),
    ('incidents', 'id', '{lead_title}', '{}', 'exists (
      select from alerts a where a.org_id = $1 and a.environment = $2 and a.incident_id = t.id and ' || format(of_alert, 'a.id') || ')'),
    ('shadow_findings', 'id', '{title,explanation}', '{}', format(of_event, 't.event_id')),
    ('backtests', 'id', '{}', '{sample}', 'false'),
    ('cases', 'id', '{title,closing_note}', '{}', format(of_case, 't.id')),
    ('case_timeline', 'case_id', '{}', '{detail}', format(of_case, 't.case_id')),
    ('case_holds', 'case_id', '{reason}', '{}', format(of_case, 't.case_id')),
    ('screenings', 'id', '{reason}', '{query,allowed_by}', $w$t.payee_id = $7 or t.query ->> 'name' ~* $5 and t.query ->> 'name' !~ '\s'$w$),
    ('mandates', 'id', '{name}', '{}', '$7 in (t.agent_id, t.owner_id)'),
    ('mandate_versions', 'mandate_id', '{name}', '{}', 'exists (
      select from mandates m where m.org_id = $1 and m.environment = $2 and m.id = t.mandate_id and $7 in (m.agent_id, m.owner_id))'),
    ('packs', 'id', '{title}', '{}', 'exists (
      select from pack_events p join erased_events x on x.org_id = $1 and x.environment = $2
      where p.org_id = $1 and p.environment = $2 and p.pack_id = t.id and x.chain_seq = any(p.chain_seqs) and x.erasure_id = $6)'),
    ('audit_log', 'id', '{}', '{before,after}', 't.target_id = $7 or ' || format(of_alert, 't.target_id') || ' or ' || format(of_case, 't.target_id')
      || ' or ' || format(of_filters, 't.after -> ''filters''')),
    ('webhook_attempts', 'delivery_id', '{response,error}', '{}', 'false'),
    ('unread_webhooks', 'source_id', '{notice}', '{problems}', 'false'),
    ('exports', 'id', '{}', '{filters}', format(of_filters, 't.filters'))
  ) as p (name, key, texts, jsons, linked) where p.name = of_table;
  if not found then raise exception 'no words are erased from %', of_table using errcode = '22023'; end if;
  if coalesce(patterns.everywhere, patterns.linked) is null then return null; end if;
  execute format('
    select max(k) from (select %1$I as k from %2$I where org_id = $1 and environment = $2 and %1$I > $3 order by %1$I limit 2000) s', place.key, of_table)
  into last using of_org, of_environment, after;
  if last is null then return null; end if;
  pattern := patterns.everywhere;
  -- How the names of a match agree is told part by part; a webhook without its names no longer has what it was signed over.
  if of_table = 'screenings' then
    delete from screening_matches m using screenings s
    where s.org_id = of_org and s.environment = of_environment and s.id > after and s.id <= last and s.query::text ~* pattern
      and m.org_id = of_org and m.environment = of_environment and m.screening_id = s.id;
  elsif of_table = 'unread_webhooks' then
    update unread_webhooks u set body = null
    where u.org_id = of_org and u.environment = of_environment and u.source_id > after and u.source_id <= last and u.body ~* pattern;
  end if;
  foreach pattern in array array[patterns.everywhere, patterns.linked] loop
    continue when pattern is null;
    execute format('update %1$I t set %2$s where t.org_id = $1 and t.environment = $2 and t.%3$I > $3 and t.%3$I <= $4 and (%4$s) and (%5$s)',
      of_table, array_to_string(place.sets, ', '), place.key, array_to_string(place.finds, ' or '),
      case when pattern = patterns.everywhere then 'true' else place.linked end)
    using of_org, of_environment, after, last, pattern, of_erasure, subject;
  end loop;
  return last;
end
$$;
