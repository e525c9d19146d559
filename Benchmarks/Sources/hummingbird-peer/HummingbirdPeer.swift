import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Peer

/// The handler on Hummingbird: the default event-loop group (one thread per core), logging off.
@main
struct HummingbirdPeer {
    static func main() async throws {
        let options = PeerOptions.ofThisProcess()
        let store = ConsultationStore(options, body: ByteBuffer(string: options.body))
        let json: HTTPFields = [.contentType: "application/json; charset=utf-8"]
        let health = ByteBuffer(string: #"{"status":"ok"}"#)
        let refusal = ByteBuffer(string: #"{"success":false}"#)
        guard let apiKeyField = HTTPField.Name("X-API-Key") else { preconditionFailure("a valid field name") }

        let router = Router()
        router.get("health") { _, _ in
            Response(status: .ok, headers: json, body: .init(byteBuffer: health))
        }
        let mealLogs = MealLogStore()
        router.post("api/v1/meal-logs/natural") { request, _ in
            let user = store.user(
                authorization: request.headers[.authorization], apiKey: request.headers[apiKeyField])
            guard user != nil else {
                return Response(status: .unauthorized, headers: json, body: .init(byteBuffer: refusal))
            }
            let body = try await request.body.collect(upTo: 1 << 20)
            let answer = try mealLogs.create(Data(body.readableBytesView))
            return Response(status: .created, headers: json, body: .init(byteBuffer: ByteBuffer(bytes: answer)))
        }
        for collection in ["consultations", "goals"] {
            router.get("api/v1/\(collection)/:id") { request, context in
                let answer = store.answer(
                    id: context.parameters.get("id") ?? "", authorization: request.headers[.authorization],
                    apiKey: request.headers[apiKeyField])
                return switch answer {
                case .found(let body): Response(status: .ok, headers: json, body: .init(byteBuffer: body))
                case .unauthorized: Response(status: .unauthorized, headers: json, body: .init(byteBuffer: refusal))
                case .notFound: Response(status: .notFound, headers: json, body: .init(byteBuffer: refusal))
                }
            }
        }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: Int(options.port)), backlog: 4096),
            logger: Logger(label: "peer") { _ in SwiftLogNoOpLogHandler() })
        try await application.runService()
    }
}
