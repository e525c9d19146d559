import ContractSuite
import FitIQAPI
import FitIQClient
import Hosting
import Judging
import MockServer
import Sockets
import Text
import Traffic

enum Messages {
    static func usage(_ message: String, of command: String? = nil, hint: String = "") -> String {
        let firstLine = message.split(separator: "\n").first.map(String.init) ?? message
        let sentence = firstLine.hasSuffix(".") || firstLine.hasSuffix("?") ? firstLine : firstLine + "."
        return "\(sentence)\(hint) See 'fitiq-mock \(command.map { "\($0) " } ?? "")--help'."
    }
    /// - Parameter allowed: whole commands, like `command` itself.
    static func unknownCommand(_ command: String, allowed: [String]) -> String {
        let others =
            allowed.count == 1
            ? ", only '\(allowed[0])'."
            : ".\(NearestWord.hint(command, among: allowed)) The commands are \(allowed.joined(separator: ", "))."
        return "there is no command '\(command)'\(others) See 'fitiq-mock --help'."
    }
    static func badNumber(expected: String) -> String { "it must be \(expected)." }
    static func strayVariable(_ name: String, known: [String]) -> String {
        let near = NearestWord.find(name, among: known).map { "FITIQ_MOCK_\($0)" }
        return "no option reads FITIQ_MOCK_\(name).\(NearestWord.hint(near))"
    }
    static func badEnvironment(_ setting: Setting, value: String, expected: String) -> String {
        "\(setting.variable) is '\(value)', which is not \(expected)."
    }

    /// How to talk to a server whose guide uses the other protocol, or an empty string if the protocol was not the
    /// cause.
    static func otherProtocol(after error: String, spoken: String) -> String {
        guard error.contains("belongs to the guide") else { return "" }
        return " Use --protocol \(spoken == "message" ? "user_message" : "message")."
    }
    static func empty(_ option: String) -> String { "\(option) must not be empty." }
    static let halfAnAccount = "--email and --password must be used together."
    static func notAFieldValue(_ option: String) -> String {
        "\(option) must be printable ASCII without leading or trailing spaces: clients send it as a header field."
    }
    static func notAnOrigin(_ value: String, of label: String) -> String {
        "\(label) must be an origin in the form that browsers send (scheme://host or scheme://host:port, without a "
            + "path), null, file:// or *; got '\(value)'."
    }
    static func notTheFake(_ address: String) -> String {
        "\(address) is not a fitiq-mock server: set --server to the URL of a fitiq-mock server, or of a fleet's proxy."
    }
    /// A message about verdicts on obligations or guides that this version lacks.
    static func judgesOtherwise(_ address: String) -> String {
        "\(address) returns verdicts that this fitiq-mock does not support: use the same version on both sides."
    }
    static let notOnServer =
        "--server cannot be combined with --against, --allow-origin, --cors, --network or --compression: the server "
        + "configures its own worlds, and verify does not compare versions on another server."
    /// Why a report lacks runs: a server was lost or full.
    static func lostRuns(_ lost: [(scenario: String, reason: String)]) -> String {
        let reasons = lost.map { "\($0.scenario): \($0.reason)" }.joined(separator: " ")
        let options = lost.map { "--scenario \($0.scenario.shellQuoted)" }.joined(separator: " ")
        return
            "\(Words.counted(lost.count, "run")) got no world, or lost it when the server exited; run verify again "
            + "with \(options). \(reasons)"
    }
    static func notANode(_ value: String) -> String {
        "--node must have 1 to \(NodeName.longest) lower-case letters, digits and hyphens, begin with a letter, and "
            + "not end with a hyphen; got '\(value)'."
    }
    static func notPublicURL(_ value: String) -> String {
        "--public-url must consist of http:// or https://, a host and an optional port, without a path; got '\(value)'."
    }
    static func fewDescriptors(_ count: Int, connections: Int) -> String {
        "the system allows \(count) open files, so the server accepts at most \(connections) connections at "
            + "once (see ulimit -n)"
    }

