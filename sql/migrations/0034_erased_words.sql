-- What repeats the names of somebody whose data is erased: texts about events, what people wrote, the audit log.

-- What an erasure looks for; it is kept until the erasure is done.
create table erasure_words (
  org_id text not null,
  environment text not null,
  erasure_id text not null,
  word_hash bytea not null,
  word text not null,
  everywhere boolean not null,
  primary key (org_id, environment, erasure_id, word_hash)
);
revoke update on erasure_words from oversight_service;
comment on table erasure_words is 'The names and keys that an erasure still looks for; none once it is done.';
comment on column erasure_words.org_id is 'The organization (organizations.id).';
comment on column erasure_words.environment is '`sandbox` or `production`, which never meet.';
comment on column erasure_words.erasure_id is 'The erasure (erasures.id).';
comment on column erasure_words.word_hash is 'SHA-256 of the word, by which it is gone through.';
comment on column erasure_words.word is 'A name or a key, in one way of writing it.';
comment on column erasure_words.everywhere is 'Whether it is looked for in every text; else in what is linked to the erased events, since it may mean something else.';

-- Some words as one pattern: whole words, whatever their case. A short one would be found everywhere.
create function words_pattern(words text[]) returns text language sql immutable set search_path = public, pg_temp as $$
  select '(?<![[:alnum:]])(?:' || string_agg(regexp_replace(w, '([][\\.^$*+?(){}|-])', '\\\1', 'g'), '|' order by length(w) desc, w) || ')(?![[:alnum:]])'
  from unnest(words) w where length(w) >= 4
$$;

-- The next words of an erasure, at most some 8,000 characters: a longer pattern would take too long. `last` is where the next ones begin, null where
-- there are none. The words that also mean something else are apart: they are looked for in what is linked to erased events alone.
create function erased_pattern(of_org text, of_environment text, of_erasure text, after_word text, out everywhere text, out linked text, out last text)
language sql stable set search_path = public, pg_temp as $$
  with next as (
    select w.word_hash, w.word, w.everywhere from erasure_words w
    where w.org_id = of_org and w.environment = of_environment and w.erasure_id = of_erasure and w.word_hash > decode(after_word, 'hex')
    order by w.word_hash limit 200),
  part as (select s.*, sum(length(s.word)) over (order by s.word_hash) - length(s.word) as before from next s)
  select words_pattern(array_agg(p.word) filter (where p.everywhere)), words_pattern(array_agg(p.word) filter (where not p.everywhere)),
    max(encode(p.word_hash, 'hex'))
  from part p where p.before < 8000
$$;

-- Whether an event was emptied by an erasure, and whether an alert or a case is about one that was.
create function erases_event(of_org text, of_environment text, of_erasure text, of_event text)
returns boolean language sql stable set search_path = public, pg_temp as $$
  select exists (
    select from events e join erased_events x using (org_id, environment, chain_seq)
    where e.org_id = of_org and e.environment = of_environment and e.id = of_event and x.erasure_id = of_erasure)
$$;
create function erases_alert(of_org text, of_environment text, of_erasure text, of_alert text)
returns boolean language sql stable set search_path = public, pg_temp as $$
  select exists (
    select from alert_events n join erased_events x using (org_id, environment, chain_seq)
    where n.org_id = of_org and n.environment = of_environment and n.alert_id = of_alert and x.erasure_id = of_erasure)
$$;
create function erases_case(of_org text, of_environment text, of_erasure text, of_case text)
returns boolean language sql stable set search_path = public, pg_temp as $$
  select exists (
      select from case_links k where k.org_id = of_org and k.environment = of_environment and k.case_id = of_case and case k.kind
        when 'event' then erases_event(of_org, of_environment, of_erasure, k.target_id)
        when 'alert' then erases_alert(of_org, of_environment, of_erasure, k.target_id) end)
    or exists (
      select from alerts a where a.org_id = of_org and a.environment = of_environment and a.case_id = of_case
        and erases_alert(of_org, of_environment, of_erasure, a.id))
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

