-- A sentence on every table and column, for whoever reads the database or schema.sql. What most tables have alike is said at the end.

-- Organizations and keys ----------------------------------------------------------------------------------------------

comment on table organizations is 'An organization whose agents are overseen. Every other table of a tenant names it in org_id.';
comment on column organizations.id is 'The organization, as `org_…`.';
comment on column organizations.name is 'What it is called; no two organizations have one name.';

comment on table api_keys is 'A key that machines call the API with. The key itself is not stored.';
comment on column api_keys.id is 'The key, as `key_…`.';
comment on column api_keys.name is 'What people call it.';
comment on column api_keys.env is 'Which environment the key opens: `test` the sandbox, `live` production.';
comment on column api_keys.scopes is 'What the key may do.';
comment on column api_keys.prefix is 'The first 12 characters of the key, by which people recognize it.';
comment on column api_keys.default_source_id is 'The source of events that are sent with this key and name none.';
comment on column api_keys.last_used_at is 'When it was last used; null if never.';
comment on column api_keys.revoked_at is 'When it was revoked; null while it is valid.';

comment on table api_key_directory is 'Finds the organization of an API key, before anything else is known of the caller.';
comment on column api_key_directory.hash is 'SHA-256 of the key.';
comment on column api_key_directory.key_id is 'The key (api_keys.id).';

-- Who and what takes part ---------------------------------------------------------------------------------------------

comment on table sources is 'A system that sends events, and what its signatures are verified with.';
comment on column sources.id is 'The source, as `src_…`.';
comment on column sources.name is 'What people call it.';
comment on column sources.kind is 'What it is: `sdk`, `psp_webhook`, `facilitator`, `mcp_proxy`, `import` or `other`.';
comment on column sources.description is 'What people wrote about it.';
comment on column sources.public_key is 'The public key that verifies its signed events, as a JWK (RFC 7517).';
comment on column sources.key_thumbprint is 'RFC 7638 thumbprint of public_key.';
comment on column sources.psp_scheme is 'How its payment service signs webhooks: `stripe`, `standard_webhooks`, `adyen` or `generic`; null if it is none.';
comment on column sources.psp_config is 'How a `generic` scheme signs.';
comment on column sources.sealed_secret is 'The secret that verifies webhooks of its payment service, encrypted with SECRET_KEY.';
comment on column sources.state is 'Events of a `disabled` source are refused.';
comment on column sources.last_event_at is 'When its latest event arrived.';

comment on table owners is 'On whose behalf agents pay. A row is written when the owner is first named in an event.';
comment on column owners.id is 'The owner, as `own_…`.';
comment on column owners.external_id is 'What the organization''s own systems call it.';
comment on column owners.name is 'Its name, as reported.';
comment on column owners.country is 'Its country (ISO 3166-1 alpha-2), as reported.';

comment on table agents is 'A software agent that pays. A row is written when the agent is first named in an event.';
comment on column agents.id is 'The agent, as `agt_…`.';
comment on column agents.external_id is 'What the organization''s own systems call it.';
comment on column agents.owner_id is 'On whose behalf it pays (owners.id).';
comment on column agents.name is 'Its name, as reported.';
comment on column agents.framework is 'The framework it is built with, as reported.';
comment on column agents.model is 'The language model it runs on, as reported.';
comment on column agents.folded is 'Its name in lower case and without accents, which searches look in.';
comment on column agents.labels is 'Labels that people gave it.';

comment on table payees is 'Who is paid. A row is written when the payee is first named in an event.';
comment on column payees.id is 'The payee, as `pye_…`.';
comment on column payees.key is 'What identifies it, such as `domain:shop.example.com` or `eip155:8453:0x…`.';
comment on column payees.type is 'What kind of payee it is, as reported.';
comment on column payees.name is 'Its name, as reported.';
comment on column payees.country is 'Its country (ISO 3166-1 alpha-2), as reported.';
comment on column payees.aliases is 'Names that it had before, as reported.';
comment on column payees.folded is 'Its key and names in lower case and without accents, which searches look in.';
comment on column payees.screening_state is 'What its latest screening came to. A payee that matched keeps that until it has been screened anew.';
comment on column payees.screening_score is 'The score of the best match in its latest screening, from 0 to 1.';
comment on column payees.screening_match is 'The name of the best match in its latest screening.';
comment on column payees.screening_id is 'Its latest screening (screenings.id).';
comment on column payees.screening_due_at is 'When it is to be screened; null: not before it or a list changes.';
comment on column payees.screening_attempts is 'How many screenings in a row could not be made.';

-- The event log -------------------------------------------------------------------------------------------------------

comment on table event_logs is 'One row a log, which is the events of an organization in an environment. Its row lock makes chain_seq gapless and received_at monotonic.';
comment on column event_logs.size is 'How many events the log has, which is the chain_seq of its last.';
comment on column event_logs.last_received_at is 'When its last event was received.';

comment on table events is 'The log: reports that something happened to a payment. The service can add rows and neither change nor remove any.';
comment on column events.chain_seq is 'Its position in the log, counted from 1 without gaps.';
comment on column events.id is 'The event, as `evt_…`, chosen by the sender: sending it again adds nothing.';
comment on column events.type is 'What happened, such as `payment.settled`.';
comment on column events.occurred_at is 'When it happened, as reported.';
comment on column events.received_at is 'When the service wrote it down.';
comment on column events.payment_id is 'The payment that it is about, as the sender calls it.';
comment on column events.rail is 'How the payment is made, such as `card` or `x402`.';
comment on column events.status is 'How the payment stands, as reported.';
comment on column events.amount_usd_micro is 'The amount in millionths of a US dollar; null if it could not be priced.';
comment on column events.amount_usd_minor is 'The amount in US cents; null if it could not be priced.';
comment on column events.mandate_id is 'The mandate that the event names; null if it names none.';
comment on column events.evidence_count is 'How many pieces of evidence came with it.';
comment on column events.price_key is 'First 8 bytes of a SHA-256 over amount and denomination: equal amounts have equal keys.';
comment on column events.resource_key is 'First 8 bytes of a SHA-256 over resource_url; null if the event names none.';
comment on column events.tool_key is 'First 8 bytes of a SHA-256 over context.tool_name; null if the event names none.';
comment on column events.tool_call_key is 'First 8 bytes of a SHA-256 over context.tool_call_id; null if the event names none.';
comment on column events.attempt is 'Which attempt at the payment this was, as reported.';
comment on column events.event_digest is 'SHA-256 of input.';
comment on column events.leaf_hash is 'The hash that stands for the event in the Merkle tree of the log (RFC 6962).';
comment on column events.input is 'RFC 8785 text of the normalized event, in which evidence stands as its SHA-256.';
comment on column events.signed is 'Whether it came with a signature; signed_inputs has what that covers.';
comment on column events.payee_country is 'The country of the payee (ISO 3166-1 alpha-2), as this event says.';
comment on column events.payee_name_key is 'First 8 bytes of a SHA-256 over the folded name of the payee, as this event says.';
comment on column events.domain_key is 'First 8 bytes of a SHA-256 over the host of resource_url; null if the event names none.';