    /// A hint for commands that read a secret from a variable instead of showing it.
    static func setFirst(_ setting: Setting) -> String {
        "Set \(setting.variable) to the server's value first; the value is not shown here."
    }
    static func tokenOutlives(seconds: Int64) -> String {
        "Tokens expire after \(seconds) s; tokens from 'token' without --expires-in can last longer."
    }

    // MARK: Chat

    static let chatHelp = """
        /archive    archives this consultation and begins another
        /meal TEXT  logs a snack, and waits for its calories
        /quit       ends the chat, as Ctrl-D does
        """
    static func unknownChatCommand(_ word: String) -> String {
        "there is no command '\(word.onOneLine(limit: 60))'. See /help."
    }
    static func begunAnew(_ next: String) -> String {
        "the server no longer has this consultation, perhaps because it has restarted; a new one begins: \(next)."
    }
    static func begunAgain(_ next: String) -> String { "reconnected; a new consultation begins: \(next)." }
    static func mealCompleted(_ text: String, calories: Int?) -> String {
        "\(text.onOneLine(limit: 100)): \(calories.map { "\($0) kcal" } ?? "completed")"
    }
    static let connectionLost = "the connection was lost; reconnecting ..."
    static let chatContinues = "reconnected."
    static func clockStands(_ path: String) -> String {
        "the server's clock is stopped, so nothing arrives until you move it: POST \(path) {\"advance\": \"10s\"}"
    }
    static func clockRefused(_ reason: String) -> String {
        "nothing has arrived. To check whether the server's clock is stopped, pass the server's --admin-token: "
            + reason
    }

    // MARK: Judging clients

    static let verifyExample = "fitiq-mock verify --scenario conflict -- ./run-my-tests"
    static let testClientExample = "fitiq-mock test-client -- python3 ./adapter.py"
    static func noCommand(_ name: String, example: String) -> String {
        "\(name) needs a command after '--': \(example). See 'fitiq-mock \(name) --help'."
    }
    /// - Parameter option: text that contains the option's name.
    static func durations(of option: String) -> String {
        let range =
            option.contains("--time-limit")
            ? "from 1s to 1d"
            : option.contains("--budget") ? "from 1s to 7d" : "at most \(Lifetime.longestDays)d"
        return " A duration is a number followed by s, m, h or d, such as 30s, and \(range)."
    }
    static let confirmations = " 2/3 means two of three runs; the maximum is \(ExploreLimits.tries) runs."
    static let scenarioList =
        "there is no command 'scenario list': 'fitiq-mock scenarios' lists the built-in scenarios, and 'scenario "
        + "from' creates one from a recorded session."
    static let scenarioUse = "Print one: fitiq-mock scenarios NAME. Serve one: fitiq-mock serve --scenario NAME."
    static let badTimeLimit = "--time-limit must be from 1s to 1d."
    static func noServer(_ reason: String) -> String { "the internal server failed: \(reason)" }
    static func noWorld(_ reason: String) -> String {
        "the internal server could not create a world for a scenario: \(reason)"
    }
    static func worldIsGone(_ scenario: String) -> String {
        "the command deleted the world for the scenario '\(scenario)' through the admin API, so the client cannot be "
            + "judged."
    }
    static func unknownCase(_ address: String, nearest: String?) -> String {
        "there is no case '\(address)', and no case below it.\(NearestWord.hint(nearest)) "
            + "--list shows the cases."
    }
    static let allSkipped = "every case is skipped: --skip excludes all cases that --case and --guide select."
    static let interruptedRun = "Interrupted"
    static func timeIsUp(_ limit: Duration) -> String {
        "The time limit of \(Durations.seconds(limit.nanoseconds)) s was reached"
    }
    static let failedFast = "Stopped at the first failure (--fail-fast)"
    static let adapterDies = "The adapter exited twice in a row before its first answer"
    /// Why a report is incomplete, and how much it contains.
    static func incomplete(_ reason: String, played: Int, of count: Int, _ noun: String) -> String {
        "\(reason): \(played) of \(Words.counted(count, noun)) \(played == 1 ? "is" : "are") in this report."
    }
    /// Why a report on cases is incomplete, with up to five of the slowest cases.
    static func incomplete(_ reason: String, _ results: [CaseResult], of count: Int) -> String {
        let slowest = results.map { (name: $0.contractCase.address, tenths: $0.systemTime.nanoseconds / 100_000_000) }
            .filter { $0.tenths > 0 }.sorted { $0.tenths > $1.tenths }.prefix(5)
            .map { "\($0.name) (\($0.tenths / 10).\($0.tenths % 10) s)" }
        return incomplete(reason, played: results.count, of: count, "case")
            + (slowest.isEmpty ? "" : " The slowest: \(slowest.joined(separator: ", ")).")
    }
    static func noCaseOfGuide(_ guide: String) -> String {
        "none of these cases uses the guide '\(guide)'. See 'fitiq-mock test-client --list'."
    }
    static func ended(_ result: CaseResult) -> String {
        result.skipped.map { "skipped: \($0)" } ?? (result.isPassed ? "passed" : "FAILED")
    }
    static let interrupted = "interrupted; the command was stopped, and nothing was judged."
    static let badJobs = "--jobs must be from 1 to \(Verify.jobLimit)."
    static func tooManyRequests(_ limit: Int) -> String {
        "this client has \(limit) requests in progress, which is the limit; wait for some of them to finish."
    }
    static func noOutputFile(_ reason: String) -> String {
        "cannot create a temporary file for a command's output: \(reason)."
    }
    static let processesLeft =
        "some processes that the command started could not be stopped and may still be running; find them with ps "
        + "and kill them."
    static let commandRuns = "the command runs"
    static func commandEnded(_ outcome: Report.CommandOutcome, tenths: Int64) -> String {
        let how =
            switch outcome {
            case .exited(let status): "the command exited with \(status)"
            case .signalled(let number): "the command was terminated by signal \(number)"
            case .timedOut: "the command reached its time limit"
            }
        return "\(how) after \(tenths / 10).\(tenths % 10) s"
    }

