// The files themselves. #embed is C23, and clang has had it since version 19.
#include "Texts.h"

#include <string.h>

#ifndef __has_embed
#error "This file needs #embed: clang 19 or later, as Swift 6.1 has it."
#endif
#pragma clang diagnostic ignored "-Wc23-extensions"

// A row is a path and the bytes of the file, followed by a zero byte, which ends the text because texts contain none. A
// test compares the rows with the folders.
#define TEXT(path) {path, (const unsigned char[]) {
#define END , 0}},

static const struct {
    const char *path;
    const unsigned char *bytes;
} rows[] = {
    TEXT("openapi/openapi.yaml")
#embed "../../../openapi/openapi.yaml"
    END
    TEXT("openapi/asyncapi.yaml")
#embed "../../../openapi/asyncapi.yaml"
    END
    TEXT("openapi/admin.yaml")
#embed "../../../openapi/admin.yaml"
    END
    TEXT("openapi/DEVIATIONS.md")
#embed "../../../openapi/DEVIATIONS.md"
    END
    TEXT("openapi/deviations.html")
#embed "../../../openapi/deviations.html"
    END
    TEXT("ui/ui.html")
#embed "../../../ui/ui.html"
    END
    TEXT("openapi/guides/union/docs.html")
#embed "../../../openapi/guides/union/docs.html"
    END
    TEXT("openapi/guides/consultation-websocket/openapi.yaml")
#embed "../../../openapi/guides/consultation-websocket/openapi.yaml"
    END
    TEXT("openapi/guides/consultation-websocket/asyncapi.yaml")
#embed "../../../openapi/guides/consultation-websocket/asyncapi.yaml"
    END
    TEXT("openapi/guides/consultation-websocket/docs.html")
#embed "../../../openapi/guides/consultation-websocket/docs.html"
    END
    TEXT("openapi/guides/enhanced-consultations/openapi.yaml")
#embed "../../../openapi/guides/enhanced-consultations/openapi.yaml"
    END
    TEXT("openapi/guides/enhanced-consultations/asyncapi.yaml")
#embed "../../../openapi/guides/enhanced-consultations/asyncapi.yaml"
    END
    TEXT("openapi/guides/enhanced-consultations/docs.html")
#embed "../../../openapi/guides/enhanced-consultations/docs.html"
    END
    TEXT("openapi/guides/goal-linking/openapi.yaml")
#embed "../../../openapi/guides/goal-linking/openapi.yaml"
    END
    TEXT("openapi/guides/goal-linking/asyncapi.yaml")
#embed "../../../openapi/guides/goal-linking/asyncapi.yaml"
    END
    TEXT("openapi/guides/goal-linking/docs.html")
#embed "../../../openapi/guides/goal-linking/docs.html"
    END
    TEXT("openapi/guides/websocket-architecture/openapi.yaml")
#embed "../../../openapi/guides/websocket-architecture/openapi.yaml"
    END
    TEXT("openapi/guides/websocket-architecture/asyncapi.yaml")
#embed "../../../openapi/guides/websocket-architecture/asyncapi.yaml"
    END
    TEXT("openapi/guides/websocket-architecture/docs.html")
#embed "../../../openapi/guides/websocket-architecture/docs.html"
    END
    TEXT("openapi/guides/meal-log-websocket/openapi.yaml")
#embed "../../../openapi/guides/meal-log-websocket/openapi.yaml"
    END
    TEXT("openapi/guides/meal-log-websocket/asyncapi.yaml")
#embed "../../../openapi/guides/meal-log-websocket/asyncapi.yaml"
    END
    TEXT("openapi/guides/meal-log-websocket/docs.html")
#embed "../../../openapi/guides/meal-log-websocket/docs.html"
    END
    TEXT("llms.txt")
#embed "../../../llms.txt"
    END
    TEXT("docs/README.md")
#embed "../../../docs/README.md"
    END
    TEXT("docs/adapters.md")
#embed "../../../docs/adapters.md"
    END
    TEXT("docs/admin.md")
#embed "../../../docs/admin.md"
    END
    TEXT("docs/agents.md")
#embed "../../../docs/agents.md"
    END
    TEXT("docs/app.md")
#embed "../../../docs/app.md"
    END
    TEXT("docs/autobahn.md")
#embed "../../../docs/autobahn.md"
    END
    TEXT("docs/ci.md")
#embed "../../../docs/ci.md"
    END
    TEXT("docs/conform.md")
#embed "../../../docs/conform.md"
    END
    TEXT("docs/explore-mutants.md")
#embed "../../../docs/explore-mutants.md"
    END
    TEXT("docs/explore.md")
#embed "../../../docs/explore.md"
    END
    TEXT("docs/faults.md")
#embed "../../../docs/faults.md"
    END
    TEXT("docs/fleet.md")
#embed "../../../docs/fleet.md"
    END
    TEXT("docs/frameworks.md")
#embed "../../../docs/frameworks.md"
    END
    TEXT("docs/guides-line-by-line.md")
#embed "../../../docs/guides-line-by-line.md"
    END
    TEXT("docs/guides.md")
#embed "../../../docs/guides.md"
    END
    TEXT("docs/install.md")
#embed "../../../docs/install.md"
    END
    TEXT("docs/limits.md")
#embed "../../../docs/limits.md"
    END
    TEXT("docs/measurements.md")
#embed "../../../docs/measurements.md"
    END
    TEXT("docs/upstream.md")
#embed "../../../docs/upstream.md"
    END
    TEXT("docs/networks.md")
#embed "../../../docs/networks.md"
    END
    TEXT("docs/obligations.md")
#embed "../../../docs/obligations.md"
    END
    TEXT("docs/options.md")
#embed "../../../docs/options.md"
    END
    TEXT("docs/scenarios.md")
#embed "../../../docs/scenarios.md"
    END
    TEXT("docs/sessions.md")
#embed "../../../docs/sessions.md"
    END
    TEXT("docs/skill.md")
#embed "../../../docs/skill.md"
    END
    TEXT("docs/start.md")
#embed "../../../docs/start.md"
    END
    TEXT("docs/swift-tests.md")
#embed "../../../docs/swift-tests.md"
    END
    TEXT("docs/tasks.md")
#embed "../../../docs/tasks.md"
    END
    TEXT("docs/tls.md")
#embed "../../../docs/tls.md"
    END
    TEXT("docs/worlds.md")
#embed "../../../docs/worlds.md"
    END
    TEXT("Fixtures/scenarios/answer-lost.yaml")
#embed "../../../Fixtures/scenarios/answer-lost.yaml"
    END
    TEXT("Fixtures/scenarios/app-first-run.yaml")
#embed "../../../Fixtures/scenarios/app-first-run.yaml"
    END
    TEXT("Fixtures/scenarios/app-returning-user.yaml")
#embed "../../../Fixtures/scenarios/app-returning-user.yaml"
    END
    TEXT("Fixtures/scenarios/broken-frames.yaml")
#embed "../../../Fixtures/scenarios/broken-frames.yaml"
    END
    TEXT("Fixtures/scenarios/broken-responses.yaml")
#embed "../../../Fixtures/scenarios/broken-responses.yaml"
    END
    TEXT("Fixtures/scenarios/coach-error.yaml")
#embed "../../../Fixtures/scenarios/coach-error.yaml"
    END
    TEXT("Fixtures/scenarios/coalesced-frames.yaml")
#embed "../../../Fixtures/scenarios/coalesced-frames.yaml"
    END
    TEXT("Fixtures/scenarios/conflict.yaml")
#embed "../../../Fixtures/scenarios/conflict.yaml"
    END
    TEXT("Fixtures/scenarios/default.yaml")
#embed "../../../Fixtures/scenarios/default.yaml"
    END
    TEXT("Fixtures/scenarios/drop-mid-stream.yaml")
#embed "../../../Fixtures/scenarios/drop-mid-stream.yaml"
    END
    TEXT("Fixtures/scenarios/empty-account.yaml")
#embed "../../../Fixtures/scenarios/empty-account.yaml"
    END
    TEXT("Fixtures/scenarios/established-account.yaml")
#embed "../../../Fixtures/scenarios/established-account.yaml"
    END
    TEXT("Fixtures/scenarios/flaky-500.yaml")
#embed "../../../Fixtures/scenarios/flaky-500.yaml"
    END
    TEXT("Fixtures/scenarios/flaky-503.yaml")
#embed "../../../Fixtures/scenarios/flaky-503.yaml"
    END
    TEXT("Fixtures/scenarios/fragmented-frames.yaml")
#embed "../../../Fixtures/scenarios/fragmented-frames.yaml"
    END
    TEXT("Fixtures/scenarios/guide-tests.yaml")
#embed "../../../Fixtures/scenarios/guide-tests.yaml"
    END
    TEXT("Fixtures/scenarios/half-open.yaml")
#embed "../../../Fixtures/scenarios/half-open.yaml"
    END
    TEXT("Fixtures/scenarios/hostile-coach.yaml")
#embed "../../../Fixtures/scenarios/hostile-coach.yaml"
    END
    TEXT("Fixtures/scenarios/limit-reached.yaml")
#embed "../../../Fixtures/scenarios/limit-reached.yaml"
    END
    TEXT("Fixtures/scenarios/long-history.yaml")
#embed "../../../Fixtures/scenarios/long-history.yaml"
    END
    TEXT("Fixtures/scenarios/meal-completes.yaml")
#embed "../../../Fixtures/scenarios/meal-completes.yaml"
    END
    TEXT("Fixtures/scenarios/meal-fails.yaml")
#embed "../../../Fixtures/scenarios/meal-fails.yaml"
    END
    TEXT("Fixtures/scenarios/meal-finishes-before-socket.yaml")
#embed "../../../Fixtures/scenarios/meal-finishes-before-socket.yaml"
    END
    TEXT("Fixtures/scenarios/meal-never-finishes.yaml")
#embed "../../../Fixtures/scenarios/meal-never-finishes.yaml"
    END
    TEXT("Fixtures/scenarios/missed-pongs.yaml")
#embed "../../../Fixtures/scenarios/missed-pongs.yaml"
    END
    TEXT("Fixtures/scenarios/nanosecond-timestamps.yaml")
#embed "../../../Fixtures/scenarios/nanosecond-timestamps.yaml"
    END
    TEXT("Fixtures/scenarios/rate-limited.yaml")
#embed "../../../Fixtures/scenarios/rate-limited.yaml"
    END
    TEXT("Fixtures/scenarios/reset-mid-frame.yaml")
#embed "../../../Fixtures/scenarios/reset-mid-frame.yaml"
    END
    TEXT("Fixtures/scenarios/scripted-coach.yaml")
#embed "../../../Fixtures/scenarios/scripted-coach.yaml"
    END
    TEXT("Fixtures/scenarios/server-restarts.yaml")
#embed "../../../Fixtures/scenarios/server-restarts.yaml"
    END
    TEXT("Fixtures/scenarios/silent-coach.yaml")
#embed "../../../Fixtures/scenarios/silent-coach.yaml"
    END
    TEXT("Fixtures/scenarios/slow-coach.yaml")
#embed "../../../Fixtures/scenarios/slow-coach.yaml"
    END
    TEXT("Fixtures/scenarios/templates.yaml")
#embed "../../../Fixtures/scenarios/templates.yaml"
    END
    TEXT("Fixtures/scenarios/timeouts.yaml")
#embed "../../../Fixtures/scenarios/timeouts.yaml"
    END
    TEXT("Fixtures/scenarios/token-expires-mid-session.yaml")
#embed "../../../Fixtures/scenarios/token-expires-mid-session.yaml"
    END
    TEXT("Fixtures/scenarios/unreliable-chunks.yaml")
#embed "../../../Fixtures/scenarios/unreliable-chunks.yaml"
    END
    TEXT("Fixtures/scenarios/scenario.schema.json")
#embed "../../../Fixtures/scenarios/scenario.schema.json"
    END
    TEXT("Fixtures/data/agents.json")
#embed "../../../Fixtures/data/agents.json"
    END
    TEXT("Fixtures/data/coach.json")
#embed "../../../Fixtures/data/coach.json"
    END
    TEXT("Fixtures/data/collections.json")
#embed "../../../Fixtures/data/collections.json"
    END
    TEXT("Fixtures/data/coverage.tsv")
#embed "../../../Fixtures/data/coverage.tsv"
    END
    TEXT("Fixtures/data/foods.tsv")
#embed "../../../Fixtures/data/foods.tsv"
    END
    TEXT("Fixtures/data/goals.json")
#embed "../../../Fixtures/data/goals.json"
    END
    TEXT("Fixtures/data/quick_actions.json")
#embed "../../../Fixtures/data/quick_actions.json"
    END
};

struct EmbeddedText texts_at_index(ptrdiff_t index) {
    if (index < 0 || index >= (ptrdiff_t)(sizeof rows / sizeof *rows)) return (struct EmbeddedText) {0};
    const char *bytes = (const char *)rows[index].bytes;
    return (struct EmbeddedText) {rows[index].path, rows[index].bytes, (ptrdiff_t)strlen(bytes)};
}

struct EmbeddedText texts_at(const char *path) {
    for (ptrdiff_t index = 0; index < (ptrdiff_t)(sizeof rows / sizeof *rows); index++) {
        if (strcmp(rows[index].path, path) == 0) return texts_at_index(index);
    }
    return (struct EmbeddedText) {0};
}