comment on table evidence is 'Evidence that came with an event. Its value can be erased, after which the log still verifies.';
comment on column evidence.position is 'Which piece of the event''s evidence it is, counted from 0.';
comment on column evidence.id is 'The piece of evidence, as `evd_…`.';
comment on column evidence.kind is 'What kind of evidence it is, which decides how it is verified.';
comment on column evidence.media_type is 'Its media type, as reported.';
comment on column evidence.encoding is 'How the value is encoded, as reported.';
comment on column evidence.label is 'What the sender called it.';
comment on column evidence.is_object is 'Whether it was sent as a JSON object, and not as text.';
comment on column evidence.sha256 is 'SHA-256 of the value, which is what the log holds of it.';
comment on column evidence.value is 'What was sent; null once it was erased.';

comment on table signed_inputs is 'What the signature of a signed event covers.';
comment on column signed_inputs.input is 'RFC 8785 text of the event as it was sent, without the signature.';

comment on table fx_rates is 'What a unit of a currency was worth on a day, as the operator loaded it.';
comment on column fx_rates.currency is 'The currency (ISO 4217).';
comment on column fx_rates.date is 'The day.';
comment on column fx_rates.usd_per_unit is 'How many US dollars one unit of the currency was worth.';

-- The Merkle tree of the log ------------------------------------------------------------------------------------------

comment on table log_trees is 'One row a log: how far its Merkle tree has grown. Whoever holds the row lock lets it grow and signs it.';
comment on column log_trees.origin is 'The name of the log in its checkpoints, which never changes.';
comment on column log_trees.size is 'How many events are in the tree.';
comment on column log_trees.edge is 'On each level the tile that is not full yet, one after the other.';
comment on column log_trees.checkpoint_size is 'The size of the tree at its latest checkpoint.';
comment on column log_trees.next_at is 'When reconcile may ask for a checkpoint again.';

comment on table log_tiles is 'Full tiles of the Merkle tree (C2SP tlog-tiles, height 8). A tile is written once.';
comment on column log_tiles.level is 'On level 0 are the hashes of events; on every other are those of the tiles below.';
comment on column log_tiles.tile_index is 'Which tile of its level it is, counted from 0.';
comment on column log_tiles.hashes is 'Its 256 hashes of 32 bytes, one after the other.';

comment on table log_checkpoints is 'A statement of how many events a log had and what its root hash was, signed.';
comment on column log_checkpoints.size is 'How many events the tree had.';
comment on column log_checkpoints.root_hash is 'The root hash of the tree.';
comment on column log_checkpoints.note is 'The signed statement (C2SP note), as it is published.';
comment on column log_checkpoints.kid is 'The key that signed it (log_signing_keys.kid).';

comment on table log_signing_keys is 'Keys of the deployment that sign checkpoints and packs. One is current; the others are kept for what they signed.';
comment on column log_signing_keys.kid is 'RFC 7638 thumbprint of the public key.';
comment on column log_signing_keys.x is 'The public key as in its JWK (RFC 8037).';
comment on column log_signing_keys.sealed_private_key is 'The private key, encrypted with SECRET_KEY; null if it is that of LOG_SIGNING_KEY.';
comment on column log_signing_keys.endorsement is 'HMAC of the key by SECRET_KEY: a key that somebody else put here is not believed.';
comment on column log_signing_keys.retired_at is 'When another key took its place; null for the current key.';

comment on table log_witnesses is 'How far the witness has been told of the checkpoints of a log.';
comment on column log_witnesses.size is 'The size of the tree at the latest checkpoint that it was told of.';
comment on column log_witnesses.next_at is 'When it may be told again; whoever tells it moves this on.';

-- Detection -----------------------------------------------------------------------------------------------------------

comment on table detection_cursors is 'How far a log has been analyzed. Whoever holds the row lock is the one who analyzes.';
comment on column detection_cursors.seq is 'The chain_seq of the last event that was analyzed.';
comment on column detection_cursors.moved_at is 'When the cursor last moved.';

comment on table analyzed_ranges is 'A range of events that was analyzed in one transaction. Ranges do not overlap.';
comment on column analyzed_ranges.to_seq is 'The chain_seq of its last event.';
comment on column analyzed_ranges.from_seq is 'The chain_seq of its first event.';
comment on column analyzed_ranges.analyzed_at is 'When it was analyzed.';
comment on column analyzed_ranges.failures is 'Events that made a detector or verifier throw, as chain_seq and the name of what threw; null if there were none.';

comment on table agent_totals is 'How much an agent has done in all, kept by detection so that it need not be counted.';
comment on column agent_totals.event_count is 'How many events it has.';
comment on column agent_totals.last_seen_at is 'When its latest event was received.';

comment on table owner_totals is 'How much an owner''s agents have done in all, kept by detection.';
comment on column owner_totals.agent_count is 'How many agents pay on its behalf.';
comment on column owner_totals.last_seen_at is 'When its latest event was received; null while only its agents were seen, in events of other owners.';

comment on table payee_totals is 'How much a payee was paid in all, kept by detection.';
comment on column payee_totals.event_count is 'How many events name it.';
comment on column payee_totals.agent_count is 'How many agents have paid it.';
comment on column payee_totals.last_seen_at is 'When its latest event was received.';

comment on table agent_hours is 'What an agent did in one hour: the baseline that its later hours are compared with.';
comment on column agent_hours.hour is 'The beginning of the hour (UTC).';
comment on column agent_hours.payments is 'How many payments began in it.';
comment on column agent_hours.spend_usd_micro is 'What was paid in it, in millionths of a US dollar.';
comment on column agent_hours.busiest_minute is 'The most payments that began within one of its minutes.';

comment on table agent_days is 'What an agent did on a day by one rail to one payee. A payment counts on the day it began, its cost on the day it was first paid.';
comment on column agent_days.day is 'The day (UTC).';
comment on column agent_days.rail is 'The rail.';
comment on column agent_days.events is 'How many events occurred.';
comment on column agent_days.payments is 'How many payments began.';
comment on column agent_days.spend_usd_micro is 'What was paid, in millionths of a US dollar.';