    // MARK: The messages of 'verify --against'

    static let againstClause = "The command behaves the same as the older version."
    static let oldIsSilent = "The older command sent nothing, so there is nothing to compare with."
    static let tooMuchToCompare =
        "A journal has dropped its oldest entries, so the beginning of the run was not compared: use a shorter test."

    // MARK: The messages of 'explore'

    static let exploreExample = "fitiq-mock explore --runs 200 -- ./run-my-tests"
    static let badBudget = "--budget must be from 1s to 7d."
    static let badRuns = "--runs must be from 1 to 10000000."
    static let noFamilies = "--without excludes all fault families that --only selects."
    static let noRule = "(scenario behaviour: answers, meals, token_lifetime)"
    /// - Parameter budget: the seconds that the exploration may take, or nil for no limit.
    static func exploringBegins(seconds: Int64, budget: Int64?) -> String {
        let left = budget.map { ", \(timeLeft(of: $0, seconds))" } ?? ""
        return "first running the command without faults, \(elapsed(seconds))\(left)"
    }
    /// The progress, beginning with what matters most, because a narrow terminal shows only the first parts.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of schedules, or nil for no limit.
    ///   - runs: how many runs have ended, including runs that do not count towards a schedule yet.
    ///   - budget: the seconds that the exploration may take, or nil for no limit.
    static func explored(
        _ counts: Agenda.Counts, of limit: Int? = nil, runs: Int, findings: Int, seconds: Int64, budget: Int64?
    ) -> String {
        let kinds = [(counts.singles, "single fault"), (counts.pairs, "pair")]
            .filter { $0.0 > 0 }.map { Words.counted($0.0, $0.1) }
        let schedules =
            limit.map { "\(counts.schedules) of \(Words.counted($0, "schedule"))" }
            ?? Words.counted(counts.schedules, "schedule")
        let time = budget.map { timeLeft(of: $0, seconds) } ?? elapsed(seconds)
        let parts = [
            schedules, Words.counted(findings, "finding"), time, Words.counted(runs, "run"),
            Words.counted(counts.points, "point"),
        ]
        return (parts + kinds).joined(separator: ", ")
    }
    private static func timeLeft(of budget: Int64, _ seconds: Int64) -> String {
        "\(elapsed(max(0, budget - seconds))) left"
    }
    private static func elapsed(_ seconds: Int64) -> String {
        seconds < 60 ? "\(seconds)s" : "\(seconds / 60)m\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)s"
    }
    static let stories = "stories"
    static let exploredClause = "No fault schedule reproduces this symptom."
    static func unknownStory(_ name: String?, allowed: [String]) -> String {
        let found =
            name.map { "the scenario's comments name the story '\($0)'" } ?? "the scenario's comments name no story"
        return "\(found); an adapter can replay only \(Words.list(allowed))."
    }

