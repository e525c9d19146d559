import FitIQAPI
import Foundation
import GuideModels
import HTTPTypes
import TestSupport
import Testing

@testable import MockServer

@Suite("The apps' decoders read every answer")
struct AppDecoderTests {
    typealias Answer = AppModels.Answer

    @Test("One after the other", arguments: AppRow.sections)
    func rows(_ section: AppRow.Section) throws {
        let network = try AccountTests.network()
        var kept: [(name: String, value: String)] = []
        func filled(_ text: String) -> String {
            kept.reversed().reduce(text) { $0.replacing("{\($1.name)}", with: $1.value) }
        }
        for row in [AppRow.registration] + section.rows {
            let token = kept.last { $0.name == "access_token" }.map { [Request.bearer($0.value)] } ?? []
            let fields = [Request.apiKey] + (row.path.hasPrefix("/auth/") ? [] : token)
            var request = Request(method: row.method, target: "/api/v1" + filled(row.path), fields: fields)
            if let body = row.body { request = request.json(filled(body)) }
            let response = try network.exchange(request)
            #expect(response.status == row.status, "\(row): \(response.text)")
            do {
                try row.read(Data(response.body))
            } catch {
                Issue.record("\(row): \(error)\n\(response.text)")
            }
            let data = response.json?["data"]
            if let name = row.keeps {
                let id = data?["id"] ?? data?["insights"]?[0]?["id"]
                kept.append((name, try #require(id?.string, "\(row): \(response.text)")))
            }
            for name in ["access_token", "refresh_token"] {
                if let token = data?[name]?.string { kept.append((name, token)) }
            }
        }
    }

    @Test("The claims of an access token are the registered user's")
    func claims() throws {
        let network = try AccountTests.network()
        let response = try network.exchange(
            Request(method: .post, target: "/api/v1/auth/register", fields: [Request.apiKey])
                .json(#require(AppRow.registration.body)))
        let answer = try JSONDecoder().decode(Answer<AppModels.Registration>.self, from: Data(response.body))
        let claims = try AppModels.Claims(token: answer.data.accessToken)
        #expect(claims.sub == answer.data.userId && claims.email == "ada@example.com")
        #expect(claims.exp == 1_738_146_600 + 3600)
    }
}
