import CLinux
import FlyingFox
import FlyingSocks
import Foundation
import Peer

/// The handler on FlyingFox: epoll pool, logging off.
@main
struct FlyingFoxPeer {
    static func main() async throws {
        let options = PeerOptions.ofThisProcess()
        let store = ConsultationStore(options, body: Data(options.body.utf8))
        let json: HTTPHeaders = [.contentType: "application/json; charset=utf-8"]
        let health = Data(#"{"status":"ok"}"#.utf8)
        let refusal = Data(#"{"success":false}"#.utf8)
        let apiKeyField = HTTPHeader("X-API-Key")

        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: options.port),
            logger: .disabled)
        await server.appendRoute("GET /health") { _ in
            HTTPResponse(statusCode: .ok, headers: json, body: health)
        }
        for collection in ["consultations", "goals"] {
            await server.appendRoute(HTTPRoute("GET /api/v1/\(collection)/:id")) { (request: HTTPRequest, id: String) in
                let answer = store.answer(
                    id: id, authorization: request.headers[.authorization], apiKey: request.headers[apiKeyField])
                return switch answer {
                case .found(let body): HTTPResponse(statusCode: .ok, headers: json, body: body)
                case .unauthorized: HTTPResponse(statusCode: .unauthorized, headers: json, body: refusal)
                case .notFound: HTTPResponse(statusCode: .notFound, headers: json, body: refusal)
                }
            }
        }
        guard options.noDelay else { return try await server.run() }
        // FlyingFox 0.27.1 has no setting for it, and its two writes per answer meet Nagle's algorithm.
        let running = Task { try await server.run() }
        try await server.waitUntilListening()
        guard bench_no_delay_on_listeners() == 1 else { exit(3) }
        try await running.value
    }
}
