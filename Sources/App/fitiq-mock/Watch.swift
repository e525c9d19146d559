import ArgumentParser
import CLibrary
import FitIQAPI
import FitIQClient
import Judging
import Sockets
import Synchronization
import Traffic

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a running server's traffic: requests, frames, faults, and breaches as they happen.",
        discussion: """
            Prints one line for each, in the same columns as 'fitiq-mock show'. Continues when the server restarts. \
            Keys on a terminal: space pauses, / filters, c clears, b shows bodies, p hides pings, q quits.

            --filter selects entries by words. A word of the form key=value is an admin API condition, such as \
            status=4xx, path=/goals, user=ID, connection=3, kind=frame or direction=client_to_server; any other word \
            must occur in the entry. A breach appears with the entries that show it. The page's conditions also work: \
            fault=any or a fault's name; verdict=broken or an obligation, to show only breaches; and chunks=show or \
            hide. An answer's hidden chunks become one line, which is printed when the answer has ended.

            Exit codes: 0 stopped, 2 usage error, or the server could not be reached or refused the first request, 3 \
            an event was too long.
            """)

    @Option("The server's URL. \(Settings.defaultServer)", "url")
    var url: String?

    @Option("The id of the world to watch. (default: the URL's world, or the default world)", "id", .worlds)
    var world: String?

    @Option("Show only lines that match all these words.", "words")
    var filter: String?

    @Flag(help: "Show complete bodies and messages below their lines, with JSON indented.")
    var bodies = false

    @Flag(help: "Hide pings and pongs.")
    var noPings = false

    @Option("The server's --admin-token. (default: none)", "token")
    var adminToken: String?

    func run() throws {
        let base = try Settings.serverURL(url)
        let filter = try orFailure(
            try TrafficFilter(filter ?? "", obligations: Judge.obligations.map(\.id))
        ) { (error: APIError) in
            .configuration("--filter: \(error.message)")
        }
        // Read keys only if their effect is visible.
        let terminal = System.isTerminal(.output) ? Terminal() : nil
        let lines = TrafficLines(width: Self.width, showsBodies: bodies, usesColor: System.usesColor)
        let screen = WatchScreen(lines, filter: filter, showsPings: !noPings, output: draw)
        let wait = try MainWait(keysOf: terminal)
        FitIQMock.printError(Messages.watching(base.description, world: world, hasKeys: terminal != nil))
        let reader = WatchReader(
            base, world: world, adminToken: try Settings.fieldValue(adminToken, .adminToken), screen, wait.mailbox)
        try orFailure(try SystemThread.start { reader.run() }, Failure.running)
        // The reader may be blocked while it holds the lock.
        defer { _ = reader.screen.withLockIfAvailable { $0.finish() } }
        while true {
            switch try wait.next() {
            case .signal(SIGWINCH): reader.screen.withLock { $0.lines.width = Self.width }
            case .keys(let bytes):
                let isOver = reader.screen.withLock { screen in
                    screen.press(bytes)
                    StandardOutput.flush()
                    return screen.isOver
                }
                if isOver { return }
            case .woken:
                if let failure = reader.failure.value { throw failure }
                if StandardOutput.hasFailed { return }
            case .signal, .noMoreKeys, .timeUp: return
            }
        }
    }

    /// The terminal's width in columns, or the default width of `show`.
    private static var width: Int { Terminal.columns ?? 120 }
}

/// Reads for `watch` on its own thread, and tries to reconnect every second if the connection is lost.
private final class WatchReader: Sendable {
    /// The screen; its lock also stops the reader while the output blocks.
    let screen: Mutex<WatchScreen>
    /// Why the reader ended, or nil if output is no longer possible.
    let failure = Box<Failure>()
    private let base: BaseURL
    private let world: String?
    private let adminToken: String?
    private let mailbox: Mailbox
    /// The server sends at least a keep-alive every 15 seconds.
    private static let longestSilence = Duration.seconds(45)

    /// - Parameter mailbox: asked to stop when the reader has ended.
    init(_ base: BaseURL, world: String?, adminToken: String?, _ screen: sending WatchScreen, _ mailbox: Mailbox) {
        self.screen = Mutex(screen)
        (self.base, self.world, self.adminToken, self.mailbox) = (base, world, adminToken, mailbox)
    }

    func run() {
        do throws(Failure) { try read() } catch { failure.value = error }
        mailbox.requestStop()
    }

    private func read() throws(Failure) {
        let pause = try orFailure(try Gate(), Failure.running)
        var stream = WatchStream()
        // The first connection shows whether a server exists at all.
        var (hasBegun, isLost) = (false, false)
        while !StandardOutput.hasFailed {
            var request = ServerRequest(
                path: "events?verdicts=true", of: base, world: world, adminToken: adminToken, fields: stream.connect())
            var isTooLong = false
            var trouble = ClientError.truncatedResponse
            do throws(ClientError) {
                try request.run(within: .init(silence: Self.longestSilence)) { bytes in
                    guard let news = try? stream.receive(bytes) else {
                        isTooLong = true
                        return false
                    }
                    screen.withLock { screen in
                        for news in news { screen.show(news) }
                        StandardOutput.flush()
                    }
                    if stream.isSuperseded {
                        FitIQMock.printError(Messages.restarted)
                    } else if isLost {
                        FitIQMock.printError("reconnected")
                    }
                    (hasBegun, isLost) = (true, false)
                    return !stream.isSuperseded && !StandardOutput.hasFailed
                }
            } catch {
                trouble = error
            }
            if isTooLong { throw .running(Messages.tooLongEvent(of: base.description)) }
            guard hasBegun else { throw .configuration(Messages.unreachable(trouble, url: base.description)) }
            if stream.isSuperseded { continue }
            if !isLost { FitIQMock.printError(Messages.connectionLost(trouble)) }
            isLost = true
            pause.wait(until: .now().advanced(by: .seconds(1)))
        }
    }
}