comment on table organization_hours is 'What all agents of an organization did in one hour.';
comment on column organization_hours.hour is 'The beginning of the hour (UTC).';
comment on column organization_hours.events is 'How many events occurred in it.';
comment on column organization_hours.payments is 'How many payments began in it.';
comment on column organization_hours.spend_usd_micro is 'What was paid in it, in millionths of a US dollar.';

comment on table agent_verdict_days is 'How many events of an agent came to which verdict, by the day (UTC) on which they occurred.';
comment on column agent_verdict_days.day is 'The day (UTC).';
comment on column agent_verdict_days.verified is 'How many events have all their evidence verified.';
comment on column agent_verdict_days.failed is 'How many events have evidence that failed.';
comment on column agent_verdict_days.inconclusive is 'How many events have evidence that could not be decided on.';
comment on column agent_verdict_days.compliant is 'How many events keep to every mandate that applies.';
comment on column agent_verdict_days.breach is 'How many events break a mandate.';
comment on column agent_verdict_days.unresolved is 'How many events may or may not break a mandate.';

comment on table agent_payees is 'The payees an agent has paid. A row is written once, at the first payment.';
comment on column agent_payees.first_seen_at is 'When the first payment occurred.';
comment on column agent_payees.first_seq is 'The chain_seq of the event that reported it.';

comment on table agent_countries is 'The countries an agent has paid to. A row is written once, at the first payment.';
comment on column agent_countries.country is 'The country (ISO 3166-1 alpha-2).';
comment on column agent_countries.first_seen_at is 'When the first payment occurred.';
comment on column agent_countries.first_seq is 'The chain_seq of the event that reported it.';

comment on table payee_identities is 'What a payee goes by that another one could be mistaken for. A row is written once, when the payee is first paid under it.';
comment on column payee_identities.identity is '`name:` or `domain:` with the key of an event, or `wallet:` with the first and last four characters of the address.';
comment on column payee_identities.first_seen_at is 'When that first payment occurred.';
comment on column payee_identities.first_seq is 'The chain_seq of the event that reported it.';

comment on table detector_settings is 'How an organization set a detector; without a row its defaults hold.';
comment on column detector_settings.detector is 'The name of the detector.';
comment on column detector_settings.enabled is 'Whether it judges at all.';
comment on column detector_settings.shadow is 'Whether it records what it finds and raises no alerts.';
comment on column detector_settings.params is 'The parameters that differ from the defaults, as JSON.';
comment on column detector_settings.severity_floor is 'Findings below this severity are recorded and raise no alerts.';
comment on column detector_settings.cooldown_s is 'For how many seconds after an alert is closed the same finding raises no new one, unless it is worse.';
comment on column detector_settings.updated_at is 'When the settings were last changed.';

comment on table shadow_findings is 'What would have been an alert, of a detector in shadow or below its severity floor. One row a day for each detector, agent and subject.';
comment on column shadow_findings.id is 'The finding.';
comment on column shadow_findings.detector is 'The detector that found it.';
comment on column shadow_findings.dedup_agent_id is 'The agent that it is told apart by; empty: one finding a subject, whichever agent.';
comment on column shadow_findings.subject is 'What it is about, within detector and agent.';
comment on column shadow_findings.day is 'The day (UTC).';
comment on column shadow_findings.reason is 'Why it raised no alert.';
comment on column shadow_findings.event_id is 'The event that it was first found at.';
comment on column shadow_findings.severity is 'How severe it is.';
comment on column shadow_findings.score is 'How bad it is, from 0 to 100.';
comment on column shadow_findings.title is 'What was found, in a few words.';
comment on column shadow_findings.explanation is 'What was found, with the numbers.';
comment on column shadow_findings.hits is 'How often it was found on that day.';
comment on column shadow_findings.last_at is 'When it was last found.';

comment on table sweep_cursors is 'How far a log has been looked through for what has become overdue.';
comment on column sweep_cursors.kind is 'What is looked for, such as `settlement_missing:card`.';
comment on column sweep_cursors.seq is 'What was authorized up to this chain_seq has been judged.';
comment on column sweep_cursors.next_at is 'Nothing becomes overdue before this time.';
comment on column sweep_cursors.settings_at is 'The updated_at of the settings by which next_at was computed.';

comment on table report_habits is 'Which of an agent''s latest authorizations over a rail were reported on in time.';
comment on column report_habits.rail is 'The rail.';
comment on column report_habits.seen is 'How many authorizations are remembered, at most 20.';
comment on column report_habits.outcomes is 'One bit for each of the latest 20, the lowest is the last; set: it was reported on in time.';

comment on table source_rhythms is 'At what pace the events of a source arrive, by which its silence is noticed.';
comment on column source_rhythms.last_seq is 'The chain_seq of its latest event.';
comment on column source_rhythms.rhythm is 'What is known of the intervals between its events, as JSON.';
comment on column source_rhythms.told is 'Whether its silence since last_seq has been reported.';
comment on column source_rhythms.look_at is 'When to see whether it has fallen silent; null: not before its next event.';

comment on table backtests is 'A back-test: what a detector would have found in the past with other parameters.';
comment on column backtests.id is 'The back-test, as `bkt_…`.';
comment on column backtests.detector is 'The detector.';
comment on column backtests.from_at is 'The beginning of the time that is looked at.';
comment on column backtests.to_at is 'The end of the time that is looked at.';
comment on column backtests.params is 'Every parameter, as it was when the back-test was requested.';
comment on column backtests.cooldown_s is 'The cooldown it is run with, in seconds.';
comment on column backtests.state is 'How it stands.';
comment on column backtests.attempts is 'How often it was begun.';
comment on column backtests.progress is 'How much is done, from 0 to 1.';
comment on column backtests.events is 'How many events it has judged.';
comment on column backtests.findings is 'How many alerts there would have been.';
comment on column backtests.sample is 'The findings with the highest scores, as JSON.';
comment on column backtests.truncated is 'Whether there were more events than a back-test goes through.';
comment on column backtests.error is 'Why it failed; null if it did not.';
comment on column backtests.started_at is 'When it was begun.';
comment on column backtests.finished_at is 'When it was done, or failed.';
comment on column backtests.next_at is 'When somebody has to look at it again; whoever runs it moves this on.';

-- Alerts and cases ----------------------------------------------------------------------------------------------------