    // MARK: The messages of 'scenario from'

    static let scenarioFromExample = "fitiq-mock scenario from session.har -- ./run-my-tests"
    static func emptySession(_ path: String) -> String { "'\(path)' contains no API requests." }
    /// - Parameter known: the obligations that the recorded client broke and that --known-broken lists.
    static func looksFor(_ ids: [String], isFailure: Bool, known: [String]) -> String {
        let what = known.isEmpty ? "broke no obligation" : "broke only \(Words.list(known)), which --known-broken lists"
        return isFailure
            ? "the recorded client \(what), so the search looks for faults that make the command fail"
            : "the recorded client broke \(Words.list(ids)); the search looks for faults that make the command "
                + "break the same obligations"
    }
    static func searchBegins(seconds: Int64) -> String {
        "first running the command with all of the session's faults, \(elapsed(seconds))"
    }
    static func reducing(runs: Int, faults: Int, seconds: Int64) -> String {
        "\(Words.counted(runs, "run")), \(Words.counted(faults, "fault or answer", "faults and answers")) left, "
            + elapsed(seconds)
    }
    static let allIsKnown = "--known-broken lists everything that the search could find."
    static func needsNoFault(_ ids: [String]) -> String {
        "the command breaks \(Words.list(ids)) without any fault, so there is no scenario to write: fix that first, or "
            + "list it in --known-broken to search for the rest."
    }
    static let notTheEnd = "This is the smallest scenario so far: Ctrl-C ended the search early."
    static func summary(of schedule: Schedule, _ ids: [String]) -> String {
        "From a recording: \(Words.list(ids, last: "or")) after \(schedule)."
    }

    // MARK: Watching

    static let watchKeys = "space pauses, / filters, c clears, b bodies, p pings, q quits"
    static func watching(_ url: String, world: String?, hasKeys: Bool) -> String {
        "watching \(url)\(world.map { ", world \($0)" } ?? "")\(hasKeys ? ": \(watchKeys)" : "")"
    }
    static func noPlainURL(_ error: ClientError) -> String { "\(error) Use the plain port, which every server has." }
    static func unreachable(_ trouble: ClientError, url: String) -> String {
        let advice =
            switch trouble {
            case .refused(status: 401, _): " Pass the server's token with --admin-token."
            case .transport, .badHTTP:
                " Start the server with 'fitiq-mock serve', or pass another server's URL with --url."
            default: ""
            }
        return "\(url): \(sentence(trouble.description))\(advice)"
    }
    static func tooLongEvent(of url: String) -> String {
        "\(url): the server sent an event larger than \(EventStreamReader.eventLimit) bytes."
    }
    static func connectionLost(_ trouble: ClientError) -> String {
        let reason = trouble.description
        return "the connection was lost (\(reason.hasSuffix(".") ? reason.dropLast() : reason[...])); trying again"
    }
    static let restarted = "reconnected: the server or its world has restarted; showing all entries from the start"
    static func missed(_ count: Int) -> String {
        "the journal dropped \(Words.counted(count, "entry", "entries")) before they could be shown"
    }
    static let paused = "paused; space continues"
    static func shows(_ what: String, _ isShown: Bool) -> String { "\(what): \(isShown ? "shown" : "hidden")" }
    static func droppedLines(_ count: Int) -> String { "(\(count) lines dropped) " }

