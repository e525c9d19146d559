import FitIQMockXCTest
import XCTest

final class CoachUITests: XCTestCase {
    @MainActor
    func testShowsWhatWasSaid() async throws {
        let world = try await mockWorld("conflict")
        let app = XCUIApplication()
        app.launch(with: world)
        XCTAssertTrue(app.staticTexts["How much protein do I need?"].waitForExistence(timeout: 10))
    }

    @MainActor
    func testSaysThatTheCoachIsAway() async throws {
        let world = try await mockWorld("conflict")
        try await world.add(faults: .status(404, on: "POST /api/v1/consultations"))
        let app = XCUIApplication()
        app.launch(with: world)
        XCTAssertTrue(app.staticTexts["failure"].waitForExistence(timeout: 10))
    }
}