comment on table alerts is 'Something that a detector found and people act on.';
comment on column alerts.id is 'The alert, as `alr_…`.';
comment on column alerts.detector is 'The detector that raised it.';
comment on column alerts.subject is 'What it is about: detector, agent and subject have at most one alert that is not closed.';
comment on column alerts.dedup_agent_id is 'The agent that it is told apart by; empty: one alert a subject, whichever agent.';
comment on column alerts.severity is 'How severe it is.';
comment on column alerts.title is 'What was found, in a few words.';
comment on column alerts.explanation is 'What was found, with the numbers.';
comment on column alerts.score is 'How bad it is, from 0 to 100.';
comment on column alerts.state is 'How people have dealt with it.';
comment on column alerts.case_id is 'The case that it belongs to (cases.id); null if to none.';
comment on column alerts.closed_at is 'When it was resolved or dismissed; null while it is not.';
comment on column alerts.closed_score is 'Its score when it was closed: during the cooldown only what is worse raises a new alert.';

comment on table alert_events is 'The events that an alert is about.';
comment on column alert_events.chain_seq is 'The position of the event in the log.';

comment on table alert_actions is 'What people did about an alert.';
comment on column alert_actions.id is 'The action.';
comment on column alert_actions.action is 'What was done, such as `acknowledge`, `dismiss` or `comment`.';
comment on column alert_actions.reason is 'What the person wrote about it.';

comment on table cases is 'What people look into, together with what it is about.';
comment on column cases.id is 'The case, as `cas_…`.';
comment on column cases.title is 'What it is called.';
comment on column cases.status is 'How far people have got with it.';
comment on column cases.priority is 'How urgent it is.';
comment on column cases.agent_id is 'The agent that it is about; null if about no single one.';
comment on column cases.assignee_id is 'Who looks into it (users.id); null if nobody.';
comment on column cases.closed_at is 'When it was closed; null while it is not.';
comment on column cases.closing_note is 'What people wrote when they closed it.';

comment on table case_links is 'What a case was linked to. Rows stay: a closed case keeps what it was about when an alert goes on in another one.';
comment on column case_links.kind is 'What kind of thing it was linked to.';
comment on column case_links.target_id is 'That thing.';
comment on column case_links.linked_at is 'When it was linked.';

comment on table case_agents is 'The agents a case is about: its own, and those of what it is linked to.';

comment on table case_timeline is 'What happened in a case.';
comment on column case_timeline.id is 'The entry.';
comment on column case_timeline.kind is 'What happened, such as `created` or `linked`.';
comment on column case_timeline.detail is 'What else the entry says, which depends on its kind.';

-- Mandates ------------------------------------------------------------------------------------------------------------

comment on table mandates is 'What an agent may spend, as it stands now. That it has expired is not written: it follows from valid_until.';
comment on column mandates.id is 'The mandate, as `mnd_…`.';
comment on column mandates.agent_id is 'The agent that it allows to pay (agents.id).';
comment on column mandates.owner_id is 'On whose behalf (owners.id).';
comment on column mandates.name is 'What people call it.';
comment on column mandates.state is 'Whether it allows anything at present.';
comment on column mandates.version is 'The number of its current version (mandate_versions.version).';
comment on column mandates.valid_from is 'From when on it allows payments; null: from its creation on.';
comment on column mandates.valid_until is 'Until when it allows payments; null: without end.';
comment on column mandates.human_presence is 'Whether a person has to be present at the payment.';
comment on column mandates.constraints is 'The conditions of a payment, as JSON.';
comment on column mandates.external_ref is 'What the organization''s own systems, or the evidence that it was found in, call it.';
comment on column mandates.source is '`native` if it was made here, `ap2` if it was found in evidence.';
comment on column mandates.book_version is 'Moves when payments under it are changed by anything other than the consumer of the log.';
comment on column mandates.signed_constraints is 'The conditions as they were signed, of a mandate that was found in evidence.';

comment on table mandate_versions is 'Every version of every mandate. An evaluation names the version it was made by.';
comment on column mandate_versions.version is 'Which version it is, counted from 1.';
comment on column mandate_versions.name is 'What people called it.';
comment on column mandate_versions.state is 'Whether it allowed anything.';
comment on column mandate_versions.valid_from is 'From when on it allowed payments.';
comment on column mandate_versions.valid_until is 'Until when it allowed payments.';
comment on column mandate_versions.human_presence is 'Whether a person had to be present at the payment.';
comment on column mandate_versions.constraints is 'The conditions of a payment, as JSON.';
comment on column mandate_versions.external_ref is 'What the organization''s own systems called it.';

comment on table mandate_evaluations is 'An event held against a mandate. A further row is written only when the result changes; the latest is what holds.';
comment on column mandate_evaluations.number is 'Orders the evaluations of an event under a mandate.';
comment on column mandate_evaluations.version is 'The version of the mandate that it was held against.';
comment on column mandate_evaluations.position_at is 'When the payment was first paid, which is where it stands in the budgets.';
comment on column mandate_evaluations.position_seq is 'The chain_seq of the event by which it was first paid.';
comment on column mandate_evaluations.result is 'Whether the payment keeps to the mandate.';
comment on column mandate_evaluations.constraints is 'What was observed and what is allowed, constraint by constraint, as JSON.';

comment on table mandate_payments is 'What each payment under a mandate comes to, added up from the events that were held against the mandate.';
comment on column mandate_payments.paid_at is 'When it first counted as paid; null while it never has.';
comment on column mandate_payments.paid_seq is 'The chain_seq of the event by which it first counted.';
comment on column mandate_payments.moved is 'Whether it stood later before: its evaluations may give a later position_at.';
comment on column mandate_payments.latest_at is 'When its latest event occurred.';
comment on column mandate_payments.latest_seq is 'The chain_seq of its latest event.';
comment on column mandate_payments.undone is 'Whether its latest event says that it failed or was canceled.';
comment on column mandate_payments.counted_at is 'When the event occurred that says what it costs; null while none does.';
comment on column mandate_payments.counted_seq is 'The chain_seq of that event.';
comment on column mandate_payments.denomination is 'The currency or asset of value.';
comment on column mandate_payments.value is 'What it costs, in the smallest unit of its denomination.';
comment on column mandate_payments.usd_micro is 'What it costs in millionths of a US dollar; null if it could not be priced.';
comment on column mandate_payments.refunded_in is 'The denomination of all refunds; `mixed` if they differ, null while there is none.';
comment on column mandate_payments.refunded_value is 'What was refunded, in the smallest unit of refunded_in.';
comment on column mandate_payments.refunded_usd_micro is 'What was refunded, in millionths of a US dollar.';

comment on table budget_marks is 'A budget that crossed a threshold, which it does once a period.';
comment on column budget_marks.budget is 'The budget constraint, as RFC 8785 text: other terms are another budget.';
comment on column budget_marks.period is 'The period of the budget.';
comment on column budget_marks.percent is 'The threshold, in percent of the limit.';
comment on column budget_marks.chain_seq is 'The event that crossed it.';

