import Foundation
import TestSupport
import Testing

extension BrowserPeers {
    /// The admin API's page, and reports in the same form, in Chromium.
    @Suite("The page")
    struct PageTests {
        @Test(
            "The page's stories pass without violations of axe's rules or the content policy",
            .enabled(if: Programs.chromium != nil, Programs.noChromium),
            arguments: [
                "timeline,filters,verdicts,live", "held,faults,sentences,worlds,data",
                "scenario,hostile,looks,reconnection", "prefix,pages,token,cors,report", "many",
            ])
        func stories(_ names: String) async throws {
            let command = try await Command.peer(
                "with_page", [try #require(Programs.chromium), try Programs.fitiqMock().path, names],
                with: try Programs.recorder("python3"))
            #expect(command.status == 0, "\(command.transcript)")
        }
    }
}
