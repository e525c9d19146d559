import FitIQAPI

/// Writes requests as bytes, as fast as possible because a run sends millions of them.
struct RequestWriter {
    private(set) var bytes: [UInt8] = []

    /// A request for a target in a world, with or without a user.
    static func bytes(of target: Target, in world: SimulatedWorld, fields: [UInt8]) -> [UInt8] {
        var writer = RequestWriter()
        writer.bytes.reserveCapacity(640)
        writer.write(target, in: world, fields: fields)
        return writer.bytes
    }

    /// A WebSocket handshake on one of a world's paths.
    static func handshake(_ path: String, in world: SimulatedWorld, fields: [UInt8]) -> [UInt8] {
        var writer = RequestWriter()
        writer.bytes.reserveCapacity(640)
        writer.head("GET", path, in: world, fields: fields)
        writer.text("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n")
        writer.text("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        return writer.bytes
    }

    /// The value of Sec-WebSocket-Accept for the key above (RFC 6455 §1.3).
    static let acceptValue = Array("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".utf8)

    private mutating func write(_ target: Target, in world: SimulatedWorld, fields: [UInt8]) {
        switch target {
        case .create(let persona, let type, let id):
            body("POST", "/api/v1/consultations", in: world, fields: fields) { body in
                body.text(#"{"persona":""#)
                body.text(persona.rawValue)
                body.text(#"","coach_type":""#)
                body.text(persona.rawValue)
                body.text(#"","context_type":""#)
                body.text(type.rawValue)
                if let id {
                    body.text(#"","context_id":""#)
                    body.text(id)
                }
                body.text(#""}"#)
            }
        case .listConsultations(let page, let size):
            get("/api/v1/consultations?page=\(page)&page_size=\(size)", in: world, fields: fields)
        case .show(let id): get("/api/v1/consultations/" + id, in: world, fields: fields)
        case .messages(let id, let page):
            let query = page.map { "?page=\($0)&page_size=3" } ?? ""
            get("/api/v1/consultations/" + id + "/messages" + query, in: world, fields: fields)
        case .archive(let id):
            head("POST", "/api/v1/consultations/" + id + "/archive", in: world, fields: fields)
            text("Content-Length: 0\r\n\r\n")
        case .quickActions:
            get("/api/v1/consultations/quick-actions?persona=nutritionist&context_type=goal", in: world, fields: fields)
        case .createGoal:
            body("POST", "/api/v1/goals", in: world, fields: fields) { body in
                body.text(#"{"title":"Run 5 km","description":"In summer","targetDate":"2025-06-01T00:00:00Z"}"#)
            }
        case .listGoals: get("/api/v1/goals", in: world, fields: fields)
        case .showGoal(let id): get("/api/v1/goals/" + id, in: world, fields: fields)
        case .updateGoal(let id, let conversation, let progress):
            body("PATCH", "/api/v1/goals/" + id, in: world, fields: fields) { body in
                body.text(progress == 100 ? #"{"progress":1"# : #"{"progress":0."# + (progress < 10 ? "0" : ""))
                if progress < 100 { body.text(String(progress)) }
                switch conversation {
                case .keep: break
                case .unlink: body.text(#","conversationId":null"#)
                case .link(let id):
                    body.text(#","conversationId":""#)
                    body.text(id)
                    body.text("\"")
                }
                body.text("}")
            }
        case .chatAboutGoal(let id):
            body("POST", "/api/v1/consultations/chat-about-goal", in: world, fields: fields) { body in
                body.text(#"{"goalId":""#)
                body.text(id)
                body.text(#""}"#)
            }
        case .createMeal(let number):
            body("POST", "/api/v1/meal-logs/natural", in: world, fields: fields) { body in
                body.text(#"{"raw_input":""#)
                body.text(Texts.meals[number])
                body.text(#"","meal_type":"lunch"}"#)
            }
        case .listMeals: get("/api/v1/meal-logs?limit=100", in: world, fields: fields)
        case .showMeal(let id): get("/api/v1/meal-logs/" + id, in: world, fields: fields)
        case .deleteGoal(let id): delete("goals/" + id, in: world, fields: fields)
        case .deleteConsultation(let id): delete("consultations/" + id, in: world, fields: fields)
        case .deleteMeal(let id): delete("meal-logs/" + id, in: world, fields: fields)
        case .deleteUser, .deleteAccount: delete("users/me", in: world, fields: fields)
        case .register(let address):
            body("POST", "/api/v1/auth/register", in: world, fields: fields) { body in
                body.text(#"{"email":""# + SimulatedAccount.email(address))
                body.text(#"","password":"password","name":"Ada","date_of_birth":"1990-05-17"}"#)
            }
        case .showAccount: get("/api/v1/users/me", in: world, fields: fields)
        case .app(let request): app(request, in: world, fields: fields)
        case .stray(let endpoint, let id):
            app(AppRequest(endpoint: endpoint, ids: [id, id]), in: world, fields: fields)
        case .badBody:
            body("POST", "/api/v1/consultations", in: world, fields: fields) { $0.text(#"{"persona":"dentist"}"#) }
        case .wrongMethod:
            head("DELETE", "/api/v1/consultations", in: world, fields: fields)
            text("\r\n")
        case .unknownPath: get("/api/v1/dreams", in: world, fields: fields)
        case .unknownWorld:
            elsewhere("/w/nowhere-at-all", fields: fields)
        case .elsewhere(let id): elsewhere(id.map { "/w/\($0)" } ?? "", fields: fields)
        case .health: get("/health", in: world, fields: [])
        case .makeWorld(let seed, let mode, let isManual):
            let clock = isManual ? "manual" : "real"
            admin("POST", "worlds", #"{"seed":"\#(seed)","guide":"\#(mode.rawValue)","clock":"\#(clock)"}"#)
        case .advanceClock(let world, let milliseconds):
            admin("POST", "worlds/\(world ?? "default")/clock", #"{"advance":"\#(milliseconds)ms"}"#)
        case .resetWorld(let id): admin("POST", "worlds/\(id)/reset", "{}")
        case .deleteWorld(let id): admin("DELETE", "worlds/\(id)", nil)
        case .listWorlds: admin("GET", "worlds", nil)
        }
    }

    private mutating func app(_ request: AppRequest, in world: SimulatedWorld, fields: [UInt8]) {
        head(request.endpoint.method.rawValue, request.path, in: world, fields: fields)
        guard let body = request.body.text else { return text("\r\n") }
        text("Content-Type: \(request.body.mediaType)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private mutating func delete(_ path: String, in world: SimulatedWorld, fields: [UInt8]) {
        head("DELETE", "/api/v1/" + path, in: world, fields: fields)
        text("\r\n")
    }

    private mutating func elsewhere(_ prefix: String, fields: [UInt8]) {
        text("GET \(prefix)/api/v1/goals HTTP/1.1\r\nHost: localhost\r\n")
        bytes += fields
        text("\r\n")
    }

    private mutating func admin(_ method: String, _ path: String, _ body: String?) {
        text("\(method) /__admin/\(path) HTTP/1.1\r\nHost: localhost\r\n")
        if let body { text("Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)") }
        if body == nil { text("\r\n") }
    }

    private mutating func get(_ path: String, in world: SimulatedWorld, fields: [UInt8]) {
        head("GET", path, in: world, fields: fields)
        text("\r\n")
    }

    private mutating func body(
        _ method: String, _ path: String, in world: SimulatedWorld, fields: [UInt8],
        _ write: (inout RequestWriter) -> Void
    ) {
        var body = RequestWriter()
        write(&body)
        head(method, path, in: world, fields: fields)
        text("Content-Type: application/json\r\nContent-Length: ")
        text(String(body.bytes.count))
        text("\r\n\r\n")
        bytes += body.bytes
    }

    private mutating func head(_ method: String, _ path: String, in world: SimulatedWorld, fields: [UInt8]) {
        text(method)
        text(" ")
        bytes += world.prefix
        text(path)
        text(" HTTP/1.1\r\nHost: localhost\r\n")
        bytes += fields
    }

    private mutating func text(_ text: String) { bytes += text.utf8 }
}
