import COpenSSL
import Digests
import FitIQAPI
import Foundation
import HTTPTypes
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

/// The world in `Fixtures/guides-before-apps/world.yaml`, which answers as a guide does, and the requests to it.
final class GuideStage {
    /// The place where the guide mode is set.
    enum Place: CaseIterable {
        case server
        /// The mode is set for one world on a server in union mode.
        case worldOfUnion
    }

    static let folder = URL.fixtures.appending(path: "guides-before-apps")
    private static let scenario = Result { try Scenario.read(contents(folder.path + "/world.yaml") ?? "") }

    let network: VirtualNetwork
    /// The id in the last 201.
    private var made = ""
    /// The world's path, and the suffix of its credentials.
    private let prefix: String
    private let suffix: String

    init(_ mode: GuideMode, _ place: Place) throws {
        let scenario = try Self.scenario.get()
        network = VirtualNetwork {
            $0.pace = .human
            if place == .server { ($0.scenario, $0.mode) = (scenario, mode) }
        }
        guard place == .worldOfUnion else {
            (prefix, suffix) = ("", "")
            return
        }
        let access = try network.engine.makeWorld(scenario, guide: mode, seed: 1, at: network.now)
        (prefix, suffix) = ("/w/\(access.id)", "-\(access.id)")
    }

    // MARK: Words of the script

    private static let ids = [
        ("goal", "aaaaaaaa-0001-4000-8000-00000000000a"),
        ("consultation", "cccccccc-0001-4000-8000-00000000000c"),
        ("archived", "cccccccc-0002-4000-8000-00000000000c"),
        ("mood", "cccccccc-0003-4000-8000-00000000000c"),
        ("completed", "cccccccc-0004-4000-8000-00000000000c"),
        ("meal", "eeeeeeee-0001-4000-8000-00000000000e"),
        ("failed", "eeeeeeee-0002-4000-8000-00000000000e"),
        ("processing", "eeeeeeee-0003-4000-8000-00000000000e"),
        ("ben-goal", "bbbbbbbb-0001-4000-8000-00000000000b"),
        ("ben-consultation", "bbbbbbbb-0002-4000-8000-00000000000b"),
        ("ben-meal", "bbbbbbbb-0003-4000-8000-00000000000b"),
        ("unknown", "99999999-9999-4999-8999-999999999999"),
        ("ben", TestUser.ben),
    ]

    private var secret: String { DevelopmentCredentials.jwtSecret + suffix }
    private var key: String { DevelopmentCredentials.apiKey + suffix }

    private func token(of word: Substring) -> String? {
        switch word {
        case "token": Request.token(for: TestUser.anna, secret: secret)
        case "stranger": Request.token(for: "somebody new", secret: secret)
        case "foreign": Request.token(for: TestUser.anna, secret: "another secret")
        case "expired":
            AccessToken(
                subject: ExactString(TestUser.anna), expiresAt: VirtualNetwork.start.secondsSinceEpoch - 1
            ).signed(with: Array(secret.utf8))
        case "email": tokenWithAddress
        default: nil
        }
    }

    /// A token with a claim that no guide mentions.
    private var tokenWithAddress: String {
        let claims = #"{"sub":"\#(TestUser.anna)","exp":4102444799,"email":"anna@example.com"}"#
        let parts = [#"{"alg":"HS256","typ":"JWT"}"#, claims].map { Base64.encodeURL(Array($0.utf8)) }
        let input = parts.joined(separator: ".")
        return input + "."
            + Base64.encodeURL(HMACSHA256.authenticate(Array(input.utf8), key: Array(secret.utf8)))
    }

    /// A script line with the words in braces replaced.
    func expanded(_ text: String) -> String {
        guard text.contains("{") else { return text }
        return text.replacing(#/\{([A-Za-z-]+)(?:\*(\d+))?\}/#) { match in
            let word = match.output.1
            if let count = match.output.2.flatMap({ Int($0) }) { return String(repeating: String(word), count: count) }
            if word == "made" { return made }
            if word == "key" { return key }
            if let token = token(of: word) { return token }
            let id = Self.ids.first { $0.0 == word.lowercased() }?.1
            return word.first?.isUppercase == true ? id?.uppercased() ?? "?" : id ?? "?"
        }
    }

    // MARK: Requests

    /// The credential fields of a user's requests; empty if no user is named.
    func credentials(of user: String) -> [String] {
        let id: String? =
            switch user {
            case "anna": TestUser.anna
            case "ben": TestUser.ben
            case "carl": "33333333-3333-4333-8333-333333333333"
            default: nil
            }
        return id.map { [Request.bearer(Request.token(for: $0, secret: secret)), "X-API-Key: \(key)"] } ?? []
    }

    /// A request in the script; without a media type, the body is JSON.
    func request(
        _ method: String, _ target: String, _ body: String?, _ fields: [String], type: String? = nil
    ) throws -> Request {
        let method = try #require(HTTPRequest.Method(method))
        var request = Request(method: method, target: prefix + expanded(target), fields: fields.map(expanded))
        if let body {
            request.body = Array(expanded(body).utf8)
            request.fields.append("Content-Type: \(type ?? "application/json")")
        }
        return request
    }

    func handshake(_ target: String, _ fields: [String]) -> Request {
        var request = Request.handshake(prefix + expanded(target))
        request.fields = fields.map(expanded) + request.fields
        return request
    }

    /// Sends the bytes on a separate connection; returns everything that the server sends.
    func answer(to bytes: [UInt8]) throws -> String {
        let client = try network.open()
        defer { client.vanish() }
        client.send(bytes)
        let text = text(ofAnswer: client.received)
        return client.ending == .open && !client.sawEndOfStream ? text : text + "\n(the server closes)"
    }

    /// An answer as lines; abbreviates the usual fields of JSON with the current date, and hashes a long body.
    func text(ofAnswer bytes: [UInt8]) -> String {
        let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))
        let head = String(decoding: bytes[..<(end?.lowerBound ?? bytes.endIndex)], as: UTF8.self)
        let body = end.map { Array(bytes[$0.upperBound...]) } ?? []
        if head.hasPrefix("HTTP/1.1 201"), let json = try? JSON.parse(body) { made = Self.id(in: json) ?? made }
        let text =
            body.count > 10_000
            ? "(\(body.count) bytes, SHA-256 \(Self.sha256(body)))" : String(decoding: body, as: UTF8.self)
        let usual = "Content-Type: application/json; charset=utf-8\nDate: \(network.now.httpDateText)"
        let fields = head.replacing("\r\n", with: "\n").replacing(usual, with: "(usual fields)")
        return plain((fields + "\n" + text).trimmingCharacters(in: .newlines))
    }

    /// The text as it would be for the default world, without the world's path and token issuer.
    func plain(_ text: String) -> String {
        guard !prefix.isEmpty else { return text }
        return text.replacing(
            "POST /__admin\(prefix.replacing("/w/", with: "/worlds/"))/tokens creates a token for this world.",
            with: "'fitiq-mock token' prints a token that works."
        ).replacing(prefix, with: "")
    }

    private static func id(in json: JSONValue) -> String? {
        let data = json["data"] ?? json
        let entity = data["consultation"] ?? data["meal_log"] ?? data
        return (entity["id"] ?? entity["consultation_id"] ?? entity["conversationId"])?.string
    }

    static func sha256(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(bytes, bytes.count, &digest)
        return digest.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}
