import Foundation
import TestSupport
import Testing

extension BuildingPeers {
    /// The products' documentation catalogues; TutorialTests compiles and runs their tutorials.
    @Suite("The products' documentation")
    struct DocumentationTests {
        @Test("The documentation does not have broken links or missing files")
        func archives() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let build = try Programs.fitiqMock().deletingLastPathComponent().path
            let made = try await Command(
                URL.packageRoot.appending(path: "scripts/docc"), [folder["docc"].path],
                environment: ["FITIQ_MOCK_TEST_BUILD": build])
            #expect(made.status == 0, "\(made.transcript)")
            for (product, tutorial) in [
                ("ContractSuite", "yourownclient"), ("FakeBackend", "aworldforeachtest"), ("FitIQClient", "askacoach"),
            ] {
                let data = folder["docc/\(product).doccarchive/data"]
                let page = data.appending(path: "tutorials/\(product.lowercased())/\(tutorial).json")
                #expect(contents(page.path)?.contains("\"kind\":\"project\"") ?? false, "\(page.path)")
            }
        }

        @Test("The check names every broken link")
        func broken() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let root = folder["root"]
            for path in ["scripts", "Sources/Clients/FitIQClient/FitIQClient.docc", "Sources/Platform/COpenSSL"] {
                try FileManager.default.createDirectory(
                    at: root.appending(path: path), withIntermediateDirectories: true)
            }
            for script in ["docc", "install-dependencies"] {
                try FileManager.default.copyItem(
                    at: .packageRoot.appending(path: "scripts/\(script)"), to: root.appending(path: "scripts/\(script)")
                )
            }
            for library in try FileManager.default.contentsOfDirectory(
                atPath: URL.packageRoot.appending(path: "Sources/Platform").path) where library.hasPrefix("C")
            {
                try? FileManager.default.copyItem(
                    at: .packageRoot.appending(path: "Sources/Platform/\(library)"),
                    to: root.appending(path: "Sources/Platform/\(library)"))
            }
            let catalog = "Sources/Clients/FitIQClient/FitIQClient.docc/FitIQClient.md"
            try Data("# ``FitIQClient``\n\nA client.\n\n## Topics\n\n- ``NoSuchType``\n".utf8).write(
                to: root.appending(path: catalog))
            let build = try Programs.fitiqMock().deletingLastPathComponent().path
            let made = try await Command(
                root.appending(path: "scripts/docc"), [folder["docc"].path],
                environment: ["FITIQ_MOCK_TEST_BUILD": build])
            #expect(made.status == 1 && made.errors.contains("'NoSuchType' doesn't exist"), "\(made.transcript)")
        }
    }
}
