import ArgumentParser
import MockServer

/// Whose pages may be clients, as `verify` and `test-client` are told: one that runs in a browser has an origin of its own.
struct OriginOptions: ParsableArguments {
    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "Let web pages of this origin write and open WebSockets, as with serve; may be repeated.",
            valueName: "origin"))
    var allowedOrigins: [String] = []

    /// The origins, those of the environment where no option is given.
    func read() throws(Failure) -> Set<AllowedOrigin> { try Settings.allowedOrigins(allowedOrigins) }
}
