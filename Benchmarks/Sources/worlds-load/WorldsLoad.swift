import Glibc
import Load

/// Measures the cost of worlds: creates many over one connection, then sends requests to random ones over several.
///
/// Prints a Markdown row each: the resident memory of a world ((VmRSS after − VmRSS before) / worlds) after its
/// creation and after its first request, the time to create one, and requests per second to random worlds, each a GET
/// of goals.
@main
struct WorldsLoad {
    static func main() {
        runCommand("worlds-load") {
            let options = try Options(
                CommandLine.arguments.dropFirst(), known: ["--port", "--pid", "--worlds", "--requests"])
            let port: UInt16 = try options.number("--port")
            let server = ServerProcess(id: try options.number("--pid"))
            let count = try options.number("--worlds", default: 10_000)
            let requests = try options.number("--requests", default: 200_000)

            let maker = try HTTPClient(port: port)
            // First one extra, because what the server allocates once is not a world's memory.
            _ = try world(maker)
            let before = try server.residentBytes()
            var times: [UInt64] = []
            var worlds: [World] = []
            for _ in 0..<count {
                let start = monotonicNanoseconds()
                worlds.append(try world(maker))
                times.append(monotonicNanoseconds() - start)
            }
            times.sort()
            let made = try server.residentBytes()
            print("| resident memory of a world, once made | \((made - before) / count) bytes |")
            print(
                "| making one, median and p99 | \(times[count / 2] / 1000) µs, \(times[count * 99 / 100] / 1000) µs |")

            for world in worlds { try ask(world, on: maker) }
            let asked = try server.residentBytes()
            print("| resident memory of a world, once asked | \((asked - before) / count) bytes |")

            // One after another on one connection, which measures the way to a world and not the network's width.
            var state: UInt64 = 1
            let start = monotonicNanoseconds()
            let processor = try server.processorSeconds()
            for _ in 0..<requests {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                try ask(worlds[Int(state >> 33) % count], on: maker)
            }
            let seconds = Double(monotonicNanoseconds() - start) / 1e9
            print("| requests/s to random worlds, one connection | \(Int(Double(requests) / seconds)) |")
            let busy = try server.processorSeconds() - processor
            print("| the same, per second of processor time | \(Int(Double(requests) / busy)) |")
        }
    }

    private struct World {
        let path: String
        let credentials: Credentials
    }

    private static func world(_ client: HTTPClient) throws -> World {
        let answer = try client.exchange("POST", "/__admin/worlds", nil, body: "{}")
        let text = String(decoding: answer.body, as: UTF8.self)
        guard answer.status == 201, let id = member("id", of: text), let token = member("token", of: text),
            let key = member("api_key", of: text)
        else { throw LoadError.unexpected(text, wanted: "a world", during: "making one") }
        return World(path: "/w/\(id)/api/v1/goals", credentials: Credentials(token: token, apiKey: key))
    }

    private static func ask(_ world: World, on client: HTTPClient) throws {
        let answer = try client.exchange("GET", world.path, world.credentials)
        guard answer.status == 200 else {
            throw LoadError.unexpected("\(answer.status)", wanted: "200", during: "GET \(world.path)")
        }
    }

    /// The text of a member, which has no escapes.
    private static func member(_ name: String, of json: String) -> String? {
        guard let start = json.firstRange(of: "\"\(name)\":\"") else { return nil }
        return String(json[start.upperBound...].prefix { $0 != "\"" })
    }
}
