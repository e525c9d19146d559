import FitIQAPI
import Foundation
import GuideModels
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("The apps' decoders read every answer") struct AppDecoderTests {
    /// A server without delays and with cheap password hashing.
    private static func network() throws -> VirtualNetwork {
        try .serving("{name: apps, accounts: {password_cost: 1}}")
    }

    @Test("The apps' models decode the answer to each request of a session", arguments: AppRow.sections)
    func rows(_ section: AppRow.Section) throws {
        let network = try Self.network()
        var kept = [(name: "reader", value: "ben")]
        func filled(_ text: String) -> String {
            kept.reversed().reduce(text) { $0.replacing("{\($1.name)}", with: $1.value) }
        }
        for row in [AppRow.registration] + section.rows {
            let token = kept.last { $0.name == "access_token" }.map { [Request.bearer($0.value)] } ?? []
            let fields = [Request.apiKey] + (row.path.hasPrefix("/auth/") ? [] : token)
            var request = Request(method: row.method, target: "/api/v1" + filled(row.path), fields: fields)
            if let body = row.body {
                request.body = Array(filled(body).utf8)
                request.fields.append("Content-Type: \(row.contentType)")
            }
            let response = try network.exchange(request)
            #expect(response.status == row.status, "\(row): \(response.text)")
            network.advance(by: .seconds(10))
            do {
                try row.read(Data(response.body))
            } catch {
                Issue.record("\(row): \(error)\n\(response.text)")
            }
            let data = response.json?["data"]
            if let name = row.keeps {
                let id = data?["id"] ?? data?["session_id"]
                kept.append((name, try #require(id?.string, "\(row): \(response.text)")))
            }
            for name in ["access_token", "refresh_token"] {
                if let token = data?[name]?.string { kept.append((name, token)) }
            }
        }
    }

    @Test("The request table covers each of the apps' operations")
    func complete() {
        func shape(_ method: HTTPRequest.Method, _ path: String) -> String {
            "\(method) \(String(path.prefix { $0 != "?" }).replacing(#/\{[^}]*\}/#, with: "{}"))"
        }
        let rows = Set(
            ([AppRow.registration] + AppRow.sections.flatMap(\.rows)).map { shape($0.method, "/api/v1" + $0.path) })
        let missing = Endpoint.allCases.filter { endpoint in
            let isOfApps = !GuideMode.guides.contains { $0.provision(of: endpoint) == .documented }
            return isOfApps && endpoint.template != "/ws/meal-logs"
                && !rows.contains(shape(endpoint.method, endpoint.template))
        }
        #expect(missing == [])
    }

    @Test("An access token's claims describe the registered user")
    func claims() throws {
        let (network, token) = try registered()
        let claims = try AppModels.Claims(token: token)
        #expect(claims.email == "ada@example.com" && claims.exp == 1_738_146_600 + 3600)
        let me = try network.exchange(
            Request(target: "/api/v1/users/me", fields: [Request.bearer(token), Request.apiKey]))
        #expect(me.json?["data"]?["id"]?.string == claims.sub.uuidString.lowercased())
    }

    /// A server, and a user's access token.
    private func registered() throws -> (network: VirtualNetwork, token: String) {
        let network = try Self.network()
        let response = try network.exchange(
            Request(method: .post, target: "/api/v1/auth/register", fields: [Request.apiKey])
                .json(#require(AppRow.registration.body)))
        return (network, try #require(response.json?["data"]?["access_token"]?.string))
    }

    private func read<Model: Decodable>(_ model: Model.Type, _ frame: JSONValue) throws -> Model {
        try AppModels.decoder.decode(model, from: Data(frame.encoded()))
    }

    @Test("The apps' models decode the frames of the meal socket")
    func mealSocket() throws {
        let (network, token) = try registered()
        let socket = try network.client().upgrade(.handshake("/ws/meal-logs?token=\(token)"))
        socket.send(#"{"type":"ping"}"#)
        for text in ["2 eggs", "qwertyuiop"] {
            let meal = Request(
                method: .post, target: "/api/v1/meal-logs/natural", fields: [Request.bearer(token), Request.apiKey])
            let response = try network.exchange(meal.json(#"{"raw_input":"\#(text)","meal_type":"breakfast"}"#))
            #expect(response.status == 201, "\(response.text)")
            network.advance(by: .seconds(10))
        }
        let frames = socket.takeFrames()
        try #require(frames.story == ["connected", "pong", "meal_log.completed", "meal_log.failed"])
        _ = try read(AppModels.MealSocketGreeting.self, frames[0])
        _ = try read(AppModels.MealSocketPong.self, frames[1])
        let eaten = try read(AppModels.MealFrame<AppModels.MealLog>.self, frames[2]).data
        #expect(eaten.status == .completed && eaten.items?.first?.foodType == .food)
        let failed = try read(AppModels.MealFrame<AppModels.FailedMeal>.self, frames[3]).data
        #expect(failed.errorCode == .parsingFailed)

        _ = try network.client().upgrade(.handshake("/ws/meal-logs?token=\(token)"))
        let error = try read(AppModels.MealSocketError.self, #require(socket.takeFrames().first))
        #expect(error.type == "error" && error.errorCode == .connectionLimit && socket.closeCode == .policyViolation)
    }

    @Test("The apps' models decode the frames of a chat")
    func chatSocket() throws {
        let (network, token) = try registered()
        let create = Request(
            method: .post, target: "/api/v1/consultations", fields: [Request.bearer(token), Request.apiKey])
        let created = try network.exchange(create.json(#"{"persona":"nutritionist"}"#))
        let id = try #require(created.json?["data"]?["id"]?.string)
        let socket = try network.client().upgrade(.handshake("/api/v1/consultations/\(id)/ws?token=\(token)"))
        socket.send(#"{"type":"message","content":"What is a good breakfast?","conversationId":"\#(id)"}"#)
        network.advance(by: .seconds(10))
        let frames = socket.takeFrames()
        #expect(frames.story == ["connected", "message_received", "stream_chunk", "stream_complete"])
        let first = try read(AppModels.ChatFrame.self, #require(frames.first))
        #expect(first.userId != nil && first.consultationId?.uuidString.lowercased() == id)
        let last = try read(AppModels.ChatFrame.self, #require(frames.last))
        #expect(last.metadata?.tokensUsed != nil && last.metadata?.processingTimeMs != nil)
    }
}
