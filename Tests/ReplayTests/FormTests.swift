import Foundation
import Replay
import TestSupport
import Testing
import Traffic

@Suite("Forms")
struct FormTests {
    private static let form = [SessionField("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")]

    private static func multipart(_ boundary: String, _ parts: [(head: String, content: String)]) -> String {
        parts.map { "--\(boundary)\r\nContent-Disposition: form-data; \($0.head)\r\n\r\n\($0.content)\r\n" }.joined()
            + "--\(boundary)--\r\n"
    }

    private static func type(_ boundary: String) -> [SessionField] {
        [SessionField("content-type", "multipart/form-data; boundary=\(boundary)")]
    }

    private static let text = (head: "name=\"meal_type\"", content: "lunch")
    private static let image = (head: "name=\"image\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg", content: "JFIF")

    @Test(
        "A form is matched by its fields, in any order",
        arguments: [
            ("a=1&b=x%20y", true), ("b=x+y&a=1", true), ("a=1&b=x+z", false), ("a=1", false), ("a=1&b=x+y&c=", false),
            ("a=x+y&b=1", false),
        ])
    func fields(body: String, isMatch: Bool) throws {
        var builder = SessionBuilder()
        builder.exchange("POST", "/token", fields: Self.form, body: "a=1&b=x+y", answer: "token")
        var player = try builder.player()
        #expect((player.text("POST", "/token", fields: Self.form, body: body) == "token") == isMatch)
    }

    @Test("Without its media type a form is text")
    func untyped() throws {
        var builder = SessionBuilder()
        builder.exchange("POST", "/token", body: "a=1&b=2", answer: "token")
        var player = try builder.player()
        #expect(player.text("POST", "/token", body: "b=2&a=1") == "unexpected: unknown")
        #expect(player.text("POST", "/token", body: "a=1&b=2") == "token")
    }

    @Test("A secret in a form may be another, and is followed")
    func secrets() throws {
        var builder = SessionBuilder()
        builder.exchange(
            "POST", "/token", fields: Self.form, body: "grant=r&refresh_token=redacted-token-1",
            answer: #"{"old":"redacted-token-1"}"#)
        var player = try builder.player()
        let body = "refresh_token=t0psecret&grant=r"
        #expect(player.text("POST", "/token", fields: Self.form, body: body) == #"{"old":"t0psecret"}"#)
    }

    @Test("Multipart bodies are matched by their parts, whatever their boundary and order")
    func parts() throws {
        var builder = SessionBuilder()
        let recorded = Self.multipart("abc", [Self.text, Self.image])
        builder.exchange("POST", "/photo", fields: Self.type("abc"), body: recorded, answer: "meal")
        func answer(_ parts: [(String, String)], _ boundary: String = "----x9") throws -> String {
            var player = try builder.player()
            let body = Self.multipart(boundary, parts)
            return player.text("POST", "/photo", fields: Self.type(boundary), body: body)
        }
        #expect(try answer([Self.text, Self.image]) == "meal")
        #expect(try answer([Self.image, Self.text]) == "meal")
        let unknown = "unexpected: unknown"
        #expect(try answer([Self.text]) == unknown)
        #expect(try answer([Self.text, (Self.image.head, "other")]) == unknown)
        #expect(try answer([Self.text, (Self.image.head.replacing("jpeg", with: "png"), "JFIF")]) == unknown)
        #expect(try answer([("name=\"mealType\"", "lunch"), Self.image]) == unknown)
        // A body that is no such form is bytes, and equal bytes are the same.
        var player = try builder.player()
        #expect(player.text("POST", "/photo", body: recorded) == unknown)
    }

    @Test("A miss names the fields that differ")
    func differences() throws {
        var builder = SessionBuilder()
        builder.exchange("POST", "/token", fields: Self.form, body: "a=1&b=2&c=3&c=4&password=x", answer: "token")
        var player = try builder.player()
        guard
            case .unexpected(let miss) = player.ask(
                "POST", "/token", fields: Self.form, body: "a=2&c=3&c=5&d=6&password=y")
        else { throw NoSocket(target: "a miss") }
        #expect(
            miss.differences.map(\.description) == [
                #"body.a: expected "1", got "2""#, #"body.b: expected "2", got nothing"#,
                #"body.c[1]: expected "4", got "5""#, #"body.d: expected nothing, got "6""#,
            ])
    }