comment on table reevaluations is 'Payments under a mandate that are to be evaluated again, because an earlier one was reported late.';
comment on column reevaluations.from_at is 'The beginning of the time in which they were paid.';
comment on column reevaluations.until_at is 'The end of that time.';
comment on column reevaluations.after_at is 'The time of the last payment that was evaluated again; null before the first.';
comment on column reevaluations.after_seq is 'The chain_seq of the last payment that was evaluated again; null before the first.';
comment on column reevaluations.next_at is 'When somebody has to look at it; whoever works on it moves this on.';
comment on column reevaluations.requested_at is 'When it became necessary.';

-- Verification --------------------------------------------------------------------------------------------------------

comment on table verification_runs is 'A piece of evidence verified, with an outcome it had not had before; the latest run of a piece is what holds.';
comment on column verification_runs.id is 'The run.';
comment on column verification_runs.number is 'Orders the runs of an event, since the clocks of two processes differ.';
comment on column verification_runs.kind is 'What was verified.';
comment on column verification_runs.evidence_id is 'The piece of evidence (evidence.id); null: the signature of the event itself.';
comment on column verification_runs.result is 'What it came to.';
comment on column verification_runs.checks is 'Every step with what it found, as JSON.';
comment on column verification_runs.verifier_version is 'The version of the verifier.';

comment on table event_verdicts is 'What assessing an event came to, all evidence and all mandates together. An event without either has no row.';
comment on column event_verdicts.verification_result is 'What its evidence came to; null if it has none.';
comment on column event_verdicts.verification_kind is 'The kind of evidence that decided it.';
comment on column event_verdicts.mandate_result is 'What its mandates came to; null if none applies.';
comment on column event_verdicts.mandate_id is 'The mandate that decided it.';

comment on table single_use_facts is 'Nonces, closed mandates, receipts and token ids: each belongs to the payment that used it first.';
comment on column single_use_facts.scope is 'What kind of fact it is, such as `x402_receipt`.';
comment on column single_use_facts.digest is 'SHA-256 of the fact.';
comment on column single_use_facts.chain_seq is 'The event that used it first.';

comment on table chain_lookups is 'A transaction to be read from a chain for an event.';
comment on column chain_lookups.network is 'The chain, by its CAIP-2 id.';
comment on column chain_lookups.hash is 'The hash of the transaction.';
comment on column chain_lookups.state is 'How it stands; `waiting`: nothing says yet where that chain can be read.';
comment on column chain_lookups.attempts is 'How often it was looked for.';
comment on column chain_lookups.answer is 'The transaction; null in an answered row: the chain does not know it.';
comment on column chain_lookups.next_at is 'When it is looked for again.';

comment on table rechecks is 'Events to be assessed again, because something became known after they were.';
comment on column rechecks.id is 'The recheck, as `rck_…`.';
comment on column rechecks.kind is 'Which events: `keys` those without a clear verification, `mandate` those of the agent of a new mandate, `evidence` those that came with any.';
comment on column rechecks.mandate_id is 'The new mandate; null for the other kinds.';
comment on column rechecks.from_at is 'Only events that occurred from this time on; null: all.';
comment on column rechecks.after_seq is 'Events up to this chain_seq have been done.';
comment on column rechecks.to_seq is 'The last event to be done.';
comment on column rechecks.next_at is 'When somebody has to look at it; whoever works on it moves this on.';
comment on column rechecks.requested_at is 'When it was requested.';

comment on table trusted_keys is 'A public key or root certificate whose signatures count as evidence.';
comment on column trusted_keys.id is 'The trusted key, as `tky_…`.';
comment on column trusted_keys.kid is 'The key id by which signatures name it.';
comment on column trusted_keys.use is 'What its signatures are believed for.';
comment on column trusted_keys.issuer is 'Whose key it is, where evidence has to name its issuer.';
comment on column trusted_keys.kind is '`jwk` for a public key, `x5c_root` for a root certificate.';
comment on column trusted_keys.jwk is 'The public key, of a root certificate too.';
comment on column trusted_keys.certificate is 'The root certificate as PEM; null for a public key.';
comment on column trusted_keys.thumbprint is 'RFC 7638 thumbprint of the public key.';
comment on column trusted_keys.not_before is 'Signatures before this time are not believed; null: without a beginning.';
comment on column trusted_keys.not_after is 'Signatures after this time are not believed; null: without an end.';
comment on column trusted_keys.revoked_at is 'When it was revoked; null while it is believed.';

-- Screening -----------------------------------------------------------------------------------------------------------

comment on table screening_lists is 'A list that payees are screened against, as it stands now. A list of everybody has an empty org_id.';
comment on column screening_lists.name is 'What the list is called.';
comment on column screening_lists.format is 'The publisher''s format it was read in.';
comment on column screening_lists.version is 'Its current version.';
comment on column screening_lists.sha256 is 'SHA-256 of its files.';
comment on column screening_lists.entries is 'How many entries it has.';
comment on column screening_lists.loaded_at is 'When it was last loaded, or found unchanged at its publisher: it grows stale from then on.';

comment on table screening_list_versions is 'Every version of every list: what was loaded when.';
comment on column screening_list_versions.name is 'The list.';
comment on column screening_list_versions.version is 'Which version it is, counted from 1.';
comment on column screening_list_versions.format is 'The publisher''s format it was read in.';
comment on column screening_list_versions.sha256 is 'SHA-256 of its files.';
comment on column screening_list_versions.entries is 'How many entries it had.';
comment on column screening_list_versions.added is 'How many entries were new.';
comment on column screening_list_versions.removed is 'How many entries were gone.';
comment on column screening_list_versions.changed is 'How many entries were different.';
comment on column screening_list_versions.skipped is 'How many records of its files could not be read as entries.';
comment on column screening_list_versions.loaded_at is 'When it was loaded.';
comment on column screening_list_versions.loaded_by is 'Whether an operator loaded it or the service fetched it.';

comment on table screening_list_entries is 'Every entry a list ever had, as it last was.';
comment on column screening_list_entries.list is 'The list (screening_lists.name).';
comment on column screening_list_entries.entry_id is 'The publisher''s own id of the entry.';
comment on column screening_list_entries.action is 'Whether the list denies or allows whom it names.';
comment on column screening_list_entries.digest is 'SHA-256 of the RFC 8785 text of entry.';
comment on column screening_list_entries.names_digest is 'SHA-256 of the names in entry alone.';
comment on column screening_list_entries.entry is 'The entry, as JSON.';
comment on column screening_list_entries.changed_in is 'The version in which it was last added, changed or removed.';
comment on column screening_list_entries.removed is 'Whether the current version is without it.';