    // MARK: Scenarios

    /// Why a scenario is not served, followed by its mistakes, one per line, in a form that editors can jump to.
    static func mistakes(in path: String, _ lines: String) -> String { "cannot use '\(path)':\n\(lines)" }
    static let watchWithoutFile = "--watch requires a scenario file: --scenario FILE."
    static func reloaded(_ path: String, isEntire: Bool) -> String {
        isEntire
            ? "reloaded '\(path)'"
            : "reloaded '\(path)': answers, meals and faults apply from now on; data, guide, seed, clock and "
                + "token lifetime apply at the next reset (POST /__admin/reset) and in new worlds"
    }
    static func lastGoodStays(_ path: String) -> String {
        "'\(path)' has errors; until you fix them, the server uses the last version loaded:"
    }
    static func vanished(_ path: String) -> String {
        "'\(path)' is missing; the server still uses the last version loaded, and will reload the file when it "
            + "reappears"
    }

    /// Prefixes a sentence about a file with the file's name, like the mistakes in it.
    static func inFile(_ path: String, _ sentence: String) -> String { "\(path): \(sentence)" }

    // MARK: Files

    static func tooLarge(_ path: String, limit: Int) -> String {
        "'\(path)' is larger than \(limit >> 20) MiB, the largest size that can be read."
    }
    static func unwritable(_ path: String, reason: String) -> String { "cannot write to '\(path)': \(reason)." }

    /// A message about a path at which no ready file can be created.
    ///
    /// `kind` names what is there if it is not a regular file.
    static func notReadyFile(_ path: String, _ kind: String?) -> String {
        "'\(path)' is \(kind ?? "not a fitiq-mock ready file, or belongs to another user,") and was not changed: set "
            + "--ready-file to a path where no file exists."
    }
    static func noReadyFile(_ path: String) -> String {
        "'\(path)' is missing: its server has not started, or has stopped."
    }
    static func staleReadyFile(_ path: String, _ writer: ReadyFile.Writer) -> String {
        let start = writer.startedAt.map { ", started at \($0.wireText)," } ?? ""
        return "'\(path)' is stale: process \(writer.id)\(start) is no longer running."
    }
    static func unhealthy(_ trouble: ClientError, url: String) -> String {
        "\(url) does not answer like a fitiq-mock server: \(sentence(trouble.description))"
    }
    static func stillDrains(_ url: String, worlds: Int) -> String {
        "\(url) is still draining: \(Words.counted(worlds, "world")) \(worlds == 1 ? "is" : "are") left."
    }
    static let negativeTimeout = "--timeout must not be negative."
    static func readyFileInUse(_ path: String, _ identifier: Int32) -> String {
        "'\(path)' is the ready file of process \(identifier), which is still running: stop it, or choose "
            + "another file. If another program now has that process ID, remove the file."
    }
    static func standardOutput(_ error: FileError) -> String { "cannot write to standard output: \(error.reason)." }
    static let noDataDirectory = "there is no folder for certificates: neither HOME nor FITIQ_MOCK_DATA_DIR is set."
    static func notStarted(_ error: StartError) -> String {
        switch error {
        case .listening(let error): notListening(error)
        case .listeningForTLS(let error): notListening(error, port: "--tls-port")
        case .tls, .configuration: error.description
        }
    }

    /// A message about a listener that could not start.
    ///
    /// `port` is the option that sets its port.
    static func notListening(_ error: SocketError, port: String = "--port") -> String {
        switch error.listenerChoice {
        case .port: "\(error) (\(port))"
        case .host: "\(error) (--host)"
        case nil: error.description
        }
    }
    static let forced = "stopped immediately by a second signal; open connections were cut off."
}
