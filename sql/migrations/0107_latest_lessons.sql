-- Of what the other agents of an owner taught, the latest lessons count: over the years there are many, and all were read with every range of events.

create index lessons_by_owner_time on lessons (org_id, environment, owner_id, last_at desc, id desc);
drop index lessons_by_owner;