comment on table screening_list_staging is 'A version on its way in. Rows live within the transaction that loads it.';
comment on column screening_list_staging.list is 'The list (screening_lists.name).';
comment on column screening_list_staging.load_id is 'Which load it belongs to.';
comment on column screening_list_staging.entry_id is 'The publisher''s own id of the entry.';
comment on column screening_list_staging.action is 'Whether the list denies or allows whom it names.';
comment on column screening_list_staging.digest is 'SHA-256 of the RFC 8785 text of entry.';
comment on column screening_list_staging.names_digest is 'SHA-256 of the names in entry alone.';
comment on column screening_list_staging.entry is 'The entry, as JSON.';

comment on table screening_list_sources is 'When each list that the deployment fetches by itself is fetched next. What there is to fetch is a setting.';
comment on column screening_list_sources.name is 'The list.';
comment on column screening_list_sources.next_at is 'When it is fetched next; a claim moves it ahead as a lease.';
comment on column screening_list_sources.attempts is 'How often in a row it could not be fetched.';
comment on column screening_list_sources.fetched_at is 'When it was last fetched.';
comment on column screening_list_sources.validators is 'ETag and Last-Modified by URL, of the files that have this sha256.';
comment on column screening_list_sources.sha256 is 'SHA-256 of the files that were fetched last.';
comment on column screening_list_sources.error is 'Why it could not be fetched; null if it could.';

comment on table screening_settings is 'How an organization screens; without a row the default holds.';
comment on column screening_settings.threshold is 'From which score on a match counts, from 0 to 1.';
comment on column screening_settings.updated_at is 'When it was last changed.';

comment on table screenings is 'A payee, or a name, held against the lists.';
comment on column screenings.id is 'The screening, as `scr_…`.';
comment on column screenings.payee_id is 'The payee (payees.id); null if it was about nobody who is registered.';
comment on column screenings.query is 'What was looked for, as JSON.';
comment on column screenings.state is 'What it came to.';
comment on column screenings.score is 'The score of the best match; 0 without one.';
comment on column screenings.threshold is 'From which score on a match counted.';
comment on column screenings.allowed_by is 'The entry of an allow list that it was found to be, as JSON; null if none.';
comment on column screenings.lists is 'The versions of the lists it was made with, as JSON.';
comment on column screenings.error is 'Why it could not be made; null if it could.';
comment on column screenings.created_by is 'Who asked for it: `usr_…`, `key_…`, or null for the service itself.';
comment on column screenings.updated_at is 'When a later look at the payee last changed it.';
comment on column screenings.reviewed_at is 'When a person decided on it; null while nobody has.';
comment on column screenings.decision is 'What the person decided.';
comment on column screenings.reason is 'Why the person decided so.';

comment on table screening_matches is 'An entry of a list that a screened payee or name may be.';
comment on column screening_matches.list_org is 'The organization that the list belongs to; empty for a list of everybody.';
comment on column screening_matches.list is 'The list (screening_lists.name).';
comment on column screening_matches.entry_id is 'The publisher''s own id of the entry.';
comment on column screening_matches.id is 'The match, as `mtc_…`.';
comment on column screening_matches.position is 'Its place among the matches of the screening, the best first.';
comment on column screening_matches.name is 'The main name of the entry.';
comment on column screening_matches.matched_name is 'Which of its names matched.';
comment on column screening_matches.score is 'How alike they are, from 0 to 1; 1 for an exact identifier.';
comment on column screening_matches.match_type is 'What matched.';
comment on column screening_matches.features is 'Why it scores as it does, as JSON.';
comment on column screening_matches.programs is 'The sanctions programs of the entry.';
comment on column screening_matches.countries is 'The countries of the entry (ISO 3166-1 alpha-2).';
comment on column screening_matches.entry_names is 'Digest of the names the entry had, as hex.';
comment on column screening_matches.decision is 'What a person decided on it; null while nobody has.';

comment on table screening_pairs is 'What people decided of a payee and an entry, remembered for as long as the names they saw are the same.';
comment on column screening_pairs.list_org is 'The organization that the list belongs to; empty for a list of everybody.';
comment on column screening_pairs.list is 'The list (screening_lists.name).';
comment on column screening_pairs.entry_id is 'The publisher''s own id of the entry.';
comment on column screening_pairs.decision is 'What was decided.';
comment on column screening_pairs.exact is 'Whether the match was one of an identifier.';
comment on column screening_pairs.score is 'The score of the match that was decided on.';
comment on column screening_pairs.payee_names is 'Digest of the names the payee had, as hex.';
comment on column screening_pairs.entry_names is 'Digest of the names the entry had, as hex.';
comment on column screening_pairs.screening_id is 'The screening that was decided on (screenings.id).';
comment on column screening_pairs.decided_at is 'When it was decided.';

comment on table screening_rescreens is 'How far the payees of a log have been held against what changed in a list. The row is gone when all of them have.';
comment on column screening_rescreens.list_org is 'The organization that the list belongs to; empty for a list of everybody.';
comment on column screening_rescreens.list is 'The list (screening_lists.name); empty: all lists, because of a setting.';
comment on column screening_rescreens.from_version is 'The version that payees were screened against before.';
comment on column screening_rescreens.to_version is 'The version that they are held against now.';
comment on column screening_rescreens.in_full is 'Whether they are held against every entry and not only against what changed.';
comment on column screening_rescreens.after_id is 'The last payee that has been looked at; empty before the first.';
comment on column screening_rescreens.next_at is 'When somebody has to look at it; whoever works on it moves this on.';

-- Packs ---------------------------------------------------------------------------------------------------------------

comment on table packs is 'An evidence pack or report that somebody asked for. Its file is in the storage.';
comment on column packs.id is 'The pack, as `pck_…`.';
comment on column packs.kind is 'What its report dwells on.';
comment on column packs.title is 'What it is called.';
comment on column packs.scope is 'Which events it is about, as JSON.';
comment on column packs.redact is 'Kinds of evidence whose values are left out.';
comment on column packs.state is 'How it stands.';
comment on column packs.progress is 'How much is built, from 0 to 1.';
comment on column packs.event_count is 'How many events it holds.';
comment on column packs.log_size is 'The size of the log when the pack was requested: what came later is not in it.';
comment on column packs.checkpoint_size is 'The checkpoint that its proofs lead to, chosen when it is first built and kept.';
comment on column packs.ready_at is 'When it was ready.';
comment on column packs.expires_at is 'Until when it is kept; null while it is not ready.';
comment on column packs.size_bytes is 'The size of the ZIP.';
comment on column packs.sha256 is 'SHA-256 of the ZIP, as hex.';
comment on column packs.error is 'Why it could not be built; null if it could.';
comment on column packs.attempts is 'How often it was begun; a worker that was killed never ended its own attempt.';
comment on column packs.failures is 'How many attempts failed.';
comment on column packs.built_in is 'The attempt whose files are the pack. Each attempt has files of its own, so that none can overwrite another''s.';
comment on column packs.stored is 'Whether the storage may hold files of it.';
comment on column packs.next_at is 'When somebody has to look at it again, since its job may be lost, its worker silent or its time over; null: never.';