-- Takes words of an erasure out of the next rows of a table. `last` is the last row that was looked at, null where there was none.
create function erase_words(of_org text, of_environment text, of_erasure text, of_table text, after_word text, after text, out changed bigint, out last text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  patterns record;
  place record;
  pattern text;
  found_rows bigint;
begin
  perform need_erasure(of_org, of_environment, of_erasure);
  changed := 0;
  select p.everywhere, p.linked, s.subject_id into patterns
  from erased_pattern(of_org, of_environment, of_erasure, after_word) p, erasures s
  where s.org_id = of_org and s.environment = of_environment and s.id = of_erasure;
  select p.key, p.linked, array(select format('%1$I = without_words(%1$I, $5)', c) from unnest(p.texts) c)
      || array(select format('%1$I = without_words_in(%1$I, $5, false)', c) from unnest(p.jsons) c) as sets,
    array(select format('%I ~* $5', c) from unnest(p.texts) c) || array(select format('%I::text ~* $5', c) from unnest(p.jsons) c) as finds
  into place from (values
    ('alerts', 'id', '{title,explanation}'::text[], '{}'::text[], 'erases_alert($1, $2, $6, t.id)'),
    ('alert_actions', 'alert_id', '{reason}', '{}', 'erases_alert($1, $2, $6, t.alert_id)'),
    ('incidents', 'id', '{lead_title}', '{}', 'exists (
      select from alerts a where a.org_id = $1 and a.environment = $2 and a.incident_id = t.id and erases_alert($1, $2, $6, a.id))'),
    ('shadow_findings', 'id', '{title,explanation}', '{}', 'erases_event($1, $2, $6, t.event_id)'),
    ('backtests', 'id', '{}', '{sample}', 'false'),
    ('cases', 'id', '{title,closing_note}', '{}', 'erases_case($1, $2, $6, t.id)'),
    ('case_timeline', 'case_id', '{}', '{detail}', 'erases_case($1, $2, $6, t.case_id)'),
    ('case_holds', 'case_id', '{reason}', '{}', 'erases_case($1, $2, $6, t.case_id)'),
    ('screenings', 'id', '{reason}', '{query,allowed_by}', $w$t.payee_id = $7 or t.query ->> 'name' ~* $5 and t.query ->> 'name' !~ '\s'$w$),
    ('mandates', 'id', '{name}', '{}', '$7 in (t.agent_id, t.owner_id)'),
    ('mandate_versions', 'mandate_id', '{name}', '{}', 'exists (
      select from mandates m where m.org_id = $1 and m.environment = $2 and m.id = t.mandate_id and $7 in (m.agent_id, m.owner_id))'),
    ('packs', 'id', '{title}', '{}', 'exists (
      select from pack_events p join erased_events x using (org_id, environment)
      where p.org_id = $1 and p.environment = $2 and p.pack_id = t.id and x.chain_seq = any(p.chain_seqs) and x.erasure_id = $6)'),
    ('audit_log', 'id', '{}', '{before,after}', 't.target_id = $7 or erases_alert($1, $2, $6, t.target_id) or erases_case($1, $2, $6, t.target_id)'),
    ('webhook_attempts', 'delivery_id', '{response,error}', '{}', 'false'),
    ('unread_webhooks', 'source_id', '{notice}', '{problems}', 'false')
  ) as p (name, key, texts, jsons, linked) where p.name = of_table;
  if not found then raise exception 'no words are erased from %', of_table using errcode = '22023'; end if;
  if coalesce(patterns.everywhere, patterns.linked) is null then return; end if;
  execute format('
    select max(k) from (select %1$I as k from %2$I where org_id = $1 and environment = $2 and %1$I > $3 order by %1$I limit 2000) s', place.key, of_table)
  into last using of_org, of_environment, after;
  if last is null then return; end if;
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
    using of_org, of_environment, after, last, pattern, of_erasure, patterns.subject_id;
    get diagnostics found_rows = row_count;
    changed := changed + found_rows;
  end loop;
end
$$;
revoke all on function erase_words(text, text, text, text, text, text) from public;
grant execute on function erase_words(text, text, text, text, text, text) to oversight_service;
comment on table audit_log is 'Who changed what. The service can add rows; it can take out the words of an erasure (erase_words), and remove old rows (remove_audit_entries).';

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
