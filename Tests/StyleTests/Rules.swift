extension Rule {
    /// The rules, in the order in which they are reported.
    static let all = time + identity + inputAndOutput + concurrency + language + copies + text

    static let time: [Rule] = [
        Rule(
            banned: "`Date()`", pattern: #"\bDate\s*\(\s*\)|\bDate\.now\b"#,
            advice: "take the time as an argument (`Timestamp`)",
            bad: ["let now = Date()", "Date.now"], good: ["httpDate()", "updateDate(1)", "\"Date()\"", "// Date()"]),
        Rule(
            banned: "A clock of the standard library", pattern: #"\b(ContinuousClock|SuspendingClock|DispatchTime)\b"#,
            advice: "take the time as an argument; the shell reads `MonotonicInstant`",
            bad: ["let clock = ContinuousClock()", "SuspendingClock.now", "DispatchTime.now()"]),
        Rule(
            banned: "A clock of the C library",
            pattern: #"\b(clock_gettime|gettimeofday|mach_absolute_time|time\(nil\))"#,
            advice: "take the time as an argument (`Timestamp`)", scope: .belowTheShell,
            bad: ["clock_gettime(CLOCK_MONOTONIC, &time)", "let now = time(nil)"], good: ["runtime(nil)"]),
        Rule(
            banned: "A reading of the clock", pattern: #"\b(MonotonicInstant|WallClock)\b|(?<![\w)\]])\.now\(\)"#,
            advice: "take the time as an argument (`Timestamp`); only the shell reads clocks", scope: .belowTheShell,
            bad: [
                "MonotonicInstant.now()", "let now: MonotonicInstant", "WallClock.nanosecondsSinceEpoch()", "f(.now())",
            ],
            good: ["turn.now = now", "at: turn.now"]),
        Rule(
            banned: "Sleeping", pattern: #"\b(Task\.sleep|Thread\.sleep|usleep|nanosleep|sleep)\s*\("#,
            advice: "wait for the event itself, or hand in a later time", scope: .everywhere,
            bad: ["try await Task.sleep(for: .seconds(1))", "usleep(100)", "sleep(1)"], good: ["slept(1)"]),
    ]

    static let identity: [Rule] = [
        Rule(
            banned: "`UUID()`", pattern: #"\bUUID\s*\(\s*\)"#,
            advice: "take ids as an argument (`ResourceIDSequence`)", bad: ["let id = UUID()"],
            good: ["ResourceID.read(text)"]),
        Rule(
            banned: "The system's random numbers",
            pattern: #"\b(SystemRandomNumberGenerator|arc4random\w*|getentropy|getrandom|drand48)\b"#,
            advice: "take a seed as an argument and draw from `SplitMix64`", scope: .belowTheShell,
            bad: ["var numbers = SystemRandomNumberGenerator()", "arc4random_uniform(6)", "getentropy(p, 8)"]),
        Rule(
            banned: "`SystemEntropy`", pattern: #"\bSystemEntropy\b"#,
            advice: "take a seed as an argument; only the shell asks the system for one", scope: .belowTheShell,
            bad: ["SystemEntropy.seed()"]),
        Rule(
            banned: "Unseeded randomness",
            pattern: #"\.(random|randomElement|shuffled|shuffle)\s*\((?!.*\busing:)"#,
            advice: "take a seed as an argument and draw from `SplitMix64`", scope: .sources,
            bad: ["Int.random(in: 0..<6)", "names.randomElement()", "names.shuffled()", "names.shuffle()"],
            good: ["Int.random(in: 0..<6, using: &numbers)", "names.shuffled(using: &numbers)", "randomly()"]),
        Rule(
            banned: "`hashValue`", pattern: #"\.hashValue\b"#,
            advice: "it is seeded anew in each process; derive numbers with `SplitMix64`", bad: ["text.hashValue"],
            good: ["func hash(into hasher: inout Hasher)"]),
    ]

    static let inputAndOutput: [Rule] = [
        Rule(
            banned: "The C library",
            pattern: #"^\s*(@\w+\s+|public\s+|internal\s+)*import\s+(CLibrary|Glibc|Musl|Darwin|CPlatform|Dispatch)\b"#,
            advice: "what touches the system belongs into Sockets", scope: .belowTheShell,
            bad: ["import Glibc", "    import Darwin", "@preconcurrency import Glibc", "import CPlatform"],
            good: ["import HTTPTypes"]),
        Rule(
            banned: "`Sockets`", pattern: #"^\s*(@\w+\s+)*import\s+Sockets\b"#,
            advice: "bytes come as arguments and leave as results; only the shell holds descriptors",
            scope: .belowTheShell, bad: ["import Sockets"], good: ["import WebSocket"]),
        Rule(
            banned: "A system call",
            pattern:
                #"(?<![\w.])(?<!case )(socket|accept4|setsockopt|fopen|fread|fwrite|getenv|mmap|signal|fork|exit)\s*\("#,
            advice: "what touches the system belongs into Sockets or the executable", scope: .belowTheShell,
            bad: ["let descriptor = socket(AF_INET, SOCK_STREAM, 0)", "fopen(path, mode)", "getenv(name)"],
            good: ["webSocket(id)", "event.socket(id)", "forgetSocket(of: connection)", "case socket(SocketFault)"]),
        Rule(
            banned: "`print`", pattern: #"(?<![\w.])(print|debugPrint|dump)\s*\("#,
            advice: "return what there is to say; the executable prints", scope: .libraries,
            bad: ["print(answer)", "debugPrint(answer)"], good: ["pretty.print(answer)", "imprint(1)"]),
    ]

    static let concurrency: [Rule] = [
        Rule(
            banned: "A lock",
            pattern: #"\b(Mutex|NSLock|NSRecursiveLock|OSAllocatedUnfairLock|ManagedAtomic|Atomic<|pthread_\w+)"#,
            advice: "one thread owns the state; other threads use the `Mailbox`", scope: .belowTheShell,
            bad: ["let state = Mutex(State())", "NSLock()", "pthread_mutex_lock(&lock)", "let n: Atomic<Int>"]),
        Rule(
            banned: "Concurrency",
            pattern:
                #"\b(Task\b(?!\w)|TaskGroup|actor\s+\w|async\b|await\b|AsyncStream|AsyncSequence|DispatchQueue|DispatchSemaphore|Thread\b|@MainActor)"#,
            advice: "a state machine takes events and returns actions; only the loop waits", scope: .belowTheShell,
            bad: ["Task { }", "actor Store {", "func read() async", "await next()", "DispatchQueue.main"],
            good: ["let factor = 2", "taskCount", "asynchronous"]),
        Rule(
            banned: "An unchecked promise to the compiler", pattern: #"@unchecked\s+Sendable|nonisolated\(unsafe\)"#,
            advice: "make the type a value, or keep it on the loop's thread",
            bad: ["final class Box: @unchecked Sendable {", "nonisolated(unsafe) var count = 0"],
            good: ["struct Box: Sendable {"]),
    ]

    static let language: [Rule] = [
        Rule(
            banned: "`try!`", pattern: #"\btry!"#, advice: "throw a typed error, or check and `preconditionFailure`",
            scope: .everywhere, bad: ["let value = try! parse(text)"], good: ["try? parse(text)"]),
        Rule(
            banned: "`as!`", pattern: #"\bas!"#, advice: "use `as?` or an enum", scope: .everywhere,
            bad: ["value as! String"], good: ["value as? String", "has != wanted"]),
        Rule(
            banned: "`fatalError`", pattern: #"\bfatalError\s*\("#,
            advice: "`preconditionFailure` for our own misuse, an error value for bad input", scope: .everywhere,
            bad: ["fatalError(reason)"]),
        Rule(
            banned: "Foundation", pattern: #"\bimport\s+(struct\s+|class\s+|func\s+)?Foundation\w*"#,
            advice: "it costs start-up time and size; write bytes, and take times as `Timestamp`",
            // The libraries for app tests do not depend on our modules.
            spared: ["Sources/Clients/FitIQMock"],
            bad: ["import Foundation", "import struct Foundation.Date", "import FoundationNetworking"]),
        Rule(
            banned: "`@testable` in Sources", pattern: #"@testable\b"#, advice: "make public what another module needs",
            bad: ["@testable import HTTP1"]),
    ]

    /// Work that `Text` does and other modules must not repeat; `Platform` is below `Text`.
    static let copies: [Rule] = [
        Rule(
            banned: "A plural by hand", pattern: #"== 1 \? (""|"(\w+)") : "(s|\2s)""#, advice: "use `Words.counted`",
            subject: .text, spared: belowOrIn("Text"),
            bad: [#""\(n) byte\(n == 1 ? "" : "s")""#, #"n == 1 ? "request" : "requests""#],
            good: [#"n == 1 ? "once" : "\(n) times""#]),
        Rule(
            banned: "A suggestion by hand", pattern: #""[^"]*[Dd]id you mean"#, advice: "use `NearestWord.hint`",
            subject: .text, spared: belowOrIn("Text"), bad: [#""; did you mean '\(name)'?""#],
            good: ["/// ` Did you mean 'name'?` at the end"]),
        Rule(
            banned: "A class of ASCII characters by hand",
            pattern: #"\(0x(30\.\.\.0x39|41\.\.\.0x5A|61\.\.\.0x7A)\)\.contains"#,
            advice: "use `isDigit`, `isLetter` and their like", spared: belowOrIn("Text"),
            bad: ["(0x30...0x39).contains(byte)"], good: ["0x20...0x7E ~= byte"]),
        Rule(
            banned: "A query split by hand", pattern: #"[sS]eparator: (\.ampersand|UInt8\(ascii: "&"\)|"&")"#,
            advice: "use `URLParts.items` or `PercentCoding`", subject: .text, spared: belowOrIn("Text"),
            bad: ["query.split(separator: .ampersand)", #"text.split(separator: "&")"#]),
    ]

    private static func belowOrIn(_ module: String) -> [String] {
        ["Sources/Platform/", "Sources/Protocols/\(module)/"]
    }

    static let text: [Rule] = [
        Rule(
            banned: "A note to do it later", pattern: #"\b(TO"# + #"DO|FIX"# + #"ME|X"# + #"XX)\b"#,
            advice: "do it, or say what is so and why", scope: .everywhere, subject: .text,
            bad: ["// TO" + "DO: limits", "/// FIX" + "ME"], good: ["// todo lists are not our business"]),
        Rule(
            banned: "A path of somebody's machine", pattern: #"["'\s](/Users|/home|/root)/\w"#,
            advice: "find files from #filePath, or take the path as an argument", scope: .everywhere, subject: .text,
            bad: ["let path = \"/" + "Users/me/fitiq\""], good: ["GET /api/v1/users/me"]),
        Rule(
            banned: "An option of the command line in a message",
            pattern: #"(?<![\w-])--[a-z]"#,
            advice: "say what to change in words; the executable adds its options", scope: .libraries,
            subject: .literals,
            // This library starts the program, which its users also start by hand.
            spared: ["Sources/Clients/FitIQMockTesting/"],
            bad: [
                "\"choose another with --" + "port\"", "let hint = \"start the server with \\(x) --" + "tls\"",
                "let hint = \"\"\"\n    start it with --" + "tls",
            ],
            good: [
                "// `--port` of \"serve\"", "\"a -- b\"", "    /// What \"--port\" says.", "\"--\\(boundary)\"",
                "\"well--known\"",
            ]),
        Rule(
            banned: "A switched-off formatter", pattern: "swift-format" + "-ignore",
            advice: "write it as the formatter does", scope: .everywhere, subject: .text,
            bad: ["// swift-format" + "-ignore"]),
    ]
}
