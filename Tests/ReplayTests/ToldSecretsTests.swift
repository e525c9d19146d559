import Testing
import Traffic

@testable import Replay

@Suite("Secrets in what a replay tells")
struct ToldSecretsTests {
    static let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl"

    @Test(
        "A target's secrets are shortened, all else stays",
        arguments: [
            ("/a", "/a"), ("/a?", "/a?"), ("/a?limit=20&page", "/a?limit=20&page"),
            ("/ws?token=\(token)", "/ws?token=eyJh…"),
            ("/ws?x=1&access_token=\(token)&y=", "/ws?x=1&access_token=eyJh…&y="),
            ("/ws?auth_token=\(token)", "/ws?auth_token=eyJh…"), ("/ws?%74oken=\(token)", "/ws?%74oken=eyJh…"),
            ("/ws?token=abcd&&token", "/ws?token=abcd&&token"),
            ("/ws?token=redacted-token-1", "/ws?token=redacted-token-1"),
            ("/ws?password=a=b=c?d", "/ws?password=a=b=…"),
            ("/ws?tokens=\(token)", "/ws?tokens=\(token)"),
        ])
    func target(_ target: String, _ told: String) {
        #expect(Excerpts.target(target) == told)
    }

    @Test("A member with a secret that is on one side only is shortened")
    func member() throws {
        var builder = SessionBuilder()
        builder.exchange("POST", "/a", body: #"{"x":1,"password":"hunter2"}"#)
        var player = try builder.player()
        _ = player.ask("POST", "/a", body: #"{"x":1,"accessToken":"\#(Self.token)"}"#)
        #expect(
            player.report.unexpected.first?.differences.map(\.description) == [
                #"body.password: expected "hunt…", got nothing"#, #"body.accessToken: expected nothing, got "eyJh…""#,
            ])
    }

    @Test("Misses, their nearest requests, notes, frames and what was never asked show no token")
    func everywhere() throws {
        var builder = SessionBuilder()
        builder.socket(
            "/api/v1/consultations/\(IDs.a)/ws?token=\(Self.token)", frames: [frame(.client, 10, "hello")])
        builder.exchange("GET", "/b?token=\(Self.token)", status: 100)
        builder.exchange("GET", "/c?token=\(Self.token)&x=1")
        var player = try builder.player()
        #expect(player.plan.notes.first?.contains("token=eyJh…") == true)
        let socket = try player.open("/api/v1/consultations/\(IDs.a)/ws?token=\(Self.token)")
        player.send("bye", on: socket, at: at(1))
        _ = player.ask("GET", "/c?token=\(Self.token)&token=\(Self.token)&x=1")
        let report = player.report
        #expect(report.neverAskedCount == 2 && report.unexpectedCount == 1 && report.frameMissCount == 1)
        let told = player.plan.notes + [String(decoding: report.json.encoded(), as: UTF8.self)]
        #expect(!told.contains { $0.contains(Self.token.prefix(5)) }, "\(told)")
        #expect(report.unexpected.first?.differences.first?.place == "query.token")
    }
}
