import ArgumentParser
import FitIQAPI
import JSON
import MockServer
import Sockets

struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a token that the fake accepts, or an expired token.",
        discussion: "The server need not be running: it accepts any user whose token is signed with its secret.")

    @Option("The user's id, the claim 'sub'. (default: the development user, who owns the default world)", "id")
    var user: String?

    @Option(
        "How long the token is valid: a number followed by s, m, h or d; -5m creates a token that expired five minutes "
            + "ago.", "duration",
        parsing: .unconditional)
    var expiresIn = Lifetime(seconds: 3600)

    @Option("The server's --jwt-secret. (default: the server's default)", "secret")
    var jwtSecret: String?

    func validate() throws {
        if let user, !AccessToken.isUser(user) {
            throw ValidationError(
                "--user must have 1 to 200 characters and at most \(AccessToken.userBytes) bytes; it has \(user.count) "
                    + "characters and \(user.utf8.count) bytes.")
        }
    }

    func run() throws {
        let secret = Settings.text(jwtSecret, .jwtSecret) ?? DevelopmentCredentials.jwtSecret
        let now = WallClock.nanosecondsSinceEpoch() / 1_000_000_000
        let token = AccessToken(
            subject: ExactString(user ?? DevelopmentCredentials.userID), expiresAt: now + expiresIn.seconds)
        print(token.signed(with: Array(secret.utf8)))
    }
}

/// A signed duration as people type it, such as `90s`, `5m`, `1h`, `30d` or `-1h`.
struct Lifetime: ExpressibleByArgument, CustomStringConvertible {
    /// 250 years, so that a token issued by the system's clock can be valid in any year that a world's clock can show.
    static let longestDays: Int64 = 91_250
    let seconds: Int64

    init(seconds: Int64) { self.seconds = seconds }

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        // Only zero may omit the unit.
        guard let last = argument.last, let unit = units[last] ?? (argument == "0" ? 1 : nil),
            let number = Int64(units[last] == nil ? argument : String(argument.dropLast())),
            case let (seconds, hasOverflown) = number.multipliedReportingOverflow(by: unit), !hasOverflown,
            (-Self.longestDays * 86_400...Self.longestDays * 86_400).contains(seconds)
        else { return nil }
        self.seconds = seconds
    }

    var description: String { seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds)s" }
}
