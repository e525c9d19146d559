import FitIQAPI

/// Writes requests as bytes.
struct RequestWriter {
    private let world: SimulatedWorld
    private let fields: [UInt8]
    private var bytes: [UInt8] = []

    private init(_ world: SimulatedWorld, _ fields: [UInt8]) {
        (self.world, self.fields) = (world, fields)
        bytes.reserveCapacity(640)
    }

    /// A request for a target in a world, with or without a user.
    static func bytes(of target: Target, in world: SimulatedWorld, fields: [UInt8]) -> [UInt8] {
        var writer = RequestWriter(world, fields)
        writer.write(target)
        return writer.bytes
    }

    /// A WebSocket handshake on one of a world's paths.
    static func handshake(_ path: String, in world: SimulatedWorld, fields: [UInt8]) -> [UInt8] {
        var writer = RequestWriter(world, fields)
        writer.head("GET", path)
        writer.text("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n")
        writer.text("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        return writer.bytes
    }

    /// The value of Sec-WebSocket-Accept for the key above (RFC 6455 §1.3).
    static let acceptValue = Array("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".utf8)

    private mutating func write(_ target: Target) {
        switch target {
        case .create(let persona, let type, let id):
            let (coach, context) = (persona.rawValue, id.map { #","context_id":"\#($0)""# } ?? "")
            let members =
                #""persona":"\#(coach)","coach_type":"\#(coach)","context_type":"\#(type.rawValue)"\#(context)"#
            post("consultations", "{\(members)}")
        case .listConsultations(let page, let size): get("consultations?page=\(page)&page_size=\(size)")
        case .show(let id): get("consultations/" + id)
        case .messages(let id, let page):
            get("consultations/" + id + "/messages" + (page.map { "?page=\($0)&page_size=3" } ?? ""))
        case .archive(let id):
            head("POST", "/api/v1/consultations/" + id + "/archive")
            text("Content-Length: 0\r\n\r\n")
        case .quickActions: get("consultations/quick-actions?persona=nutritionist&context_type=goal")
        case .createGoal:
            post("goals", #"{"title":"Run 5 km","description":"In summer","targetDate":"2025-06-01T00:00:00Z"}"#)
        case .listGoals: get("goals")
        case .showGoal(let id): get("goals/" + id)
        case .updateGoal(let id, let conversation, let progress):
            let link =
                switch conversation {
                case .keep: ""
                case .unlink: #","conversationId":null"#
                case .link(let id): #","conversationId":"\#(id)""#
                }
            let share = progress == 100 ? "1" : (progress < 10 ? "0.0" : "0.") + String(progress)
            send("PATCH", "goals/" + id, #"{"progress":\#(share)\#(link)}"#)
        case .chatAboutGoal(let id): post("consultations/chat-about-goal", #"{"goalId":"\#(id)"}"#)
        case .createMeal(let number):
            post("meal-logs/natural", #"{"raw_input":"\#(Texts.meals[number])","meal_type":"lunch"}"#)
        case .listMeals: get("meal-logs?limit=100")
        case .showMeal(let id): get("meal-logs/" + id)
        case .deleteGoal(let id): send("DELETE", "goals/" + id)
        case .deleteConsultation(let id): send("DELETE", "consultations/" + id)
        case .deleteMeal(let id): send("DELETE", "meal-logs/" + id)
        case .deleteUser, .deleteAccount: send("DELETE", "users/me")
        case .register(let address):
            let rest = #""password":"password","name":"Ada","date_of_birth":"1990-05-17""#
            post("auth/register", #"{"email":"\#(SimulatedAccount.email(address))",\#(rest)}"#)
        case .showAccount: get("users/me")
        case .app(let request): app(request)
        case .stray(let endpoint, let id): app(AppRequest(endpoint: endpoint, ids: [id, id]))
        case .badBody: post("consultations", #"{"persona":"dentist"}"#)
        case .wrongMethod: send("DELETE", "consultations")
        case .unknownPath: get("dreams")
        case .unknownWorld: elsewhere("/w/nowhere-at-all")
        case .elsewhere(let id): elsewhere(id.map { "/w/\($0)" } ?? "")
        case .health:
            text("GET ")
            bytes += world.prefix
            text("/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
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

    private mutating func app(_ request: AppRequest) {
        head(request.endpoint.method.rawValue, request.path)
        end(request.body.text, request.body.mediaType)
    }

    private mutating func elsewhere(_ prefix: String) {
        text("GET \(prefix)/api/v1/goals HTTP/1.1\r\nHost: localhost\r\n")
        bytes += fields
        end()
    }

    private mutating func admin(_ method: String, _ path: String, _ body: String?) {
        text("\(method) /__admin/\(path) HTTP/1.1\r\nHost: localhost\r\n")
        end(body)
    }

    private mutating func get(_ path: String) { send("GET", path) }
    private mutating func post(_ path: String, _ body: String) { send("POST", path, body) }

    private mutating func send(_ method: String, _ path: String, _ body: String? = nil) {
        head(method, "/api/v1/" + path)
        end(body)
    }

    private mutating func head(_ method: String, _ path: String) {
        text(method)
        text(" ")
        bytes += world.prefix
        text(path)
        text(" HTTP/1.1\r\nHost: localhost\r\n")
        bytes += fields
    }

    private mutating func end(_ body: String? = nil, _ mediaType: String = "application/json") {
        guard let body else { return text("\r\n") }
        text("Content-Type: \(mediaType)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private mutating func text(_ text: String) { bytes += text.utf8 }
}
