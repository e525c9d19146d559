import Glibc

/// The settings of a peer: `--port N [--no-delay]`, and `BENCH_ID`, `BENCH_TOKEN`, `BENCH_API_KEY`, `BENCH_BODY`.
public struct PeerOptions: Sendable {
    /// The loopback port to listen on.
    public var port: UInt16
    /// Whether to set `TCP_NODELAY` if the framework does not.
    public var noDelay: Bool
    /// The id of the one consultation.
    public var consultationID: String
    /// The bearer token that counts as verified.
    public var token: String
    /// The API key.
    public var apiKey: String
    /// The JSON to answer with, byte for byte.
    public var body: String

    /// Reads the options of this process; if some are missing, names them and exits with 2.
    public static func ofThisProcess() -> PeerOptions {
        var arguments = CommandLine.arguments.dropFirst()
        var port: UInt16?
        var noDelay = false
        while let argument = arguments.popFirst() {
            switch argument {
            case "--port": port = arguments.popFirst().flatMap(UInt16.init)
            case "--no-delay": noDelay = true
            default: refuse("unknown argument '\(argument)'; the arguments are --port N and --no-delay")
            }
        }
        guard let port else { refuse("--port N is missing") }
        return PeerOptions(
            port: port, noDelay: noDelay, consultationID: variable("BENCH_ID"), token: variable("BENCH_TOKEN"),
            apiKey: variable("BENCH_API_KEY"), body: variable("BENCH_BODY"))
    }

    private static func variable(_ name: String) -> String {
        guard let value = getenv(name) else { refuse("the environment variable \(name) is missing") }
        return String(cString: value)
    }

    private static func refuse(_ message: String) -> Never {
        let line = Array("peer: \(message)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(2)
    }
}
