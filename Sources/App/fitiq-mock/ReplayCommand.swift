import ArgumentParser
import FitIQAPI
import MockServer
import Replay
import Scenarios

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Serve a recorded session, a HAR file, until Ctrl-C.",
        discussion: """
            You can also set each option in the environment: --match as FITIQ_MOCK_MATCH, and so on. --scenario sets \
            faults, guide, seed and clock; the session replaces its data. --import, --export-on-exit, --state, --ids, \
            --watch, --overlay, --upstream and --upstream-ca cannot be used with a session.

            Exit codes: 0 success, 1 a request differed from the recorded request or was missing (--match strict), 2 \
            usage or configuration error, or an unreadable session, 3 the server failed.
            """)

    @Argument(
        help: .init("The session: a HAR from Chrome, mitmproxy, Playwright or fitiq-mock.", valueName: "file"),
        completion: .sessions)
    var file: String

    @Option(
        "Which requests get an answer: strict, only recorded requests in the recorded order; ordered, recorded "
            + "requests in any order, with the answers in turn; or route, requests with a recorded method and path. "
            + "(default: ordered)", "mode",
        .values(of: ReplaySettings.Match.self))
    var match: String?

    @Option(
        "The replay speed as a multiple of the recorded speed, 0.001 to 1000, or instant. (default: 1)",
        "number|instant",
        parsing: .unconditional)
    var speed: String?

    @Option(
        "When the server sends its frames: timed, at their recorded times; lock-step, after the client's frames that "
            + "preceded them; or triggered, whenever a frame that resembles a recorded frame arrives. (default: "
            + "lock-step)",
        "mode", .values(of: ReplaySettings.FrameOrder.self))
    var frames: String?

    @Option("The prefix of the API paths in the session, such as /prod; clients may omit it.", "path")
    var prefix: String?

    @OptionGroup var host: HostOptions
    @OptionGroup var options: ServeOptions

    // These options exist only so that they can be rejected with a reason.
    @OptionGroup(visibility: .hidden) var data: DataOptions

    func run() throws {
        let settings = try replaySettings()
        try refuseWhatMeansNothing()
        let launcher = try ServerLauncher(host, options, data)
        let prefix = try SessionFile.prefix(Settings.text(prefix, .prefix))
        let recording = try SessionFile.recording(file, isTyped: true, prefix: prefix)
        for note in recording.notes { launcher.logger.notice("\(Messages.inFile(file, note))") }
        let replay = SessionReplay(.plan(recording.plan), settings: settings)
        try launcher.run { configuration throws(Failure) in
            guard configuration.scenario.canReplay else { throw .configuration(Messages.scenarioBesideSession) }
            configuration.scenario.replay = replay
            guard Settings.text(options.scenario, .scenario) == nil else { return }
            configuration.scenario.name = SessionFile.name(of: file)
            configuration.scenario.summary = Messages.replaySummary(recording.plan)
        } conclude: { engine throws(Failure) in
            guard let outcome = engine.replayOutcome(ofWorld: "default") else { return }
            print(Messages.replayed(outcome))
            guard !outcome.isStrict || outcome.failures.isEmpty else { throw .told(exitCode: 1) }
        }
    }

    private func replaySettings() throws(Failure) -> ReplaySettings {
        var settings = ReplaySettings()
        settings.match = try Settings.choice(match, .match) ?? settings.match
        settings.frames = try Settings.choice(frames, .frames) ?? settings.frames
        guard let text = Settings.text(speed, .speed) else { return settings }
        guard try !Settings.flag(options.instant, .instant) else { throw .configuration(Messages.twoSpeeds) }
        if text == "instant" {
            settings.speed = .instant
        } else if let factor = Double(text), ScenarioLimits.replaySpeed.contains(factor) {
            settings.speed = .factor(factor)
        } else {
            throw .configuration(
                "--speed must be instant, or a multiple of the recorded speed: a number from 0.001 to 1000; got "
                    + "'\(text)'.")
        }
        return settings
    }

    /// Rejects options that do not apply here, because a session has no state and no file to watch.
    private func refuseWhatMeansNothing() throws(Failure) {
        let given: [(String, Bool)] = [
            ("--export-on-exit", try data.exportPath() != nil),
            ("--import", Settings.text(data.importFile, .import) != nil),
            ("--state", try data.statePath() != nil), ("--ids", Settings.text(data.ids, .ids) != nil),
            ("--overlay", Settings.text(data.overlay, .overlay) != nil),
            ("--watch", try Settings.flag(data.watch, .watch)),
            ("--upstream", Settings.text(data.upstream, .upstream) != nil),
            ("--upstream-ca", Settings.text(data.upstreamCa, .upstreamCa) != nil),
        ]
        if let option = given.first(where: \.1)?.0 { throw .configuration(Messages.notWithSession(option)) }
    }
}
