-- What repeats the names of somebody whose data is erased: texts about events, what people wrote, the audit log.

-- Some words as one pattern: whole words, whatever their case. A short one would be found everywhere.
create function words_pattern(words text[]) returns text language sql immutable set search_path = public, pg_temp as $$
  select '(?<![[:alnum:]])(?:' || string_agg(regexp_replace(w, '([][\\.^$*+?(){}|-])', '\\\1', 'g'), '|' order by length(w) desc, w) || ')(?![[:alnum:]])'
  from unnest(words) w where length(w) >= 4
$$;

-- Those of an erasure, 200 at a time.
create function erased_pattern(of_org text, of_environment text, of_erasure text, part integer)
returns text language sql stable set search_path = public, pg_temp as $$
  select words_pattern(words[part * 200 + 1:part * 200 + 200]) from erasures
  where org_id = of_org and environment = of_environment and id = of_erasure
$$;

create function without_words(text_in text, pattern text) returns text language sql immutable
return regexp_replace(text_in, pattern, '[erased]', 'gi');

-- Within JSON only in members that hold what somebody wrote: another may be read by a program.
create function without_words_in(doc jsonb, pattern text, is_text boolean) returns jsonb language plpgsql immutable set search_path = public, pg_temp as $$
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
        'external_ref', 'domain', 'website', 'value', 'address', 'from', 'to', 'lead_title']))), '{}')
      from jsonb_each(doc) as t (name, value))
    else doc end;
end
$$;