comment on table pack_events is 'Which events a pack holds, fixed when it is requested. The row is gone when the pack is built.';
comment on column pack_events.chain_seqs is 'The positions of the events in the log.';

comment on table pack_shares is 'A link to a pack for people without an account.';
comment on column pack_shares.id is 'The link, as `shr_…`.';
comment on column pack_shares.token_hash is 'SHA-256 of the token in the link.';
comment on column pack_shares.expires_at is 'Until when it leads anywhere.';
comment on column pack_shares.revoked_at is 'When it was revoked; null while it was not.';

comment on table pack_share_directory is 'Finds the organization of a link to a pack, before anything else is known of the visitor.';
comment on column pack_share_directory.token_hash is 'SHA-256 of the token in the link.';

comment on table pack_share_visits is 'Who followed a link to a pack.';
comment on column pack_share_visits.id is 'The visit.';
comment on column pack_share_visits.what is 'Whether the page was looked at or the pack downloaded.';
comment on column pack_share_visits.ip is 'The address of the visitor.';
comment on column pack_share_visits.user_agent is 'The browser of the visitor.';

-- Webhooks ------------------------------------------------------------------------------------------------------------

comment on table webhook_endpoints is 'Where webhooks of an organization go.';
comment on column webhook_endpoints.id is 'The endpoint, as `whe_…`.';
comment on column webhook_endpoints.url is 'The address they are posted to.';
comment on column webhook_endpoints.state is 'Nothing is sent to a `disabled` endpoint.';
comment on column webhook_endpoints.sealed_secret is 'The secret they are signed with, encrypted with SECRET_KEY.';
comment on column webhook_endpoints.generated is 'Whether the service made the secret, as `whsec_` and base64, and not the operator.';
comment on column webhook_endpoints.previous_sealed_secret is 'The secret before it, with which they are signed as well until previous_expires_at.';
comment on column webhook_endpoints.previous_generated is 'Whether the service made that one.';
comment on column webhook_endpoints.previous_expires_at is 'Until when the secret before it is used.';

comment on table webhook_deliveries is 'One webhook for one endpoint. The row is the record; the queue only says when to look at it.';
comment on column webhook_deliveries.id is 'The delivery, as `whd_…`.';
comment on column webhook_deliveries.endpoint_id is 'The endpoint (webhook_endpoints.id).';
comment on column webhook_deliveries.type is 'What it tells of, such as `alert.created`.';
comment on column webhook_deliveries.body is 'What is sent, byte for byte.';
comment on column webhook_deliveries.state is 'What became of it.';
comment on column webhook_deliveries.attempt_count is 'How many attempts were made in this generation.';
comment on column webhook_deliveries.generation is 'How often it was replayed; every replay has all attempts again.';
comment on column webhook_deliveries.not_before is 'When the next attempt may start: the end of the last one and its wait.';
comment on column webhook_deliveries.next_at is 'When reconcile looks for a pending row whose job may be lost; a claim moves it ahead as a lease.';
comment on column webhook_deliveries.finished_at is 'When its last attempt ended; null while it is pending.';

comment on table webhook_attempts is 'One attempt to send a webhook.';
comment on column webhook_attempts.delivery_id is 'The delivery (webhook_deliveries.id).';
comment on column webhook_attempts.generation is 'The generation of the delivery that it belongs to.';
comment on column webhook_attempts.number is 'Which attempt of that generation it was, counted from 1.';
comment on column webhook_attempts.outcome is 'What became of it.';
comment on column webhook_attempts.status is 'The HTTP status of the answer; null if there was none.';
comment on column webhook_attempts.error is 'Why there was no answer; null if there was one.';
comment on column webhook_attempts.response is 'The beginning of the answer.';
comment on column webhook_attempts.ms is 'How long it took, in milliseconds.';

-- People --------------------------------------------------------------------------------------------------------------

comment on table users is 'A person who can sign in. A person may be a member of several organizations.';
comment on column users.id is 'The person, as `usr_…`.';
comment on column users.email is 'The address that sign-in links are mailed to, in lower case.';
comment on column users.name is 'What the person is called.';
comment on column users.last_org_id is 'The organization that a new session acts in.';

comment on table members is 'Who may act for an organization, in which role.';
comment on column members.role is 'What the member may do.';

comment on table sessions is 'A signed-in person''s browser. The cookie is 256 random bits.';
comment on column sessions.hash is 'SHA-256 of the cookie.';
comment on column sessions.id is 'The session, as `ses_…`.';
comment on column sessions.org_id is 'The organization that the session acts in.';
comment on column sessions.last_seen_at is 'When it was last used.';
comment on column sessions.second_factor_at is 'When a second factor was shown in it; null if none was.';
comment on column sessions.user_agent is 'The browser, as it calls itself.';

comment on table sign_in_links is 'A link in a mail by which a person signs in. The token in it is 256 random bits.';
comment on column sign_in_links.token_hash is 'SHA-256 of the token.';
comment on column sign_in_links.binding_hash is 'SHA-256 of the cookie of the browser that asked; null: the operator made the link, for any browser.';
comment on column sign_in_links.code_hash is 'HMAC of the code that can be typed instead of following the link; null: there is none.';
comment on column sign_in_links.user_id is 'The person (users.id); null: requested for an address that nobody has, and worth nothing.';
comment on column sign_in_links.wrong_codes is 'How many wrong codes were typed.';
comment on column sign_in_links.expires_at is 'Until when it can be used.';
comment on column sign_in_links.used_at is 'When it was used; null while it was not.';

