import Glibc
import Load

/// Measures the server's resident memory per idle connection.
///
/// Prints one number: bytes per connection, (VmRSS after − VmRSS before) / connections, after the server has answered
/// every connection and all are quiet. It creates the consultations before the first reading, so that a WebSocket's
/// figure has its own memory only. The kernel's socket buffers are not resident memory of the process.
@main
struct IdleLoad {
    static func main() {
        runCommand("idle-load") {
            let options = try Options(
                CommandLine.arguments.dropFirst(),
                known: ["--kind", "--port", "--pid", "--connections", "--secret", "--api-key"])
            let port: UInt16 = try options.number("--port")
            let server = ServerProcess(id: try options.number("--pid"))
            let count = try options.number("--connections", default: 10_000)
            let open = try opener(options, port: port, count: count)

            // First one of each, because what the server allocates once is not a connection's memory.
            let warm = try open(0)
            usleep(200_000)
            let before = try server.residentBytes()
            let connections = try (0..<count).map { try open($0) }
            usleep(500_000)
            let after = try server.residentBytes()

            let closed = connections.count { !$0.isQuiet }
            guard closed == 0, warm.isQuiet else {
                let got = "\(closed) closed or sent to"
                throw LoadError.unexpected(got, wanted: "\(count) quiet connections", during: "idling")
            }
            print((after - before) / count)
        }
    }

    /// Returns how to open the connection with an index: a WebSocket with its greeting, or a keep-alive connection with
    /// one answer.
    private static func opener(
        _ options: Options, port: UInt16, count: Int
    ) throws -> (Int) throws -> HTTPClient {
        let kind = try options.required("--kind")
        switch kind {
        case "websocket":
            let consultations = try Consultation.create(
                count, port: port, secret: try options.required("--secret"),
                apiKey: try options.required("--api-key"))
            return { index in
                let client = try HTTPClient(port: port)
                try client.upgrade(consultations[index].socketPath, consultations[index].credentials)
                return client
            }
        case "keep-alive":
            return { _ in
                let client = try HTTPClient(port: port)
                let answer = try client.exchange("GET", "/health", nil)
                guard answer.status == 200 else {
                    throw LoadError.unexpected("\(answer.status)", wanted: "200", during: "GET /health")
                }
                return client
            }
        default: throw LoadError.usage("--kind is websocket or keep-alive, not '\(kind)'")
        }
    }
}
