import CoachClient
import FitIQMockXCTest
import XCTest

final class CoachClientXCTests: XCTestCase {
    func testArchives() async throws {
        let world = try await mockWorld("conflict")
        let client = CoachClient(baseURL: world.url, headers: world.headers)
        await client.archive(try await client.start(with: "nutritionist"))
    }

    func testBegins() async throws {
        let world = try await mockWorld()
        let client = CoachClient(baseURL: world.url, headers: world.headers)
        _ = try await client.start(with: "nutritionist")
        let request = try await world.wait(for: .request("POST /api/v1/consultations", status: 201))
        XCTAssertEqual(request.endpoint, "createConsultation")
    }
}