comment on table second_factors is 'A factor that a person shows besides the mailbox: TOTP, of which each has at most one, or a passkey.';
comment on column second_factors.id is '`totp`, or the passkey as `psk_…`.';
comment on column second_factors.kind is 'Which kind of factor it is.';
comment on column second_factors.name is 'What the person calls a passkey.';
comment on column second_factors.sealed_secret is 'The TOTP secret, encrypted with SECRET_KEY.';
comment on column second_factors.last_step is 'The time step of the last TOTP code, which cannot be used again.';
comment on column second_factors.credential_id is 'The credential id of a passkey (WebAuthn).';
comment on column second_factors.public_key is 'The public key of a passkey (COSE).';
comment on column second_factors.sign_count is 'The signature counter of a passkey.';
comment on column second_factors.transports is 'How a passkey can be reached, as its browser said.';
comment on column second_factors.last_used_at is 'When it was last shown.';

comment on table pending_totp is 'A TOTP secret that was shown to a person and not yet confirmed by a code.';
comment on column pending_totp.sealed_secret is 'The secret, encrypted with SECRET_KEY.';
comment on column pending_totp.expires_at is 'Until when it can be confirmed.';

comment on table passkey_challenges is 'A challenge that a browser is to sign with a passkey.';
comment on column passkey_challenges.purpose is 'Whether a passkey is being enrolled or shown.';
comment on column passkey_challenges.challenge is 'The challenge, as base64url.';
comment on column passkey_challenges.expires_at is 'Until when it is valid.';

comment on table recovery_codes is 'Codes that stand in for a lost second factor, each good once.';
comment on column recovery_codes.hash is 'SHA-256 of the code.';
comment on column recovery_codes.used_at is 'When it was used; null while it was not.';

comment on table attempt_limits is 'How often something that could be guessed was tried, in a window that begins with the first attempt.';
comment on column attempt_limits.subject is 'SHA-256 of what attempts are counted for: a network, an address or a person''s codes.';
comment on column attempt_limits.count is 'How many attempts were made in the window.';
comment on column attempt_limits.expires_at is 'When the window ends.';

comment on table audit_log is 'Who changed what. The service can add rows and neither change nor remove any.';
comment on column audit_log.id is 'The entry, as `aud_…`.';
comment on column audit_log.action is 'What was done, such as `key.created`.';
comment on column audit_log.target_id is 'What it was done to.';
comment on column audit_log.before is 'How that stood before, as JSON.';
comment on column audit_log.after is 'How that stood after, as JSON.';
comment on column audit_log.request_id is 'The request by which it was done.';

comment on table versions is 'Counters that move when something changes, of which ETags are made.';
comment on column versions.topic is 'What can change, such as `alerts`.';
comment on column versions.version is 'How often it has changed.';

comment on table idempotency_keys is 'The answer to a request with an Idempotency-Key, written in the transaction of what the request did.';
comment on column idempotency_keys.scope is 'SHA-256 over credential, method, path and key.';
comment on column idempotency_keys.body_hash is 'SHA-256 of the body, by which another request with the same key is noticed.';
comment on column idempotency_keys.status is 'The HTTP status of the answer.';
comment on column idempotency_keys.answer is 'The body to repeat; null if it held a secret.';
comment on column idempotency_keys.record_id is 'The id of what the request made, which is named when its answer cannot be repeated.';

-- Operation -----------------------------------------------------------------------------------------------------------

comment on table operator_acts is 'What an operator does at /ops, written before it is done. An act without an outcome was cut off.';
comment on column operator_acts.id is 'The act, as `opa_…`.';
comment on column operator_acts.operator is 'Who does it.';
comment on column operator_acts.act is 'What is done.';
comment on column operator_acts.queue is 'The queue that it is done to; null if to none.';
comment on column operator_acts.job_ids is 'The jobs it was meant for, as they were known before it.';
comment on column operator_acts.request_id is 'The request by which it is done.';
comment on column operator_acts.ip is 'The address that the request came from.';

comment on table operator_act_outcomes is 'What came of an operator''s act.';
comment on column operator_act_outcomes.act_id is 'The act (operator_acts.id).';
comment on column operator_act_outcomes.status is 'The HTTP status of the answer.';

comment on table worker_presence is 'Which worker processes are there. A row is moved on while its process lives and removed when that stops.';
comment on column worker_presence.process_id is 'The process, by a random id.';
comment on column worker_presence.type is 'What it works as, such as `detect`; a process may have several.';
comment on column worker_presence.host is 'The machine that it runs on.';
comment on column worker_presence.pid is 'Its process number there.';
comment on column worker_presence.version is 'The release of the service that it runs.';
comment on column worker_presence.started_at is 'When it started.';
comment on column worker_presence.seen_at is 'When it last said that it is there.';

comment on table migrations is 'The migrations that have run. node-pg-migrate keeps this table.';
comment on column migrations.id is 'In which order they ran.';
comment on column migrations.name is 'The file of the migration.';
comment on column migrations.run_on is 'When it ran.';

-- What most tables have alike --------------------------------------------------------------------------------------------

do $$ declare
  place record;
begin
  for place in
    select c.relname, a.attname, alike.sentence
    from (values
      ('org_id', 'The organization (organizations.id).'),
      ('environment', '`sandbox` or `production`, which never meet.'),
      ('created_at', 'When it was made.'),
      ('created_by', 'Who made it: `usr_…`, `key_…`, or null for the operator and the service itself.'),
      ('at', 'When it happened.'),
      ('actor_id', 'Who did it: `usr_…`, `key_…`, or null for the operator and the service itself.'),
      ('reviewed_by', 'Who decided on it: `usr_…`, `key_…`, or null for the operator.'),
      ('decided_by', 'Who decided it: `usr_…`, `key_…`, or null for the operator.'),
      ('first_seen_at', 'When it was first named in an event.'),
      ('agent_id', 'The agent (agents.id).'),
      ('owner_id', 'The owner (owners.id).'),
      ('payee_id', 'The payee (payees.id).'),
      ('source_id', 'The source (sources.id).'),
      ('payment_id', 'The payment, as its events name it.'),
      ('chain_seq', 'The position of the event in the log (events.chain_seq).'),
      ('event_id', 'The event (events.id).'),
      ('mandate_id', 'The mandate (mandates.id).'),
      ('alert_id', 'The alert (alerts.id).'),
      ('case_id', 'The case (cases.id).'),
      ('screening_id', 'The screening (screenings.id).'),
      ('pack_id', 'The pack (packs.id).'),
      ('share_id', 'The link to a pack (pack_shares.id).'),
      ('user_id', 'The person (users.id).'),
      ('session_id', 'The session (sessions.id).')
    ) alike (name, sentence)
    join pg_attribute a on a.attname = alike.name and not a.attisdropped
    join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    where col_description(c.oid, a.attnum) is null
  loop
    execute format('comment on column %I.%I is %L', place.relname, place.attname, place.sentence);
  end loop;
end $$;