    @Test("A photo that was recorded is known again with another boundary")
    func photo() throws {
        let bytes = try Data(contentsOf: URL.fixtures.appending(path: "har/multipart-photo.har"))
        var player = Player(try ReplayPlan(HARFile(reading: Array(bytes)).session), origin: ourOrigin)
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array("JFIF".utf8)
        func body(_ image: [UInt8]) -> [UInt8] {
            let start = Self.multipart("X", [Self.text]).dropLast("--X--\r\n".count)
            let head = "--X\r\nContent-Disposition: form-data; name=\"image\"; filename=\"m.jpg\"\r\n"
            return Array((start + head + "Content-Type: image/jpeg\r\n\r\n").utf8) + image + Array("\r\n--X--\r\n".utf8)
        }
        func answer(_ image: [UInt8]) -> ReplayAnswer {
            player.answer(
                ReplayRequest(
                    method: "POST", target: "/api/v1/meal-logs/photo", fields: Self.type("X"), body: body(image)),
                at: at(0))
        }
        guard case .unexpected = answer(jpeg + [0]) else { throw NoSocket(target: "a miss") }
        guard case .response(let response) = answer(jpeg) else { throw NoSocket(target: "an answer") }
        #expect(response.status == 201)
    }

    @Test(
        "A request whose body is not in the file is matched with any body, and a note says so",
        arguments: [
            ("size-without-body", "POST", "/api/v1/goals", 201),
            ("form-file-without-content", "GET", "/api/v1/goals", 200),
        ])
    func unknownBody(name: String, method: String, target: String, status: Int) throws {
        let bytes = try Data(contentsOf: URL.fixtures.appending(path: "har/\(name).har"))
        let plan = try ReplayPlan(HARFile(reading: Array(bytes)).session)
        #expect(
            plan.notes.contains {
                $0.hasSuffix("the recording does not have the request's whole body; any body matches.")
            })
        var player = Player(plan, origin: ourOrigin)
        guard case .response(let response) = player.ask(method, target, body: "anything") else {
            throw NoSocket(target: target)
        }
        #expect(response.status == status)
    }

    @Test("Cookies that were joined are set one by one")
    func cookies() throws {
        let bytes = try Data(contentsOf: URL.fixtures.appending(path: "har/joined-cookies.har"))
        var player = Player(try ReplayPlan(HARFile(reading: Array(bytes)).session), origin: ourOrigin)
        guard case .response(let response) = player.ask("GET", "/api/v1/goals") else { throw NoSocket(target: "goals") }
        #expect(response.fields.filter { $0.name == "Set-Cookie" }.map(\.value) == ["a=1; Path=/", "b=2; Path=/"])
    }

    @Test(
        "A subprotocol is answered if the client offers it",
        arguments: [
            ([], nil), (["chat"], "chat"), (["v2, chat"], "chat"), (["v2", "chat"], "chat"), (["v2"], nil),
            (["Chat"], nil), (["chatter"], nil),
        ] as [([String], String?)])
    func subprotocols(offer: [String], answer: String?) throws {
        var builder = SessionBuilder()
        builder.socket("/ws", answerFields: [SessionField("sec-websocket-protocol", "chat"), SessionField("X-A", "b")])
        var player = try builder.player()
        let fields = offer.map { SessionField("Sec-WebSocket-Protocol", $0) }
        guard case .socket(let opening) = player.ask("WS", "/ws", fields: fields) else { throw NoSocket(target: "/ws") }
        let answered = opening.fields.first { $0.name.lowercased() == "sec-websocket-protocol" }?.value
        #expect(answered == answer && opening.fields.contains(SessionField("X-A", "b")))
    }
}
