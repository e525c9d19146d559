/// Which built-in scenarios make a client face an obligation: advice for what was not exercised.
enum ScenarioHints {
    /// Names of scenarios by the obligation's id; an empty list where any scenario does it if the client does its part.
    static let scenarios: [String: [String]] = [  // Obligations' ids: constants.
        "auth/credentials-on-every-request": [],
        "auth/websocket-credentials": [],
        "auth/refresh-after-401": ["token-expires-mid-session"],
        "ids/lowercase": [],
        "ids/backend-goal-id": ["established-account"],
        "ids/gone-not-reused": [],
        "request/shape": [],
        "consultation/conflict-continues-existing": ["conflict"],
        "consultation/limit-stops-creating": ["limit-reached"],
        "consultation/history-before-connect": [],
        "ws/endpoint": [],
        "ws/single-connection": [],
        "ws/waits-for-connected": [],
        "ws/refused-handshake": ["token-expires-mid-session"],
        "ws/message-shape": [],
        "ws/no-send-while-streaming": ["slow-coach"],
        "ws/keepalive": ["silent-coach", "missed-pongs"],
        "ws/reconnect-backoff": ["drop-mid-stream", "server-restarts"],
        "ws/reconnect-limit": ["drop-mid-stream", "server-restarts"],
        "ws/no-reconnect-after-own-close": [],
        "ws/recovers-history": ["drop-mid-stream"],
        "ws/close-handshake": [],
        "retry/backoff-on-5xx": ["flaky-500", "timeouts"],
        "goal/reuses-conversation": ["established-account"],
        "goal/links-created-goal": ["scripted-coach"],
        "meal/no-fetch-after-completed": ["meal-completes"],
        "meal/no-poll-while-connected": ["meal-completes"],
        "meal/polling-cadence": ["meal-never-finishes"],
    ]
}