-- Takes the words of an erasure out of the next rows of a table. `last` is the last row that was looked at, null where there was none.
create function erase_words(of_org text, of_environment text, of_erasure text, of_table text, part integer, after text, out changed bigint, out last text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  pattern text := erased_pattern(of_org, of_environment, of_erasure, part);
  place record;
begin
  perform need_erasure(of_org, of_environment, of_erasure);
  changed := 0;
  select p.key, array(select format('%1$I = without_words(%1$I, $5)', c) from unnest(p.texts) c)
      || array(select format('%1$I = without_words_in(%1$I, $5, false)', c) from unnest(p.jsons) c) as sets,
    array(select format('%I ~* $5', c) from unnest(p.texts) c) || array(select format('%I::text ~* $5', c) from unnest(p.jsons) c) as finds
  into place from (values
    ('alerts', 'id', '{title,explanation}'::text[], '{}'::text[]),
    ('alert_actions', 'alert_id', '{reason}', '{}'),
    ('incidents', 'id', '{lead_title}', '{}'),
    ('shadow_findings', 'id', '{title,explanation}', '{}'),
    ('backtests', 'id', '{}', '{sample}'),
    ('cases', 'id', '{title,closing_note}', '{}'),
    ('case_timeline', 'case_id', '{}', '{detail}'),
    ('case_holds', 'case_id', '{reason}', '{}'),
    ('screenings', 'id', '{reason}', '{query,allowed_by}'),
    ('mandates', 'id', '{name}', '{}'),
    ('mandate_versions', 'mandate_id', '{name}', '{}'),
    ('packs', 'id', '{title}', '{}'),
    ('audit_log', 'id', '{}', '{before,after}'),
    ('webhook_attempts', 'delivery_id', '{response,error}', '{}'),
    ('unread_webhooks', 'source_id', '{notice}', '{problems}')
  ) as p (name, key, texts, jsons) where p.name = of_table;
  if not found then raise exception 'no words are erased from %', of_table using errcode = '22023'; end if;
  if pattern is null then return; end if;
  execute format('
    select max(k) from (select %1$I as k from %2$I where org_id = $1 and environment = $2 and %1$I > $3 order by %1$I limit 2000) s', place.key, of_table)
  into last using of_org, of_environment, after;
  if last is null then return; end if;
  -- How the names of a match agree is told part by part; a webhook without its names no longer has what it was signed over.
  if of_table = 'screenings' then
    delete from screening_matches m using screenings s
    where s.org_id = of_org and s.environment = of_environment and s.id > after and s.id <= last and s.query::text ~* pattern
      and m.org_id = of_org and m.environment = of_environment and m.screening_id = s.id;
  elsif of_table = 'unread_webhooks' then
    update unread_webhooks u set body = null
    where u.org_id = of_org and u.environment = of_environment and u.source_id > after and u.source_id <= last and u.body ~* pattern;
  end if;
  execute format('update %1$I set %2$s where org_id = $1 and environment = $2 and %3$I > $3 and %3$I <= $4 and (%4$s)',
    of_table, array_to_string(place.sets, ', '), place.key, array_to_string(place.finds, ' or '))
  using of_org, of_environment, after, last, pattern;
  get diagnostics changed = row_count;
end
$$;
revoke all on function erase_words(text, text, text, text, integer, text) from public;
grant execute on function erase_words(text, text, text, text, integer, text) to oversight_service;
comment on table audit_log is 'Who changed what. The service can add rows; it can take out the words of an erasure (erase_words), and remove old rows (remove_audit_entries).';

-- Of what a mandate was held against, only what cannot name anybody stays.
create or replace function erase_events(of_org text, of_environment text, of_erasure text, seqs bigint[], inputs text[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare emptied bigint;
begin
  perform need_erasure(of_org, of_environment, of_erasure);
  update events e set input = n.input,
    payee_name_key = case when n.input::jsonb #>> '{payment,payee,key}' <> 'erased:' || e.payee_id then e.payee_name_key end
  from unnest(seqs, inputs) as n (chain_seq, input)
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = n.chain_seq and is_emptied(e, n.input::jsonb)
    and exists (
      select from erased_events x where x.org_id = of_org and x.environment = of_environment and x.chain_seq = e.chain_seq
        and x.erasure_id = of_erasure);
  get diagnostics emptied = row_count;
  if emptied <> cardinality(seqs) then
    raise exception 'an event would say what it did not say before, or was not stated to be erased' using errcode = '55000';
  end if;
  update evidence v set value = null, label = null from events e
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = any(seqs)
    and v.org_id = of_org and v.environment = of_environment and v.event_id = e.id;
  delete from signed_inputs s using events e
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = any(seqs)
    and s.org_id = of_org and s.environment = of_environment and s.event_id = e.id;
  update verification_runs r set checks = (
    select coalesce(jsonb_agg(c - 'detail' order by n), '[]') from jsonb_array_elements(r.checks) with ordinality as t (c, n))
  where r.org_id = of_org and r.environment = of_environment and r.chain_seq = any(seqs);
  update mandate_evaluations m set constraints = (
    select coalesce(jsonb_agg(
      case when c ->> 'type' ~ '^payment\.(amount_range|budget|agent_recurrence|velocity|(allowed|blocked)_(categories|countries)|allowed_(rails|currencies|networks|assets)|execution_date|time_of_day|approval_required)$'
      then c else c || '{"observed": null, "limit": null}' end order by n), '[]')
    from jsonb_array_elements(m.constraints::jsonb) with ordinality as t (c, n))::text
  where m.org_id = of_org and m.environment = of_environment and m.chain_seq = any(seqs);
end
$$;

-- Alerts name an event by event_key; what they say about events that are emptied is looked for the words of these events.
create function erase_words_of_alerts(of_org text, of_environment text, of_erasure text, seqs bigint[], words text[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  pattern text := words_pattern(words);
  ids text[];
begin
  perform need_erasure(of_org, of_environment, of_erasure);
  if pattern is null then return; end if;
  select array_agg(distinct n.alert_id) into ids
  from erased_events x join events e using (org_id, environment, chain_seq)
  join alert_events n on event_key(n.org_id, n.environment, n.event_id) = event_key(of_org, of_environment, e.id)
    and n.org_id = of_org and n.environment = of_environment and n.event_id = e.id
  where x.org_id = of_org and x.environment = of_environment and x.chain_seq = any(seqs) and x.erasure_id = of_erasure;
  update alerts a set title = without_words(title, pattern), explanation = without_words(explanation, pattern)
  where a.org_id = of_org and a.environment = of_environment and a.id = any(ids) and (a.title ~* pattern or a.explanation ~* pattern);
  update incidents i set lead_title = without_words(lead_title, pattern)
  where i.org_id = of_org and i.environment = of_environment and i.lead_title ~* pattern and i.id in (
    select a.incident_id from alerts a where a.org_id = of_org and a.environment = of_environment and a.id = any(ids));
  update alert_actions t set reason = without_words(reason, pattern)
  where t.org_id = of_org and t.environment = of_environment and t.alert_id = any(ids) and t.reason ~* pattern;
end
$$;
revoke all on function erase_words_of_alerts(text, text, text, bigint[], text[]) from public;
grant execute on function erase_words_of_alerts(text, text, text, bigint[], text[]) to oversight_service;
