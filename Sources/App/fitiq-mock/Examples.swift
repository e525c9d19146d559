/// Two examples for each command, shown at the end of the command's help.
enum Examples {
    /// The examples by command name, in one table so that a test can run them all.
    static let all: [String: [String]] = [  // Names of commands: constants.
        "": ["fitiq-mock serve --instant", "fitiq-mock verify -- ./run-my-tests"],
        "serve": ["fitiq-mock serve --scenario conflict", "fitiq-mock serve --port 0 --ready-file server.json"],
        "mcp": ["fitiq-mock mcp", "fitiq-mock mcp --command 'swift test'"],
        "watch": ["fitiq-mock watch", "fitiq-mock watch --filter 'status=4xx path=/goals'"],
        "chat": ["fitiq-mock chat", "fitiq-mock chat --persona fitness_coach --message 'How do I warm up?'"],
        "reset": ["fitiq-mock reset", "fitiq-mock reset conflict"],
        "wait": ["fitiq-mock wait --ready-file ready.json", "fitiq-mock wait --ready-file ready.json --timeout 2m"],
        "health": ["fitiq-mock health", "fitiq-mock health --url http://127.0.0.1:8080"],
        "drain": ["fitiq-mock drain", "fitiq-mock drain --idle 1s --timeout 10m"],
        "verify": [
            "fitiq-mock verify -- ./run-my-tests",
            "fitiq-mock verify --scenario conflict --scenario flaky-500 --junit report.xml -- ./run-my-tests",
        ],
        "explore": ["fitiq-mock explore --list --only late", "fitiq-mock explore --only failed -- ./run-my-tests"],
        "test-client": [
            "fitiq-mock test-client --list",
            "fitiq-mock test-client --case meal/create/400-surfaces -- python3 ./adapter.py",
        ],
        "judge": ["fitiq-mock judge journal.ndjson", "fitiq-mock judge session.har --html report.html"],
        "conform": [
            "fitiq-mock conform session.har --accept overlay.yaml",
            "fitiq-mock conform --upstream https://api.example.com --token \"$TOKEN\"",
        ],
        "record": [
            "fitiq-mock record --upstream https://api.example.com --output recorded.har",
            "fitiq-mock record --upstream https://api.example.com --output recorded.har --overwrite",
        ],
        "replay": ["fitiq-mock replay session.har", "fitiq-mock replay session.har --match route --speed instant"],
        "show": ["fitiq-mock show session.har", "fitiq-mock show session.har --bodies | less"],
        "diff": ["fitiq-mock diff session.har other.har", "fitiq-mock diff session.har other.har > differences.txt"],
        "check": ["fitiq-mock check mine.yaml", "fitiq-mock check scenarios/*.yaml"],
        "scenarios": ["fitiq-mock scenarios", "fitiq-mock scenarios conflict > mine.yaml"],
        "scenario": scenarioFrom, "scenario from": scenarioFrom,
        "schema": ["fitiq-mock schema > scenario.schema.json", "fitiq-mock schema | python3 -m json.tool"],
        "token": ["fitiq-mock token", "fitiq-mock token --user alice --expires-in -5m"],
        "certificate": ["fitiq-mock certificate", "fitiq-mock certificate --pem > ca.pem"],
        "completions": [
            "source <(fitiq-mock completions bash)",
            "fitiq-mock completions fish > ~/.config/fish/completions/fitiq-mock.fish",
        ],
    ]
    private static let scenarioFrom = [
        "fitiq-mock scenario from session.har -- ./run-my-tests",
        "fitiq-mock scenario from session.har --confirm 1/1 --output smallest.yaml -- ./run-my-tests",
    ]

    /// The examples for the help that the arguments request.
    static func text(for arguments: [String]) -> String {
        let words = arguments.prefix { !$0.hasPrefix("-") }.filter { $0 != "help" }
        let examples = all[words.joined(separator: " ")] ?? all[words.first ?? ""] ?? []
        return "\nEXAMPLES:\n" + examples.map { "  \($0)\n" }.joined()
    }
}
