-- Room beside the links of alerts, so that one that is counted no more is changed where it is.
alter table alert_events set (fillfactor = 80);
