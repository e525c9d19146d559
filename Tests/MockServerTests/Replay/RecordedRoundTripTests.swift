import HTTPTypes
import Replay
import Scenarios
import TestSupport
import Testing
import Traffic
import WebSocket

@testable import MockServer

@Suite("Replaying the fake's own traffic")
struct RecordedRoundTripTests {
    /// Collects what a client sees: bodies, messages, ends.
    private final class Viewer {
        let network: VirtualNetwork
        var token: String
        var seen: [String] = []

        init(_ network: VirtualNetwork, token: String) {
            self.network = network
            self.token = token
        }

        @discardableResult
        func ask(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil) throws -> Response {
            let request = Request(method: method, target: path, fields: [Request.bearer(token), Request.apiKey])
            let client = try network.sending(json.map(request.json) ?? request)
            network.advance(by: .milliseconds(50))
            let response = try client.response(to: request)
            client.wire.finishWriting()
            // A recording without secrets replays with different tokens.
            let text = response.text.replacing(#/"(access|refresh)_token":"[^"]+"/#) { "\"\($0.1)_token\":\"…\"" }
            seen.append("\(response.status) \(text)")
            return response
        }

        /// Opens a socket, sends texts with a pause after each, and collects all output.
        func chat(_ path: String, _ texts: [String], closes: Bool = true) throws {
            var request = Request.handshake(path)
            request.fields += [Request.bearer(token), Request.apiKey]
            let client = try network.sending(request)
            let socket = try client.acceptUpgrade(request)
            for text in texts {
                socket.send(text)
                network.advance(by: .seconds(8))
                seen += socket.takeEvents().map(Self.words)
            }
            if closes { socket.close() }
            network.advance(by: .seconds(1))
            seen += socket.takeEvents().map(Self.words)
            seen.append("\(client.wire.ending)")
        }

        private static func words(_ event: WebSocket.Event) -> String {
            guard case .text(let text) = event else { return "\(event)" }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private static let question = #"{"type":"message","content":"What should I eat for breakfast?"}"#
    private static let other = #"{"type":"user_message","content":"And for dinner?"}"#

    enum Day: CaseIterable {
        case guides
        case apps

        func live(_ network: VirtualNetwork, tokens: [String]) throws -> [String] {
            switch self {
            case .guides: try RecordedRoundTripTests.day(network, tokens: tokens)
            case .apps: try RecordedRoundTripTests.appDay(network)
            }
        }
    }

    /// Two users' day: consultations in both protocols, a 409 and the existing consultation, goals, meals.
    private static func day(_ network: VirtualNetwork, tokens: [String]) throws -> [String] {
        var seen: [String] = []
        for token in tokens {
            let viewer = Viewer(network, token: token)
            let made = try viewer.ask(.post, "/api/v1/consultations", #"{"persona":"nutritionist"}"#)
            let id = try #require(made.json?["data"]?["id"]?.string)
            try viewer.ask(.post, "/api/v1/consultations", #"{"persona":"nutritionist"}"#)
            try viewer.chat("/api/v1/consultations/\(id)/ws", [question, other, "nonsense", #"{"type":"ping"}"#])
            try viewer.ask(.get, "/api/v1/consultations/\(id)/messages?limit=10")
            try viewer.ask(.post, "/api/v1/meal-logs/natural", #"{"raw_input":"2 eggs and toast","meal_type":"lunch"}"#)
            network.advance(by: .seconds(10))
            try viewer.ask(.get, "/api/v1/meal-logs")
            try viewer.chat("/api/v1/consultations/\(id)/ws", [other], closes: false)
            // The frames that archiving sends arrive after this check.
            network.advance(by: .milliseconds(10))
            try viewer.ask(.post, "/api/v1/consultations/\(id)/archive")
            try viewer.ask(.get, "/api/v1/consultations/\(id)")
            try viewer.ask(.get, "/nowhere")
            seen += viewer.seen
        }
        return seen
    }

    /// An app user's day: registers, logs in, uses goals and meals, chats over REST, syncs, refreshes, logs out.
    private static func appDay(_ network: VirtualNetwork) throws -> [String] {
        let viewer = Viewer(network, token: "")
        let account = #""email":"ada@example.com","password":"correct horse""#
        try viewer.ask(.post, "/api/v1/auth/register", #"{\#(account),"name":"Ada","date_of_birth":"1990-05-17"}"#)
        try viewer.ask(.post, "/api/v1/auth/login", #"{"email":"ada@example.com","password":"wrong"}"#)
        let login = try viewer.ask(.post, "/api/v1/auth/login", "{\(account)}")
        viewer.token = try #require(login.json?["data"]?["access_token"]?.string)
        try viewer.ask(.put, "/api/v1/users/me", #"{"name":"Ada L.","bio":"Counts"}"#)
        try viewer.ask(.patch, "/api/v1/users/me/preferences", #"{"allergies":["nuts"]}"#)
        try viewer.ask(
            .post, "/api/v1/goals",
            #"{"title":"Walk","goal_type":"activity","target_value":10000,"target_date":"2025-03-01"}"#)
        try viewer.ask(.get, "/api/v1/goals?limit=5")
        let made = try viewer.ask(.post, "/api/v1/consultations", #"{"persona":"nutritionist"}"#)
        let chat = try #require(made.json?["data"]?["id"]?.string)
        try viewer.ask(.post, "/api/v1/consultations/\(chat)/messages", #"{"content":"What should I eat?"}"#)
        try viewer.ask(.get, "/api/v1/consultations/\(chat)/messages?limit=10")
        try viewer.ask(
            .post, "/api/v1/meal-logs/batch",
            #"{"meal_logs":[{"raw_input":"2 eggs","meal_type":"breakfast"},{"raw_input":"soup","meal_type":"lunch"}]}"#)
        network.advance(by: .seconds(10))
        try viewer.ask(.get, "/api/v1/meal-logs?limit=1&offset=1")
        try viewer.ask(.post, "/api/v1/wellness/mood-entries", #"{"valence":0.7,"logged_at":"2025-01-29T10:00:00Z"}"#)
        try viewer.ask(.get, "/api/v1/wellness/mood-entries")
        let refresh = try #require(login.json?["data"]?["refresh_token"]?.string)
        let fresh = try viewer.ask(.post, "/api/v1/auth/refresh", #"{"refresh_token":"\#(refresh)"}"#)
        try viewer.ask(.post, "/api/v1/auth/refresh", #"{"refresh_token":"\#(refresh)"}"#)
        viewer.token = try #require(fresh.json?["data"]?["access_token"]?.string)
        try viewer.ask(.delete, "/api/v1/consultations/\(chat)")
        try viewer.ask(.delete, "/api/v1/users/me")
        try viewer.ask(.get, "/api/v1/users/me")
        return viewer.seen
    }

    private static func tokens(secret: String = DevelopmentCredentials.jwtSecret) -> [String] {
        [TestUser.anna, TestUser.ben].map { Request.token(for: $0, secret: secret) }
    }

    /// Plays the session against the fake; returns what the clients saw, and the recorded file.
    private static func record(
        _ day: Day = .guides, keepsSecrets: Bool
    ) throws -> (seen: [String], file: [UInt8], verdicts: [String]) {
        let network = VirtualNetwork { $0.pace = .human }
        _ = try network.admin(.get, "verdicts")
        var settings = SessionRecorder.Settings(creatorVersion: "test")
        settings.keepsSecrets = keepsSecrets
        settings.excludedPaths = ["/__admin"]
        settings.authority = "127.0.0.1:8080"
        let recorder = SessionRecorder(settings: settings)
        network.recorder = recorder
        let seen = try day.live(network, tokens: tokens())
        let verdicts = try verdicts(network)
        return (seen, recorder.file(at: network.now), verdicts)
    }

    private static func replaying(
        _ recording: SessionReplay.Recording, _ settings: ReplaySettings = ReplaySettings()
    ) throws -> VirtualNetwork {
        var scenario = try Scenario.read("{name: take}")
        scenario.replay = SessionReplay(.plan(recording.plan), settings: settings)
        return VirtualNetwork { ($0.scenario, $0.pace) = (scenario, .human) }
    }

    private static func verdicts(_ network: VirtualNetwork) throws -> [String] {
        let judgement = try #require(network.engine.judgement(ofWorld: World.defaultID, at: network.now))
        return judgement.verdicts.map { "\($0.obligation.id) \($0.outcome)" }
    }

    private static func differences(_ new: [String], from old: [String]) -> [String] {
        let differences = (0..<max(new.count, old.count)).compactMap { index -> String? in
            let (now, before) = (index < new.count ? new[index] : nil, index < old.count ? old[index] : nil)
            return now == before ? nil : "\(index): \(now ?? "nothing"), was \(before ?? "nothing")"
        }
        return Array(differences.prefix(3))
    }

    @Test(
        "A replay sends the recorded clients the same bytes, with or without secrets",
        arguments: Day.allCases.flatMap { [($0, true), ($0, false)] }, [ReplaySettings.FrameOrder.lockStep, .timed])
    func sameBytes(day: (day: Day, keepsSecrets: Bool), frames: ReplaySettings.FrameOrder) throws {
        let (seen, file, verdicts) = try Self.record(day.day, keepsSecrets: day.keepsSecrets)
        #expect(seen.count > 18)
        let text = String(decoding: file, as: UTF8.self)
        for secret in ["ada@example.com", "correct horse", "eyJ"] where !day.keepsSecrets {
            #expect(!text.contains(secret), "\(secret)")
        }
        let recording = try SessionReplay.Recording(readingHAR: file)
        #expect(recording.notes == [])
        for match in ReplaySettings.Match.allCases {
            let network = try Self.replaying(recording, ReplaySettings(match: match, frames: frames))
            _ = try network.admin(.get, "verdicts")
            let again = try day.day.live(network, tokens: Self.tokens())
            let differences = Self.differences(again, from: seen)
            #expect(differences == [], "\(match): \(differences)")
            #expect(Self.differences(try Self.verdicts(network), from: verdicts) == [], "\(match)")
            #expect(network.replayOutcome?.failures == [], "\(match)")
        }
    }

    @Test("A replay accepts clients with different credentials")
    func otherCredentials() throws {
        let (seen, file, _) = try Self.record(keepsSecrets: true)
        let network = try Self.replaying(SessionReplay.Recording(readingHAR: file))
        let again = try Self.day(network, tokens: Self.tokens(secret: "another"))
        #expect(Self.differences(again, from: seen) == [])
    }

    @Test("A file torn at any byte replays its intact part")
    func torn() throws {
        let (_, file, _) = try Self.record(keepsSecrets: false)
        var played = 0
        for cut in stride(from: 0, to: file.count, by: 997) {
            guard let recording = try? SessionReplay.Recording(readingHAR: Array(file[..<cut])) else { continue }
            played += 1
            #expect(!recording.notes.isEmpty)
        }
        #expect(played > 10)
    }
}
