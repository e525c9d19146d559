-- A state file of version 1, as the first version that had one wrote it.
BEGIN TRANSACTION;
CREATE TABLE entity (
    number INTEGER PRIMARY KEY, world TEXT NOT NULL, list TEXT NOT NULL, owner TEXT NOT NULL, id TEXT NOT NULL,
    data TEXT NOT NULL, UNIQUE (world, list, owner, id)
);
INSERT INTO "entity" VALUES(1,'default','users','','anna','{"id":"anna"}');
INSERT INTO "entity" VALUES(2,'default','goals','anna','910a2dec-8902-4cc1-beeb-8da1658eec67','{"id":"910a2dec-8902-4cc1-beeb-8da1658eec67","title":"Old goal","description":"","target_date":"2025-04-29T10:30:00Z","status":"not_started","progress":0,"created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:00Z"}');
INSERT INTO "entity" VALUES(3,'default','consultations','anna','f893a2ee-fb32-455e-b1c1-8690ee42c90b','{"id":"f893a2ee-fb32-455e-b1c1-8690ee42c90b","persona":"nutritionist","context":"goal","goal":"910a2dec-8902-4cc1-beeb-8da1658eec67","status":"active","created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:00Z"}');
INSERT INTO "entity" VALUES(4,'default','messages','f893a2ee-fb32-455e-b1c1-8690ee42c90b','71bb54d8-d101-45b9-834d-0bff90150280','{"user":"Hello","id":"71bb54d8-d101-45b9-834d-0bff90150280","created_at":"2025-01-29T10:30:00Z"}');
INSERT INTO "entity" VALUES(5,'default','messages','f893a2ee-fb32-455e-b1c1-8690ee42c90b','e099ec6c-d736-4ca5-85e7-bb0f12278575','{"assistant":"Hi","id":"e099ec6c-d736-4ca5-85e7-bb0f12278575","tokens_used":1,"persona":"nutritionist","created_at":"2025-01-29T10:30:00Z"}');
INSERT INTO "entity" VALUES(6,'default','users','','491718de-357e-4da8-8b43-5c8e74616796','{"id":"491718de-357e-4da8-8b43-5c8e74616796","email":"ben@example.com","password_hash":"pbkdf2-sha256$10000$7476cf8a-4baa-4dc0-87b3-41d690d7a28a$qO07-M7SGTmhEZ8e5mQx9jxHgms6P0PGsUpUAvCSqFE","refresh_tokens":[{"id":"6f9b6dae-6f4c-47a8-aac2-ce17a5794a3b","expires_at":"2025-02-28T10:30:00Z"}],"profile":{"id":"6775dc77-0156-4f61-9afc-d44d14cf8bfe","name":"Ben","preferred_unit_system":"metric","language_code":"en","date_of_birth":"1990-01-01","created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:00Z","provisional":true},"preferences":{"id":"7ef1fd0e-d154-4fcd-9f84-10633ef306ac","allergies":["nuts"],"dietary_restrictions":[],"food_dislikes":[],"created_at":"2025-01-29T10:30:10Z","updated_at":"2025-01-29T10:30:10Z"}}');
INSERT INTO "entity" VALUES(7,'default','documents.journal','491718de-357e-4da8-8b43-5c8e74616796','83f91ca7-864a-4135-b6b9-aeef0d2df7ab','{"id":"83f91ca7-864a-4135-b6b9-aeef0d2df7ab","created_at":"2025-01-29T10:30:10Z","updated_at":"2025-01-29T10:30:10Z","title":"Day 1","content":"é \"quoted\""}');
INSERT INTO "entity" VALUES(8,'default','goals','491718de-357e-4da8-8b43-5c8e74616796','a534a6a6-b7fd-4b63-90ba-d0da572baaf1','{"id":"a534a6a6-b7fd-4b63-90ba-d0da572baaf1","title":"Run","description":"x","target_date":"2027-01-01T00:00:00Z","status":"not_started","progress":0,"created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:00Z"}');
INSERT INTO "entity" VALUES(9,'default','consultations','491718de-357e-4da8-8b43-5c8e74616796','497305c5-d1aa-499f-8c43-407dc177b6f7','{"id":"497305c5-d1aa-499f-8c43-407dc177b6f7","persona":"wellness_specialist","context":"general","status":"active","created_at":"2025-01-29T10:30:10Z","updated_at":"2025-01-29T10:30:10Z"}');
INSERT INTO "entity" VALUES(10,'default','meal_logs','491718de-357e-4da8-8b43-5c8e74616796','ae843796-30af-49ee-a263-183773ef6508','{"id":"ae843796-30af-49ee-a263-183773ef6508","text":"two eggs and toast","meal_type":"breakfast","status":"completed","items":[
{"id":"3abdc542-f2cc-4a68-8ce7-ecdf04cb0ab6","food_id":"e743ecf8-c21b-4483-b743-f1d7e49d1401","name":"Eggs","quantity":2,"unit":"pieces","amount":"two","calories":140,"protein":12.0,"carbs":0.0,"fat":10.0,"fiber":0.0,"sugar":0.0,"confidence":0.95},
{"id":"7558bfd1-f6bc-4775-908e-1560dc45b1a6","food_id":"ba54a27b-29de-412b-a7fe-c4ffbeddfdf9","name":"Toast","quantity":1,"unit":"servings","amount":"1","calories":150,"protein":4.0,"carbs":28.0,"fat":2.0,"fiber":1.0,"sugar":2.0,"confidence":0.85,"notes":"Assumed one serving (2 slices, 57 g)"}],"logged_at":"2025-01-29T10:30:00Z","created_at":"2025-01-29T10:30:00Z","finished_at":"2025-01-29T10:30:02.573645422Z"}');
INSERT INTO "entity" VALUES(11,'default','meal_logs','491718de-357e-4da8-8b43-5c8e74616796','10e2c468-65e9-4746-94d7-973c5c2a449c','{"id":"10e2c468-65e9-4746-94d7-973c5c2a449c","text":"a bowl of soup","meal_type":"lunch","status":"processing","logged_at":"2025-01-29T10:30:10Z","created_at":"2025-01-29T10:30:10Z"}');
CREATE TABLE server (serial INTEGER NOT NULL);
INSERT INTO "server" VALUES(2);
CREATE TABLE world (
    name TEXT PRIMARY KEY, number INTEGER NOT NULL, time INTEGER NOT NULL, head TEXT NOT NULL, scenario TEXT
);
INSERT INTO "world" VALUES('default',0,1738146610000000000,'{"name":"fixture","guide":"union","seed":1,"clock":{"manual":"2025-01-29T10:30:00Z"},"issued_ids":14,"users":[]}',NULL);
INSERT INTO "world" VALUES('w1',1,1738146600000000000,'{"name":"mine","guide":"goal-linking","seed":7,"clock":{"manual":"2025-01-29T10:30:00Z"},"issued_ids":0,"users":[]}','{"name":"mine","answers":[{"text":"Scripted."}]}');
COMMIT;
PRAGMA application_id = 1181316177;
PRAGMA user_version = 1;
